"""Damaged inputs through the command line: a sentence or an answer; `make fuzz` runs ten times as many."""

from __future__ import annotations

import pytest

from tests.fuzz.cases import CASES
from tests.fuzz.inputs import MAKERS, Input, make_input
from tests.fuzz.judging import judge, run_input
from tests.fuzz.running import SHARES, keep_failures, run_many, table
from tests.fuzz.seeds import OTHERS, SLICES, WHOLE, csv_files, project
from tests.fuzz.worker import SECONDS

N_INPUTS = 2_000
UNSOLVED = (
    '{{"models": {{"m": {{"estimate": {value}, "interval": {value}, "converged": false, '
    '"findings": [{{"code": "{code}"}}], "verdict": {{"level": "{level}"}}}}}}}}'
)


@pytest.mark.parametrize("kind", SHARES)
def test_damaged_inputs_get_a_sentence_or_an_answer(kind: str) -> None:
    """Some of each: were all refused, nothing behind the reading would have been tried."""
    tallies = run_many({kind: N_INPUTS * SHARES[kind] // sum(SHARES.values())})
    kept = keep_failures(tallies)
    assert not kept, "\n".join([table(tallies), *map(str, kept)])
    tally = tallies[kind]
    assert tally.inputs >= N_INPUTS // 10
    assert min(tally.told, tally.answered) > 0.04 * tally.inputs, table(tallies)


@pytest.mark.parametrize("name", CASES)
def test_what_once_failed_is_told_or_answered(name: str) -> None:
    """In seconds, and with nothing else on standard error."""
    outcome = run_input(CASES[name]())
    assert outcome.failure == ""
    assert outcome.seconds < SECONDS


@pytest.mark.parametrize("part", [WHOLE, *map(project, (SLICES, *OTHERS))])
def test_what_is_damaged_was_whole(part: str) -> None:
    """Or else every input would be refused for the same reason."""
    outcome = run_input(Input(csv_files() | {"project.toml": part.encode()}, ("estimate", "project.toml", "--json")))
    assert (outcome.failure, outcome.answered) == ("", True)


def test_an_input_is_always_the_same() -> None:
    """Or else no failure could be looked at."""
    for kind in MAKERS:
        assert make_input(1, kind, 3) == make_input(1, kind, 3)
        assert make_input(1, kind, 3) != make_input(2, kind, 3)


@pytest.mark.parametrize(
    ("code", "out", "err", "failure"),
    [
        (2, "", "mandoline: One sentence.\n", ""),
        (2, "", "Traceback\nmandoline: x\n", "not one sentence"),
        (2, "", "", "not one sentence"),
        (2, "x", "mandoline: One sentence.\n", "an error, and yet output"),
        (2, "", "mandoline: \x1b[31m\n", "control characters"),
        (3, "", "", "exit code 3"),
        (0, '{"models": {"m": {"estimate": 0.5, "interval": [0.4, 0.6]}}}', "", ""),
        (0, '{"models": {"m": {"estimate": 0.5, "interval": [0.4, 0.6]}}}', "UserWarning: x\n", "on standard error"),
        (0, '{"models": {"m": {"estimate": NaN, "interval": [0.4, 0.6]}}}', "", "NaN in JSON"),
        (0, '{"models": {"m": {"estimate": 1e999, "interval": [0.4, 0.6]}}}', "", "beyond a float"),
        (0, '{"models": {"m": {"estimate": 0.9, "interval": [0.4, 0.6]}}}', "", "outside of its interval"),
        (0, UNSOLVED.format(value="null", code="x", level="red"), "", "did not converge"),
        (0, UNSOLVED.format(value="null", code="not_converged", level="green"), "", "did not converge"),
        (0, UNSOLVED.format(value="1", code="not_converged", level="red"), "", "did not converge"),
        (0, UNSOLVED.format(value="null", code="not_converged", level="red"), "", ""),
    ],
)
def test_the_judge_sees_what_is_wrong(code: int, out: str, err: str, failure: str) -> None:
    """A judge that lets everything pass would find nothing."""
    found = judge(("estimate", "project.toml", "--json"), code, out, err)
    assert failure in found
    assert bool(found) == bool(failure)
