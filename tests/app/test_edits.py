"""Edits keep a project sound: names are carried over, edges go with their slices, nothing else moves."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from app import edits
from mandoline_core import (
    Any,
    Correction,
    Keyword,
    Length,
    Noise,
    Prediction,
    Project,
    Sample,
    SliceError,
    load_project,
)
from mandoline_core.slices import resolve
from tests.core.projects import REVIEWS

PROJECT = load_project(REVIEWS)
EDGES = (("negation", "short"), ("slang", "entropy_2"))


@pytest.fixture
def project() -> Project:
    """Return the reviews sample with two edges and a combination."""
    both = Any("chatty", of=("short", "slang"))
    return replace(PROJECT, slices=(*PROJECT.slices, both), edges=EDGES)


def names(project: Project) -> list[str]:
    return [rule.name for rule in project.slices]


def test_a_new_name_is_carried_over(project: Project) -> None:
    """Edges, combinations and members of a family follow a rename."""
    renamed = edits.rename_slice(edits.rename_slice(project, "short", "brief"), "entropy", "doubt")
    assert names(renamed) == ["negation", "brief", "slang", "doubt", "chatty"]
    assert renamed.edges == (("negation", "brief"), ("slang", "doubt_2"))
    assert edits.find_slice(renamed, "chatty") == Any("chatty", of=("brief", "slang"))


def test_a_taken_name_is_refused(project: Project) -> None:
    """Two slices cannot share a name."""
    with pytest.raises(ValueError, match="Two slices are called 'slang'"):
        edits.rename_slice(project, "short", "slang")


def test_removing_a_slice_removes_its_edges(project: Project) -> None:
    """A family's members lose their edges, too."""
    assert edits.remove_slice(project, "negation").edges == (("slang", "entropy_2"),)
    assert edits.remove_slice(project, "entropy").edges == (("negation", "short"),)


def test_a_part_of_a_combination_cannot_be_removed(project: Project) -> None:
    """The message names what is made of it."""
    with pytest.raises(SliceError, match="Slice 'short' is part of 'chatty'"):
        edits.remove_slice(project, "short")


def test_slices_move_and_stay_within_the_list(project: Project) -> None:
    """Up at the top and down at the bottom change nothing."""
    assert names(edits.move_slice(project, "slang", -1)) == ["negation", "slang", "short", "entropy", "chatty"]
    assert edits.move_slice(project, "negation", -1) == project
    assert edits.move_slice(project, "chatty", 1) == project


def test_a_copy_stands_right_after_under_a_free_name(project: Project) -> None:
    """Copies count up."""
    twice = edits.duplicate_slice(edits.duplicate_slice(project, "slang"), "slang")
    assert names(twice)[2:5] == ["slang", "slang 3", "slang 2"]
    assert edits.find_slice(twice, "slang 2") == replace(edits.find_slice(project, "slang"), name="slang 2")


def test_a_slice_is_added_under_a_free_name(project: Project) -> None:
    """A second keyword slice gets a number."""
    rule = Keyword("negation", column="text", words=("nope",))
    assert names(edits.add_slice(project, rule))[-1] == "negation 2"


def test_identity_corrections_are_no_corrections(project: Project) -> None:
    """A slider moved back leaves the project as it was; "the same matrix" is kept."""
    noisy = edits.set_noise(project, "slang", Noise(Correction(0.9, 0.1)))
    assert edits.find_slice(noisy, "slang").noise == Noise(Correction(0.9, 0.1))
    assert edits.set_noise(noisy, "slang", Noise(Correction(1.0, 0.0))) == project
    assert edits.find_slice(edits.set_noise(project, "slang", Noise(same=True)), "slang").noise == Noise(same=True)


def test_every_kind_offered_is_ready_to_use(project: Project) -> None:
    """What a button adds works on the data at once, without an edit."""
    source, target = project.read()
    offered = edits.starters(source, target)
    assert {"keyword", "threshold", "category", "length", "entropy", "prediction", "expression"} <= set(offered)
    for kind, make in offered.items():
        if kind == "flag":  # the reviews have no column of answers to start from
            continue
        assert resolve([make()], source, target, source.models[0]), kind


def test_kinds_that_the_data_do_not_allow_are_not_offered() -> None:
    """Without a text column there is no keyword slice, without probabilities no entropy."""
    source = Sample(pd.DataFrame({"n": [1, 2], "label": [0, 1], "pred": [0, 1]}), label="label", prediction="pred")
    target = Sample(pd.DataFrame({"n": [1, 2], "pred": [0, 1]}))
    assert not {"keyword", "length", "regex", "entropy", "confidence", "overlap"} & set(edits.starters(source, target))


def test_a_combination_needs_something_to_combine() -> None:
    """The message says what to do first."""
    alone = replace(PROJECT, slices=(Length("short", column="text", below=30), Prediction("says")), edges=())
    with pytest.raises(SliceError, match="Add them first"):
        edits.combination(alone, "all")
    assert edits.combination(alone, "not").kind == "not"
