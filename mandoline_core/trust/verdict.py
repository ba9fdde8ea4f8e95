"""The verdict: one traffic light for an estimate, by stated rules from what its checks found.

Red when a check failed: one of its findings is serious. Amber when a check is in doubt (one of its findings is a
warning) or could not run. Green only when every check ran and none found anything beyond a remark. No check sees
whether labels changed their meaning, or whether a slice is missing that no column speaks of, so green says no more
than that nothing speaks against the estimate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mandoline_core.findings import Check, Finding, Verdict
from mandoline_core.formatting import counted

PASSED, DOUBTFUL, FAILED, NOT_RUN = "passed", "doubtful", "failed", "not run"
GREEN, AMBER, RED = "green", "amber", "red"
# States other than passed, the worst first, and how one check or several are said to be in them.
_NOT_PASSED = {
    FAILED: ("failed", "failed"),
    DOUBTFUL: ("is in doubt", "are in doubt"),
    NOT_RUN: ("could not run", "could not run"),
}
_STATISTIC = re.compile(r" \(z = [^)]*\)")
_LONG = 170  # characters of a sentence that is to be read at a glance

# Each check, the question it answers, and the findings that speak of it.
CHECKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fit": (
        "Could the weights be fitted?",
        ("not_converged", "bootstrap_failures", "box_reached", "denoised_outside_bounds", "optimality_gap"),
    ),
    "rows": ("Are there enough rows?", ("few_source_rows", "few_target_rows", "rows_without_score")),
    "overlap": ("Does the labelled data have rows like the new ones?", ("set_aside", "unseen_patterns")),
    "weights": ("Do enough rows carry the estimate?", ("few_effective_rows", "heavy_tail")),
    "slices": (
        "Does every slice say something?",
        ("tiny_slice", "constant_slice", "much_abstention", "duplicate_slice"),
    ),
    "pairs": ("Do pairs of slices match?", ("unmodelled_pair",)),
    "corrections": (
        "Can the corrections be right?",
        ("corrections_not_derivable", "derived_rate_outside", "mistakes_matter"),
    ),
    "columns": ("Do the other columns match?", ("unmodelled_shift",)),
    "answers": (
        "Do the model's answers match?",
        ("predicted_classes_shift", "confidence_shift", "prediction_not_most_probable"),
    ),
    "labels": ("Do the labels that arrived agree?", ("slices_do_not_explain",)),
}


def judge(
    findings: Sequence[Finding], *, assumption: str, not_run: Mapping[str, str] | None = None, skip: Sequence[str] = ()
) -> Verdict:
    """Judge an estimate by its findings.

    Parameters
    ----------
    assumption : str
        What must hold for the interval to be honest, as the end of "The interval is honest if ...".
    not_run : mapping of str to str
        Checks that could not run, and why.
    skip : sequence of str
        Checks that the method has no use for.

    Examples
    --------
    >>> judge([], assumption="your 4 slices capture the shift").level
    'green'
    >>> found = Finding("tiny_slice", "warning", "Slice 'a' has 2 source rows inside it.", "Widen its rule.")
    >>> verdict = judge([found], assumption="your 4 slices capture the shift")
    >>> verdict.level, verdict.message.split(":")[0]
    ('amber', 'Usable with care')
    """
    missing = not_run or {}
    checks = tuple(
        _check(name, question, [finding for finding in findings if finding.code in codes], missing.get(name))
        for name, (question, codes) in CHECKS.items()
        if name not in skip
    )
    covered = {code for name, (_, codes) in CHECKS.items() if name not in skip for code in codes}
    others = [finding for finding in findings if finding.code not in covered and finding.severity != "info"]
    if others:
        checks = (*checks, _check("other", "Is there anything else?", others, None))
    states = {check.state for check in checks}
    level = RED if FAILED in states else AMBER if states & {DOUBTFUL, NOT_RUN} else GREEN
    return Verdict(level, _message(level, checks, assumption), checks)


def _check(name: str, question: str, findings: list[Finding], missing: str | None) -> Check:
    worst = [finding for severity in ("serious", "warning") for finding in findings if finding.severity == severity]
    if worst:
        state = FAILED if worst[0].severity == "serious" else DOUBTFUL
        return Check(name, question, state, " ".join(finding.message for finding in worst[:3]))
    if missing is not None:
        return Check(name, question, NOT_RUN, missing)
    return Check(name, question, PASSED, "Nothing found.")


def _message(level: str, checks: tuple[Check, ...], assumption: str) -> str:
    if level == GREEN:
        return f"Usable: nothing that can be checked speaks against it. The interval is honest if {assumption}."
    doubts = [check for state in _NOT_PASSED for check in checks if check.state == state]
    said = f"{_in_short(doubts[0].words)}{_others(doubts[1:])}"
    if level == RED:
        return f"Not to be trusted: {said}"
    return f"Usable with care: the interval is honest if {assumption}. {said}"


def _others(checks: Sequence[Check]) -> str:
    """Count the checks that did not pass, by state; nothing where there are none.

    >>> states = ("failed", "doubtful", "doubtful", "not run")
    >>> _others([Check("a", "Is it?", state, "") for state in states])
    ' 1 more check failed, 2 are in doubt, 1 could not run.'
    """
    parts: list[str] = []
    for state, (one, several) in _NOT_PASSED.items():
        n = sum(check.state == state for check in checks)
        if n:
            what = f"{n}" if parts else counted(n, "more check")
            parts.append(f"{what} {one if n == 1 else several}")
    return f" {', '.join(parts)}." if parts else ""


def _in_short(words: str) -> str:
    """Cut a finding's message after its first sentence, or at a colon where that is long; leave out test statistics.

    Quotes and brackets stay whole.

    >>> _in_short("3.5% of rows (a: b) are off (z = -6.5): look. The rest is not.")
    '3.5% of rows (a: b) are off: look.'
    >>> _in_short(f"The mean is off: {'1 ' * 100}. The rest is not.")
    'The mean is off.'
    """
    first = _STATISTIC.sub("", words[: _end(words, ".")])
    if len(first) > _LONG:
        first = first[: _end(first, ":")]
    return f"{first.rstrip('.')}."


def _end(words: str, mark: str) -> int:
    """Find where the first part ends: before a mark and a space that stand outside quotes and brackets."""
    depth, quoted = 0, False
    for place, letter in enumerate(words[:-1]):
        depth += (letter == "(") - (letter == ")")
        if letter == "'" and (quoted or place == 0 or words[place - 1] in " ("):
            quoted = not quoted
        if letter == mark and words[place + 1] == " " and depth == 0 and not quoted:
            return place
    return len(words)
