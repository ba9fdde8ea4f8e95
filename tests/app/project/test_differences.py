"""What tells two states of a project apart, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.project import edits
from app.project.differences import Change, compare
from mandoline_core import Correction, Keyword, Noise, Threshold, load_project
from tests.core.projects import REVIEWS

PROJECT = replace(load_project(REVIEWS), edges=())


def test_the_same_project_has_no_differences() -> None:
    assert compare(PROJECT, PROJECT) == ()


def test_every_kind_of_edit_is_told() -> None:
    """Slices added, removed, changed, renamed, switched off; corrections; pairs; settings."""
    changed = edits.remove_slice(PROJECT, "negation")
    changed = edits.rename_slice(changed, "slang", "chat")
    changed = edits.switch_slice(changed, "short", on=False)
    changed = edits.add_slice(changed, Keyword("new", column="text", words=("ok",), note="why not"))
    changed = edits.set_noise(changed, "short", Noise(Correction(0.9, 0.1), same=True))
    changed = edits.set_edges(changed, [("short", "chat")])
    changed = replace(changed, estimator=replace(changed.estimator, ridge=0.01), note="for Monday")
    found = compare(PROJECT, changed)
    assert [(one.part, one.name, one.how) for one in found] == [
        ("Slices", "negation", "removed"),
        ("Slices", "short", "changed"),
        ("Slices", "slang", "changed"),
        ("Slices", "new", "added"),
        ("Corrections", "short", "changed"),
        ("Pairs", "chat and short", "added"),
        ("Settings", "project note", "added"),
        ("Settings", "estimator ridge", "changed"),
    ]
    said = {one.name: one for one in found}
    assert said["short"].before == "exact"
    assert said["short"].after == "truly in the slice: 90.0% of its yes, 10.0% of its no; new data: the same"
    assert found[1].after.endswith("(off)")
    assert said["new"].after.endswith("Note: why not")
    assert (said["slang"].before, said["slang"].after) == ("name slang", "name chat")
    assert (said["estimator ridge"].before, said["estimator ridge"].after) == ("0.0", "0.01")


def test_back_and_forth_are_opposites() -> None:
    changed = edits.set_edges(edits.move_slice(PROJECT, "slang", -1), "auto")
    there, back = compare(PROJECT, changed), compare(changed, PROJECT)
    assert there[0] == Change("Slices", "order", "negation, short, slang, entropy", "negation, slang, short, entropy")
    assert [(one.name, one.before, one.after) for one in back] == [(one.name, one.after, one.before) for one in there]


@pytest.mark.parametrize("model", ["lr", "nb"])
def test_a_model_that_went_is_told(model: str) -> None:
    left = replace(PROJECT, models=tuple(one for one in PROJECT.models if one.name != model))
    assert {(one.part, one.how) for one in compare(PROJECT, left)} == {("Settings", "removed")}


def test_rules_that_read_the_same_are_told_in_full() -> None:
    """A digit that words leave out is a change, too."""
    one, other = (
        edits.add_slice(PROJECT, Threshold("old", column="n_words", above=above))
        for above in (64.99999991, 64.99999992)
    )
    assert compare(one, other) == (
        Change(
            "Slices",
            "old",
            'column = "n_words", above = 64.99999991',
            'column = "n_words", above = 64.99999992',
        ),
    )
