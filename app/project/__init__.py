"""A visitor's project: what it is, where it is kept, how it is opened and edited, and what helps when something is off.

`links` knows which project a visitor reaches, `state` what they work on, `visit` what their widgets hold, `uploads`
what they send: no other module touches the session or the URL. `people` knows who has signed in.
"""

from __future__ import annotations

from app.project.imports import read_upload
from app.project.remedies import Remedy
from app.project.state import Workspace
from app.project.store import Revision, SavedProject, Share
from app.project.track_plan import Batch
from app.project.uploads import IN_MEMORY, engine_for
