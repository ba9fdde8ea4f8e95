"""Two rows that show what changed: of the data's own columns, and on the sides that moved."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import mandoline_core as md
from mandoline_core.report.deck import Example, find_examples
from tests.core.projects import LONG, NEGATION, write_project


def examples(folder: Path, **changes: object) -> tuple[Example, ...]:
    report = md.estimate(md.load_project(write_project(folder, changes)))
    request = report.asked
    return find_examples(request.source, request.target, report.first.cells.slices, tuple(report.slices()))


def test_the_labelled_row_is_outside_of_what_became_more_frequent_and_the_new_row_inside(tmp_path: Path) -> None:
    labelled, new = examples(tmp_path, slices=[NEGATION, LONG])
    assert (labelled.side, new.side) == ("source", "target")
    assert dict(labelled.cells)["text"] == "it is good"
    assert dict(new.cells)["text"] == "it is not good at all"
    assert int(dict(labelled.cells)["n_words"]) <= 10 < int(dict(new.cells)["n_words"])


def test_labels_and_what_models_say_are_not_shown(tmp_path: Path) -> None:
    found = examples(tmp_path, slices=[LONG, {"name": "says", "kind": "prediction", "value": "good"}])
    shown = {column for one in found for column, _ in one.cells}
    assert shown == {"n_words", "text", "channel"}


def test_slices_on_what_a_model_says_alone_have_no_rows_to_show(tmp_path: Path) -> None:
    assert examples(tmp_path, slices=[{"name": "says", "kind": "prediction", "value": "good"}]) == ()


def test_a_cell_without_a_value_says_so(tmp_path: Path) -> None:
    path = write_project(tmp_path, {"slices": [LONG]})
    for side in ("source", "target"):
        table = pd.read_csv(tmp_path / f"{side}.csv")
        table.assign(channel=None).to_csv(tmp_path / f"{side}.csv", index=False)
    report = md.estimate(md.load_project(path))
    request = report.asked
    found = find_examples(request.source, request.target, report.first.cells.slices, tuple(report.slices()))
    assert {dict(one.cells)["channel"] for one in found} == {"(empty)"}
