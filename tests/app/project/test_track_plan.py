"""What is tracked beside a project: saved with it, changed by several people at once, gone with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.project.store import Store
from app.project.track_plan import (
    MOST_BATCHES,
    Batch,
    TrackPlan,
    add_batches,
    add_labels,
    batches_of,
    drop_batches,
    plan_of,
    removable,
    save_plan,
)
from mandoline_core import DataError
from mandoline_core.monitoring import AlertRule


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data")


def batch(name: str) -> Batch:
    return Batch(name, Path("/files") / name)


def test_a_plan_is_read_as_it_was_saved(store: Store) -> None:
    """Beside the project, which stays as it was; the same plan again is no step of undo."""
    project = store.create({"toml": "x"})
    given = (batch("b.csv"), Batch("*.csv", Path("/data/*.csv"), server=True))
    plan = TrackPlan(given, AlertRule(3, "first", 0.8, "red"), (batch("labels.csv"),))
    number = save_plan(store, project, "track", lambda _: plan)
    head = store.head(project)
    assert (plan_of(head.document), head.document["toml"], head.can_undo) == (plan, "x", True)
    assert save_plan(store, project, "track", lambda _: plan) == number
    store.step(project, -1)
    assert plan_of(store.head(project).document) == TrackPlan()


def test_what_two_people_give_at_once_is_all_there(store: Store) -> None:
    project = store.create({"toml": "x"})

    def slowly(plan: TrackPlan) -> TrackPlan:
        if not plan.given:  # someone else saves in the meantime
            save_plan(store, project, "other", lambda plan: add_batches(plan, [batch("a.csv")]))
        return add_batches(plan, [batch("b.csv")])

    save_plan(store, project, "mine", slowly)
    assert [one.name for one in plan_of(store.head(project).document).given] == ["a.csv", "b.csv"]


def test_one_that_is_called_like_another_takes_its_place() -> None:
    other = replace(batch("week-9.csv"), path=Path("/files/other"))
    plan = add_batches(TrackPlan((batch("week-9.csv"), batch("week-10.csv"))), [other])
    assert batches_of(plan) == ([other, batch("week-10.csv")], [])
    assert drop_batches(plan, ["week-9.csv"]).given == (batch("week-10.csv"),)


def test_labels_go_with_their_batch_or_alone() -> None:
    """A file of labels may be called like its batch."""
    plan = add_labels(TrackPlan((batch("a.csv"), batch("b.csv"))), [batch("a.csv"), batch("b.csv")])
    assert removable(plan) == ["a.csv", "b.csv", "a.csv (labels)", "b.csv (labels)"]
    left = drop_batches(plan, ["a.csv", "b.csv (labels)"])
    assert (left.given, left.labels) == ((batch("b.csv"),), ())


def test_a_rule_saved_before_is_read() -> None:
    """Without what a rule can say since."""
    document = {"track": {"files": [], "alert": {"drop": 3.0, "base": "first", "worst": None}}}
    assert plan_of(document) == TrackPlan((), AlertRule(3.0, "first"))


def test_there_is_an_end_to_it() -> None:
    with pytest.raises(DataError, match=r"There would be 501 batches\. The maximum is 500"):
        add_batches(TrackPlan(), [batch(f"{number}.csv") for number in range(MOST_BATCHES + 1)])


def test_a_pattern_that_stands_for_nothing_is_said(tmp_path: Path) -> None:
    plan = TrackPlan((batch("a.csv"), Batch("*.csv", tmp_path / "*.csv", server=True)))
    found, (error,) = batches_of(plan)
    assert found == [batch("a.csv")]
    assert "No file matches *.csv." in str(error)


def test_what_was_estimated_goes_with_the_project(store: Store) -> None:
    """And nobody else on the machine can read it meanwhile."""
    project = store.create({"toml": "x"})
    path = store.track_memory(project)
    path.write_text("{}")
    assert path.parent.stat().st_mode & 0o077 == 0
    store.delete(project)
    assert not path.exists()
