"""The verdict: one traffic light for an estimate, by stated rules from what its checks found.

Red when a check failed: one of its findings is serious. Amber when a check is in doubt (one of its findings is a
warning) or did not run; a check with too few rows to find anything did not run. Green only when every check ran and
none found anything beyond a remark. No check can see whether labels changed their meaning, or whether a slice is
missing that no column shows, so green only says that no check found a problem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mandoline_core.checks.check import CheckRule, NotRun
from mandoline_core.findings import Check, Finding, Verdict, loudest_first, worst_first
from mandoline_core.formatting import counted

PASSED, DOUBTFUL, FAILED, NOT_RUN = "passed", "doubtful", "failed", "not run"
CONFIRMED, GREEN, AMBER, RED = "confirmed", "green", "amber", "red"
_SAID = {DOUBTFUL: ("is in doubt", "are in doubt"), NOT_RUN: ("did not run", "did not run")}  # of one check, of several
_MOST_SAID = 3  # findings of a check


def conclude(rule: CheckRule, findings: Sequence[Finding], missing: NotRun | None = None) -> Check:
    """State the result of a check, by its findings or why it did not run."""
    worst = [finding for finding in worst_first(findings) if finding.severity != "info"]
    if worst:
        state = FAILED if worst[0].severity == "serious" else DOUBTFUL
        words = " ".join(finding.message for finding in worst[:_MOST_SAID])
        return Check(rule.name, rule.question, state, words, worst[0].text)
    if missing is not None:
        return Check(rule.name, rule.question, NOT_RUN, missing.words, missing.headline or missing.words)
    return Check(rule.name, rule.question, PASSED, "No problem found.")


def judge(checks: Sequence[Check], assumption: str, harmless: Mapping[str, str] | None = None) -> Verdict:
    """Judge an estimate by the results of its checks.

    Parameters
    ----------
    assumption : str
        What must hold for the interval to be valid, as the end of "The interval is valid if ...".
    harmless : mapping of str to str, optional
        Columns marked as irrelevant, and why.

    Examples
    --------
    >>> doubt = Check("slices", "Is every slice informative?", "doubtful", "", "Slice 'a' is tiny.")
    >>> print(judge([doubt], "your 4 slices capture the shift.").message)
    Usable with care: the interval is valid if your 4 slices capture the shift. Slice 'a' is tiny.
    """
    states = {check.state for check in checks}
    level = RED if FAILED in states else AMBER if states & {DOUBTFUL, NOT_RUN} else GREEN
    doubts = _doubts(checks)
    return Verdict(level, _reason(level, assumption, doubts), tuple(checks), assumption, doubts, harmless or {})


def _doubts(checks: Sequence[Check]) -> str:
    worst = loudest_first(checks)
    if not worst:
        return ""
    if failed := sum(check.state == FAILED for check in worst):
        return f"{counted(failed, 'check')} failed. {worst[0].headline}"
    return f"{worst[0].headline}{_others(worst[1:])}"


def _reason(level: str, assumption: str, doubts: str) -> str:
    if level == RED:
        return doubts
    if level == GREEN:
        return f"no check found a problem. The interval is valid if {assumption}"
    return f"the interval is valid if {assumption} {doubts}"


def _others(checks: Sequence[Check]) -> str:
    """Count the checks that did not pass, by state; nothing if absent.

    >>> _others([Check("a", "Is it?", state, "") for state in ("doubtful", "doubtful", "not run")])
    ' 2 more checks are in doubt, 1 did not run.'
    """
    parts: list[str] = []
    for state, (one, several) in _SAID.items():
        n = sum(check.state == state for check in checks)
        if n:
            what = f"{n}" if parts else counted(n, "more check")
            parts.append(f"{what} {one if n == 1 else several}")
    return f" {', '.join(parts)}." if parts else ""
