"""Saved projects: every change is a revision in one SQLite file; uploaded files are kept once, by content.

Documents and files go in; states of projects come out, or a `StoreError` that says in one sentence what is wrong.
"""

from __future__ import annotations

from app.project.store.folder import StoreError, default_folder
from app.project.store.projects import DRAG as DRAG
from app.project.store.projects import Share, Store
from app.project.store.revisions import DAMAGED, Document, Revision, SavedProject
