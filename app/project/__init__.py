"""A visitor's project: what it is, where it is kept, how it is opened and edited, and what helps when something is off.

`state` and `access` are the only modules that touch the session and the URL; `people` knows who has signed in.
"""

from __future__ import annotations

from app.project.incoming import IN_MEMORY, engine_for
from app.project.opening import read_upload
from app.project.remedies import Remedy
from app.project.state import Workspace
from app.project.store import Entry, Revision, Share
from app.project.tracking import Batch
