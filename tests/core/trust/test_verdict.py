"""The verdict: green for sound worlds, not green where a violation can be seen, and by its stated rules."""

from __future__ import annotations

import pytest

import mandoline_core as md
from mandoline_core.findings import Finding
from mandoline_core.trust.verdict import CHECKS, judge
from tests.core.made_worlds import DETECTABLE, MadeWorld, concept_drift, sound

ASSUMPTION = "your 2 slices capture the shift"


def verdict(world: MadeWorld) -> md.Verdict:
    """Judge the estimate of a world."""
    found = md.estimate(world.source, world.target, world.slices).verdict
    assert found is not None
    return found


def finding(code: str, severity: str) -> Finding:
    """Make a finding of a code."""
    return Finding(code, severity, f"{code} is so: because.", "Do something.")  # type: ignore[arg-type]


def test_sound_worlds_are_green():
    """At least 18 of 20."""
    found = {seed: verdict(sound(seed)) for seed in range(20)}
    doubted = {seed: said.message for seed, said in found.items() if said.level != "green"}
    assert len(doubted) <= 2, doubted


def test_worlds_with_a_violation_that_shows_are_not_green():
    """At least 18 of 20: no overlap, hidden shift, label shift, tiny slices, corrections that cannot be."""
    missed = []
    for make, n in DETECTABLE:
        for seed in range(n):
            world = make(1_000 + seed)
            if verdict(world).level == "green":
                missed.append((world.violation, seed))
    assert sum(n for _, n in DETECTABLE) == 20
    assert len(missed) <= 2, missed


def test_a_change_of_what_labels_mean_does_not_show_and_the_verdict_says_what_it_assumes():
    """Rows, columns and answers all look the same, so no check can see it; the sentence says what green rests on."""
    for seed in range(4):
        said = verdict(concept_drift(2_000 + seed))
        assert said.level == "green"
        assert said.message.endswith("The interval is honest if your 2 slices capture the shift.")


@pytest.mark.parametrize(
    ("severity", "level", "start"),
    [("info", "green", "Usable:"), ("warning", "amber", "Usable with care:"), ("serious", "red", "Not to be trusted:")],
)
@pytest.mark.parametrize("code", [codes[0] for _, codes in CHECKS.values()])
def test_the_worst_finding_decides(code: str, severity: str, level: str, start: str):
    """Whatever check it speaks of."""
    said = judge([finding(code, severity)], assumption=ASSUMPTION)
    assert said.level == level
    assert said.message.startswith(start)


def test_a_finding_that_no_check_knows_still_counts():
    """A new warning must not slip through to green."""
    assert judge([finding("brand_new", "warning")], assumption=ASSUMPTION).level == "amber"
    assert judge([finding("brand_new", "serious")], assumption=ASSUMPTION).level == "red"


def test_a_check_that_could_not_run_is_never_green():
    """Not knowing is not passing."""
    said = judge([], assumption=ASSUMPTION, not_run={"columns": "There is no other column."})
    assert said.level == "amber"
    assert {check.name: check.state for check in said.checks}["columns"] == "not run"
    assert "There is no other column." in said.message


def test_codes_alone_cannot_be_green():
    """Without columns and answers two checks cannot run."""
    report = md.estimate_from_codes([[1], [-1]] * 500, [1.0, 0.0] * 500, [[1], [-1], [-1]] * 200)
    assert report.verdict is not None
    assert report.verdict.level == "amber"


def test_the_verdict_is_in_every_face():
    """In the JSON, in the text and in the page."""
    world = sound(0)
    report = md.estimate(world.source, world.target, world.slices)
    assert report.as_dict()["verdict"]["level"] == report.verdict.level
    assert report.verdict.message.split(":")[0] in str(report)
    assert report.verdict.level.upper() in report._repr_html_()
