"""What `mandoline app` starts: the pages, behind a guard that answers who calls the server by one of its names."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from app.access import AccessMiddleware

_GIVEN = os.environ.get("MANDOLINE_ALLOW_HOSTS", "")

app = st.App(
    Path(__file__).with_name("main.py"),
    middleware=[
        Middleware(
            AccessMiddleware,
            names=[name for name in _GIVEN.split(",") if name],
            asks=bool(os.environ.get("MANDOLINE_SIGN_IN")),
        )
    ],
)
