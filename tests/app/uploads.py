"""Files for the app's uploaders."""

from __future__ import annotations

import io

import pandas as pd
from streamlit.testing.v1 import AppTest

from tests.app.pages import run


def csv(frame: pd.DataFrame) -> bytes:
    """Write a table as CSV."""
    return frame.to_csv(index=False).encode()


def parquet(frame: pd.DataFrame) -> bytes:
    """Write a table as Parquet."""
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def upload(app: AppTest, title: str, name: str, content: bytes) -> AppTest:
    """Upload a file with the uploader of a title."""
    (uploader,) = [one for one in app.get("file_uploader") if one.label == title]
    uploader.set_value((name, content, ""))
    return run(app)
