"""The verdict: green for sound worlds, not green where a violation can be seen, and by its stated rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core.checks.check import CheckRule, NotRun
from mandoline_core.checks.checks import CHECKS
from mandoline_core.checks.verdict import conclude, judge
from mandoline_core.findings import Finding, Severity
from tests.core.made_worlds import DETECTABLE, MadeWorld, concept_drift, sound

CORE = Path(md.__file__).parent
ASSUMPTION = "your 2 slices capture the shift."


def written_findings() -> Iterator[list[ast.expr]]:
    """Go through what findings are made of, wherever the core makes one."""
    for path in CORE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Finding":
                yield node.args


def last_of(sentence: ast.expr) -> object:
    """Return the last part of a text as it is written."""
    part = sentence.values[-1] if isinstance(sentence, ast.JoinedStr) else sentence
    return part.value if isinstance(part, ast.Constant) else None


def verdict(world: MadeWorld) -> md.Verdict:
    """Judge the estimate of a world."""
    found = md.estimate(world.source, world.target, world.slices).verdict
    assert found is not None
    return found


def finding(check: str, severity: Severity) -> Finding:
    """Make a finding of a check."""
    return Finding(check, "brand_new", severity, "It is so.", "Do something.", "Because it is.")


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
        assert said.message.endswith("The interval is valid if your 2 slices capture the shift.")


@pytest.mark.parametrize(
    ("severity", "level", "start"),
    [("info", "green", "Usable:"), ("warning", "amber", "Usable with care:"), ("serious", "red", "Do not quote yet:")],
)
@pytest.mark.parametrize("rule", CHECKS, ids=lambda rule: rule.name)
def test_the_worst_finding_decides(rule: CheckRule, severity: Severity, level: str, start: str):
    """Whatever check it speaks of; at a glance the headline is enough."""
    checks = [conclude(one, [finding(rule.name, severity)] if one is rule else []) for one in CHECKS]
    said = judge(checks, ASSUMPTION)
    assert said.level == level
    assert said.message.startswith(start)
    assert said.message.endswith("capture the shift." if level == "green" else "It is so.")
    assert [check.words for check in checks if check.state != "passed"] == ["It is so. Because it is."] * (
        level != "green"
    )


def test_a_check_that_could_not_run_is_never_green():
    """Not knowing is not passing."""
    (columns,) = (rule for rule in CHECKS if rule.name == "columns")
    said = judge([conclude(columns, [], NotRun("There is no other column."))], ASSUMPTION)
    assert said.level == "amber"
    assert {check.name: check.state for check in said.checks}["columns"] == "not run"
    assert "There is no other column." in said.message


def test_every_finding_belongs_to_one_check():
    """It names a check that is asked, and no two checks have a code in common."""
    written = [args[:2] for args in written_findings() if all(isinstance(part, ast.Constant) for part in args[:2])]
    pairs = {tuple(ast.literal_eval(part) for part in pair) for pair in written}
    assert len(pairs) > 40
    names = {rule.name for rule in CHECKS} | {"choice"}  # which is no part of the verdict
    assert {check for check, _ in pairs} <= names
    assert len({code for _, code in pairs}) == len(pairs)


def test_every_sentence_of_a_finding_ends():
    """Its text, its remedy and its detail stand side by side."""
    ends = [end for args in written_findings() for part in args[3:6] if (end := last_of(part))]
    assert len(ends) > 80
    assert [end for end in ends if not str(end).endswith(".")] == []


def test_codes_alone_cannot_be_green():
    """Without columns their check cannot run."""
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
