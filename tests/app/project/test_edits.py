"""Edits keep a project sound: names are carried over, edges go with their slices, nothing else moves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.project import edits
from mandoline_core import (
    Any,
    Category,
    Correction,
    Entropy,
    Keyword,
    Length,
    MetricSettings,
    Noise,
    Project,
    ProjectError,
    Range,
    Sample,
    Slice,
    SliceError,
    Threshold,
    TrustSettings,
    load_project,
)
from tests.core.projects import REVIEWS, small_frames

PROJECT = load_project(REVIEWS)
EDGES = (("negation", "short"), ("slang", "entropy_2"))


@pytest.fixture
def project() -> Project:
    """Return the reviews sample with two edges and a combination."""
    both = Any("chatty", of=("short", "slang"))
    return replace(PROJECT, slices=(*PROJECT.slices, both), edges=EDGES)


def names(project: Project) -> list[str]:
    return [rule.name for rule in project.slices]


HELD = (
    Threshold("few", column="n_words", below=12),
    Threshold("either", column="n_words", above=90, below=12),
    Length("brief", column="text", below=9),
    Range("between", column="n_words", low=20, high=50),
    Category("web", column="channel", values=("app", "web")),
    Entropy("unsure", low=0.2, high=0.6),
    Entropy("levels", buckets=4),
    Keyword("talk", column="text", words=("price", "cost")),
)


@pytest.mark.parametrize("rule", HELD, ids=lambda rule: rule.name)
def test_what_a_form_holds_already_changes_nothing(rule: Slice) -> None:
    """Whichever of its controls is sent: a browser may send them all."""
    project = replace(PROJECT, slices=(rule,))
    source, _ = PROJECT.read()
    for control in rule.form():
        assert edits.write_field(project, rule.name, control.field, control.value, source) == project, control.field


def test_another_column_starts_anew_what_belongs_to_it() -> None:
    project = replace(PROJECT, slices=(HELD[0],))
    source, _ = PROJECT.read()
    changed = edits.write_field(project, "few", "column", "prob_lr_negative", source)
    (rule,) = changed.slices
    assert isinstance(rule, Threshold)
    assert rule.below is not None
    assert 0 < rule.below < 1


def test_a_new_name_is_carried_over(project: Project) -> None:
    """Edges, combinations, members of a family and what was chosen follow a rename."""
    project = replace(project, trust=TrustSettings(chosen={"lr": 0.01}, chosen_slices=("short", "slang")))
    renamed = edits.rename_slice(edits.rename_slice(project, "short", "brief"), "entropy", "doubt")
    assert renamed.trust.chosen_slices == ("brief", "slang")
    assert names(renamed) == ["negation", "brief", "slang", "doubt", "chatty"]
    assert renamed.edges == (("negation", "brief"), ("slang", "doubt_2"))
    assert edits.find_slice(renamed, "chatty") == Any("chatty", of=("brief", "slang"))


def test_a_new_name_is_carried_over_to_nothing_but_its_own(project: Project) -> None:
    """A slice whose name merely starts alike keeps it, and a combination of a family's members follows the family."""
    alike = Keyword("short_text", column="text", words=("ok",))
    unsure = Any("unsure", of=("entropy_5", "short_text"))
    wider = replace(project, slices=(*project.slices, alike, unsure), edges=(("short_text", "entropy_2"),))
    renamed = edits.rename_slice(edits.rename_slice(wider, "short", "brief"), "entropy", "doubt")
    assert renamed.edges == (("short_text", "doubt_2"),)
    assert edits.find_slice(renamed, "unsure") == Any("unsure", of=("doubt_5", "short_text"))
    assert edits.remove_slice(renamed, "chatty").edges == renamed.edges


def test_a_name_that_a_family_gives_a_member_is_refused() -> None:
    """Whichever of the two is renamed."""
    members = {"short": ["short"], "doubt_x": ["doubt_x"], "entropy": ["entropy_1", "entropy_x"]}
    edits.check_members(members, "short", "entropy_3")
    with pytest.raises(SliceError, match=r"Two slices would be called 'entropy_1'\. Choose another name\."):
        edits.check_members(members, "short", "entropy_1")
    with pytest.raises(SliceError, match="Two slices would be called 'doubt_x'"):
        edits.check_members(members, "entropy", "doubt")


def test_merging_classes_keeps_the_rest_of_the_metric(project: Project) -> None:
    """A merge is added, added to and taken back; everything else stays."""
    given = replace(project, metric=MetricSettings("error", merge={"both": ("a", "b")}))
    merged = edits.merge_classes(given, "rest", ["c", "d"])
    assert merged.metric == replace(given.metric, merge={"both": ("a", "b"), "rest": ("c", "d")})
    assert edits.merge_classes(merged, "rest", ["e"]).metric.merge["rest"] == ("c", "d", "e")
    assert edits.part_classes(merged, "rest") == given


@pytest.mark.parametrize(
    ("new", "classes", "message"),
    [("", ["a"], "has no name"), ("new", [], "No classes are chosen"), ("new", ["a"], "'a' is merged into")],
)
def test_a_merge_that_cannot_be_is_refused(project: Project, new: str, classes: list[str], message: str) -> None:
    """Without a name, without classes, or with one that is merged already."""
    given = edits.merge_classes(project, "old", ["a", "b"])
    with pytest.raises(ProjectError, match=message):
        edits.merge_classes(given, new, classes)


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
    assert names(twice)[2:5] == ["slang", "slang (3)", "slang (2)"]
    assert edits.find_slice(twice, "slang (2)") == replace(edits.find_slice(project, "slang"), name="slang (2)")


def test_a_slice_is_added_under_a_free_name(project: Project) -> None:
    """A second keyword slice gets a number."""
    rule = Keyword("negation", column="text", words=("nope",))
    assert names(edits.add_slice(project, rule))[-1] == "negation (2)"


def test_identity_corrections_are_no_corrections(project: Project) -> None:
    """A slider moved back leaves the project as it was; "the same matrix" is kept."""
    noisy = edits.set_noise(project, "slang", Noise(Correction(0.9, 0.1)))
    assert edits.find_slice(noisy, "slang").noise == Noise(Correction(0.9, 0.1))
    assert edits.set_noise(noisy, "slang", Noise(Correction(1.0, 0.0))) == project
    assert edits.find_slice(edits.set_noise(project, "slang", Noise(same=True)), "slang").noise == Noise(same=True)


def test_a_name_made_from_the_rule_follows_it_and_one_that_people_gave_stays() -> None:
    """Also with a number behind it; an edge of the slice has the new name, too."""
    source, _, _ = small_frames()
    sample = Sample(source)
    made = Threshold("n_words above 30", column="n_words", above=30)
    given = replace(made, name="long reviews")
    numbered = replace(made, name="n_words above 30 (2)")
    project = replace(PROJECT, slices=(made, given, numbered), edges=((made.name, given.name),))
    after = project
    for name in (made.name, given.name, numbered.name):
        after = edits.write_field(after, name, "above", 20, sample)
    assert [rule.name for rule in after.slices] == ["n_words above 20", "long reviews", "n_words above 20 (2)"]
    assert after.edges == (("n_words above 20", "long reviews"),)
