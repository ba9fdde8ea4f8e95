"""The group of rows, on the pages: the finding's button sets it, and the finding goes away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from tests.app.pages import current, labels, open_app, press, said
from tests.core.projects import small_frames, write_project


def by_user(frame: pd.DataFrame, users: str) -> pd.DataFrame:
    """Let neighbouring rows belong to users."""
    return frame.assign(user_id=[f"{users}{number}" for number in np.arange(len(frame)) // 10])


def test_the_button_beside_the_finding_sets_the_group(tmp_path: Path) -> None:
    source, target, _ = small_frames()
    source = source.assign(right=source["label"] == source["pred_lr"]).sort_values("right").drop(columns="right")
    app = open_app(
        write_project(tmp_path, source=by_user(source, "a"), target=by_user(target, "b")), "views/result/result.py"
    )
    assert "Rows that share 'user_id' are alike" in said(app)
    press(app, "Set group to user_id")
    assert (current(app).source_group, current(app).target_group) == ("user_id", "user_id")
    assert "Rows that share 'user_id' are alike" not in said(app)
    assert "Set group to user_id" not in labels(app)
