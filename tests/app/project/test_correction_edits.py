"""Edits of corrections and pairs change what they name, on whatever the project holds by then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.project import edits
from app.project.differences import lost
from mandoline_core import Correction, Noise, Project, ProjectError, load_project
from tests.core.projects import REVIEWS

PROJECT = replace(load_project(REVIEWS), edges=())
PAIR = ("negation", "short")


def noise_of(project: Project, name: str) -> Noise | None:
    return edits.find_slice(project, name).noise


@pytest.mark.parametrize("sure", edits.PRESETS)
def test_a_preset_is_known_by_its_numbers_and_leaves_the_new_data_alone(sure: str) -> None:
    own = Noise(Correction(0.8, 0.1), target=Correction(0.7, 0.2))
    changed = edits.set_preset(edits.set_noise(PROJECT, "slang", own), "slang", sure, Correction())
    assert edits.preset_of(edits.find_slice(changed, "slang")) == sure
    assert edits.way(edits.find_slice(changed, "slang")) == "separate"
    assert noise_of(changed, "slang").target == own.target


def test_without_a_column_of_true_answers_what_was_measured_on_it_goes_and_what_was_stated_stays() -> None:
    gold = edits.set_gold(PROJECT, "slang", "truly")
    stated = edits.set_noise(gold, "slang", Noise(Correction(0.8)))
    assert noise_of(edits.set_gold(stated, "slang", None), "slang") == Noise(Correction(0.8))
    measured = edits.set_noise(gold, "slang", Noise(measured=True, same=True))
    assert noise_of(edits.set_gold(measured, "slang", "other"), "slang").measured
    assert edits.set_gold(measured, "slang", None) == PROJECT


def test_corrections_are_copied_to_slices_that_are_still_there_unless_they_were_measured() -> None:
    sure = Noise(Correction(0.9, 0.05), same=True)
    copied = edits.copy_corrections(edits.set_noise(PROJECT, "slang", sure), "slang", ["short", "gone"])
    assert [noise_of(copied, name) for name in ("negation", "short", "slang")] == [None, sure, sure]
    measured = edits.set_noise(edits.set_gold(PROJECT, "slang", "truly"), "slang", Noise(measured=True))
    with pytest.raises(ProjectError, match="measured on its own rows, so they cannot be copied"):
        edits.copy_corrections(measured, "slang", ["short"])


def test_pairs_are_joined_and_parted_one_by_one() -> None:
    """Whichever comes first, and twice the same, changes nothing for the others."""
    both = edits.join(edits.join(PROJECT, *PAIR), "slang", "entropy_2")
    assert both.edges == (PAIR, ("slang", "entropy_2"))
    assert set(map(frozenset, edits.join(both, *PAIR[::-1]).edges)) == set(map(frozenset, both.edges))
    assert edits.part(both, *PAIR[::-1]).edges == (("slang", "entropy_2"),)
    assert edits.part(PROJECT, *PAIR) == PROJECT


def test_pairs_that_tests_choose_are_not_joined_by_hand() -> None:
    with pytest.raises(ProjectError, match="are chosen by tests"):
        edits.join(replace(PROJECT, edges="auto"), *PAIR)


def test_two_people_may_audit_one_slice_at_once() -> None:
    """Neither loses an answer; who answers otherwise about the same row is told."""
    columns = ("text",)
    mine, theirs = (edits.answer_row(PROJECT, "slang", columns, "source", key, "truly_in") for key in ("aa", "bb"))
    both = edits.answer_row(theirs, "slang", columns, "source", "aa", "truly_in")
    assert lost(PROJECT, theirs, both) == ""
    assert edits.find_slice(both, "slang").audit.source.truly_in == ("aa", "bb")
    otherwise = edits.answer_row(mine, "slang", columns, "source", "aa", "truly_out")
    assert lost(PROJECT, mine, otherwise) == "slice 'slang'"


def test_answers_are_used_for_the_samples_that_have_some() -> None:
    """What was said of the other sample stays, and Reset keeps the answers."""
    audited = edits.answer_row(PROJECT, "slang", ("text",), "target", "aa", "truly_in")
    stated = edits.set_noise(audited, "slang", Noise(Correction(0.8), same=True))
    used = edits.use_audit(stated, "slang", ["target"])
    assert noise_of(used, "slang") == Noise(Correction(0.8), target_measured=True)
    assert edits.way(edits.find_slice(used, "slang")) == "measured"
    assert edits.set_way(used, "slang", "same", Correction()) == stated
    assert edits.find_slice(edits.set_noise(used, "slang", None), "slang").audit is not None
