"""Trying an edit: what it promises is what it gives, and what ends badly is nothing to offer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import mandoline_core as md
from app import compute
from app.compute import estimates
from app.project import Workspace, edits, state
from tests.core.projects import LONG, NEGATION, small_frames, write_project


@pytest.fixture
def workspace(folder: Path) -> Workspace:
    """Open a project of which no labelled row is of a later month than April."""
    source, target, _ = small_frames()
    frames = [
        frame.assign(month=[first + row % 3 for row in range(len(frame))])
        for frame, first in ((source, 2), (target, 4))
    ]
    path = write_project(folder, {"slices": [NEGATION, LONG]}, source=frames[0], target=frames[1])
    document = state._document(md.load_project(path))
    store = state.store()
    revision = store.head(store.create(document))
    return Workspace("id", state._project(document), document["names"], "lr", revealed=False, revision=revision)


def adding(**rule: object) -> partial[md.Project]:
    return partial(edits.add_slice, rule=md.Threshold("later", column="month", **rule))


def test_a_try_promises_what_the_edit_gives(workspace: Workspace) -> None:
    edit = adding(above=3)
    found = compute.edit_effect(workspace, edit)
    assert found is not None
    after = md.estimate(edit(workspace.project)).models["lr"]
    assert found.before == pytest.approx(md.estimate(workspace.project).models["lr"].estimate, abs=1e-12)
    assert found.after == pytest.approx(after.estimate, abs=1e-12)
    tables = [md.read_table(path) for path in (workspace.project.source_path, workspace.project.target_path)]
    assert (found.source, found.target) == tuple(int((table["month"] > 3).sum()) for table in tables)


def test_what_ends_badly_is_not_offered(workspace: Workspace) -> None:
    """No labelled row inside, no new row inside, a column that is not there, nothing changed."""
    assert compute.edit_effect(workspace, adding(above=4)) is None
    assert compute.edit_effect(workspace, adding(below=4)) is None
    assert compute.edit_effect(workspace, partial(edits.add_slice, rule=md.Missing("gone", column="nowhere"))) is None
    assert compute.edit_effect(workspace, lambda project: project) is None
    assert compute.edit_effect(workspace, lambda project: replace(project, slices=())) is None


def test_a_score_that_could_not_be_had_is_asked_for_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is still being counted, or was not readable for a moment, does not stay the answer."""
    with monkeypatch.context() as patched:
        patched.setattr(estimates, "_scored", lambda _: (_ for _ in ()).throw(md.MandolineError("Counting 9 rows.")))
        assert str(compute.source_scores(workspace)["lr"]) == "Counting 9 rows."
    value, (low, high) = compute.source_scores(workspace)["lr"]
    assert low < value < high
