"""What `mandoline app` starts: the pages, behind a guard that answers who calls the server by one of its names."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.web.cache_storage_manager_config import create_default_cache_storage_manager

from app.access import AccessMiddleware
from app.opening import announcing
from app.served import ServedFiles, VisitFileManager

_GIVEN = os.environ.get("MANDOLINE_ALLOW_HOSTS", "")
_TOKEN = os.environ.get("MANDOLINE_TOKEN", "")
_files = ServedFiles()

app = st.App(
    Path(__file__).with_name("main.py"),
    lifespan=announcing(_TOKEN),
    middleware=[
        Middleware(
            AccessMiddleware,
            names=[name for name in _GIVEN.split(",") if name],
            asks=bool(os.environ.get("MANDOLINE_SIGN_IN")),
            token=_TOKEN,
            files=_files,
        )
    ],
)


def _create_runtime() -> Runtime:
    """Let the framework keep files as we do: it takes managers of one's own, but no app says which."""
    runtime = Runtime(
        RuntimeConfig(
            script_path=str(Path(__file__).with_name("main.py")),
            media_file_storage=_files.shown,
            uploaded_file_manager=_files.sent,
            cache_storage_manager=create_default_cache_storage_manager(),
            is_hello=False,
            session_storage=MemorySessionStorage(ttl_seconds=st.get_option("server.disconnectedSessionTTL")),
        )
    )
    runtime._media_file_mgr = VisitFileManager(_files.shown)
    return runtime


app._create_runtime = _create_runtime  # type: ignore[method-assign]
