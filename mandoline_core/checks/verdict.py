"""The verdict: one traffic light for an estimate, by stated rules from what its checks found.

Red when a check failed: one of its findings is serious. Amber when a check is in doubt (one of its findings is a
warning) or could not run; one that so few rows would let pass whatever is so, did not run. Green only when every check
ran and none found anything beyond a remark. No check sees whether labels changed their meaning, or whether a slice is
missing that no column speaks of, so green says no more than that nothing speaks against the estimate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mandoline_core.checks.check import CheckRule, NotRun
from mandoline_core.findings import NOT_PASSED, Check, Finding, Verdict, loudest_first, worst_first
from mandoline_core.formatting import Sentence, counted, together

PASSED, DOUBTFUL, FAILED, NOT_RUN = "passed", "doubtful", "failed", "not run"
GREEN, AMBER, RED = "green", "amber", "red"
# How one check or several are said to be in a state other than passed.
_SAID = {
    FAILED: ("failed", "failed"),
    DOUBTFUL: ("is in doubt", "are in doubt"),
    NOT_RUN: ("could not run", "could not run"),
}
_MOST_SAID = 3  # findings of a check


def conclude(rule: CheckRule, findings: Sequence[Finding], missing: NotRun | None = None) -> Check:
    """Say what became of a check, by its findings and what stood in its way."""
    worst = [finding for finding in worst_first(findings) if finding.severity != "info"]
    if worst:
        state = FAILED if worst[0].severity == "serious" else DOUBTFUL
        words = together(finding.message for finding in worst[:_MOST_SAID])
        return Check(rule.name, rule.question, state, words, worst[0].headline)
    if missing is not None:
        return Check(rule.name, rule.question, NOT_RUN, missing.words, missing.headline or missing.words)
    return Check(rule.name, rule.question, PASSED, "Nothing found.")


def judge(checks: Sequence[Check], assumption: str, harmless: Mapping[str, str] | None = None) -> Verdict:
    """Judge an estimate by what became of its checks.

    Parameters
    ----------
    assumption : str
        What must hold for the interval to be honest, as the end of "The interval is honest if ...".
    harmless : mapping of str to str, optional
        Columns whose change a person declared not to matter, and why.

    Examples
    --------
    >>> doubt = Check("slices", "Does every slice say something?", "doubtful", "", "Slice 'a' is tiny.")
    >>> print(judge([doubt], "your 4 slices capture the shift.").message)
    Usable with care: the interval is honest if your 4 slices capture the shift. Slice 'a' is tiny.
    """
    states = {check.state for check in checks}
    level = RED if FAILED in states else AMBER if states & {DOUBTFUL, NOT_RUN} else GREEN
    doubts = _doubts(checks)
    return Verdict(level, _reason(level, assumption, doubts), tuple(checks), assumption, doubts, harmless or {})


def _doubts(checks: Sequence[Check]) -> str:
    loud = loudest_first(checks)
    return Sentence("{first}{others}", first=loud[0].headline, others=_others(loud[1:])) if loud else ""


def _reason(level: str, assumption: str, doubts: str) -> str:
    if level == RED:
        return doubts
    said = {
        GREEN: "nothing that can be checked speaks against it. The interval is honest if {assumption}",
        AMBER: "the interval is honest if {assumption} {doubts}",
    }
    return Sentence(said[level], assumption=assumption, doubts=doubts)


def _others(checks: Sequence[Check]) -> str:
    """Count the checks that did not pass, by state; nothing where there are none.

    >>> states = ("failed", "doubtful", "doubtful", "not run")
    >>> _others([Check("a", "Is it?", state, "") for state in states])
    ' 1 more check failed, 2 are in doubt, 1 could not run.'
    """
    parts: list[str] = []
    for state in NOT_PASSED:
        one, several = _SAID[state]
        n = sum(check.state == state for check in checks)
        if n:
            what = f"{n}" if parts else counted(n, "more check")
            parts.append(f"{what} {one if n == 1 else several}")
    return f" {', '.join(parts)}." if parts else ""
