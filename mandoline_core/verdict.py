"""The verdict: one traffic light for an estimate, by stated rules from what its checks found.

Red when a check failed: one of its findings is serious. Amber when a check is in doubt (one of its findings is a
warning) or could not run. Green only when every check ran and none found anything beyond a remark. No check sees
whether labels changed their meaning, or whether a slice is missing that no column speaks of, so green says no more
than that nothing speaks against the estimate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mandoline_core.errors import counted
from mandoline_core.findings import Finding

PASSED, DOUBTFUL, FAILED, NOT_RUN = "passed", "doubtful", "failed", "not run"
GREEN, AMBER, RED = "green", "amber", "red"

# Each check, the question it answers, and the findings that speak of it.
CHECKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fit": (
        "Could the weights be fitted?",
        ("not_converged", "bootstrap_failures", "box_reached", "denoised_outside_bounds", "optimality_gap"),
    ),
    "rows": ("Are there enough rows?", ("few_source_rows", "few_target_rows", "rows_without_score")),
    "overlap": ("Does the labelled data have rows like the new ones?", ("set_aside", "unseen_patterns")),
    "weights": ("Does no handful of rows decide?", ("few_effective_rows", "heavy_tail")),
    "slices": (
        "Does every slice say something?",
        ("tiny_slice", "constant_slice", "much_abstention", "duplicate_slice"),
    ),
    "pairs": ("Do pairs of slices match after weighting?", ("unmodelled_pair",)),
    "corrections": (
        "Can the corrections be right?",
        ("corrections_not_derivable", "derived_rate_outside", "mistakes_matter"),
    ),
    "columns": ("Do the other columns match after weighting?", ("unmodelled_shift",)),
    "answers": (
        "Do the model's answers match after weighting?",
        ("predicted_classes_shift", "confidence_shift", "prediction_not_most_probable"),
    ),
    "labels": ("Do the labels that arrived agree?", ("labels_disagree",)),
}


@dataclass(frozen=True)
class Check:
    """Hold one check.

    Parameters
    ----------
    name, question : str
    state : {"passed", "doubtful", "failed", "not run"}
    words : str
        What was found, or why it could not run.
    """

    name: str
    question: str
    state: str
    words: str


@dataclass(frozen=True)
class Verdict:
    """Hold the traffic light, its sentence, and the checks behind it.

    Parameters
    ----------
    level : {"green", "amber", "red"}
    message : str
    checks : tuple of Check
    """

    level: str
    message: str
    checks: tuple[Check, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return asdict(self)


def judge(
    findings: Sequence[Finding], *, assumption: str, not_run: Mapping[str, str] | None = None, skip: Sequence[str] = ()
) -> Verdict:
    """Judge an estimate by its findings.

    Parameters
    ----------
    findings : sequence of Finding
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
    doubts = [check for check in checks if check.state in (FAILED, DOUBTFUL, NOT_RUN)]
    if level == GREEN:
        return f"Usable: nothing that can be checked speaks against it. The interval is honest if {assumption}."
    order = {FAILED: 0, DOUBTFUL: 1, NOT_RUN: 2}
    doubts.sort(key=lambda check: order[check.state])
    first = _in_short(doubts[0].words)
    more = (
        f" {counted(len(doubts) - 1, 'more check')} {'is' if len(doubts) == 2 else 'are'} in doubt."
        if doubts[1:]
        else ""
    )
    if level == RED:
        return f"Not to be trusted: {first}{more}"
    return f"Usable with care: the interval is honest if {assumption}. {first}{more}"


def _in_short(words: str) -> str:
    """Cut a finding's message at its first full stop or colon, outside quotes and brackets.

    >>> _in_short("3.5% of rows (a: b) are off: look. The rest is not.")
    '3.5% of rows (a: b) are off.'
    """
    depth, quoted = 0, False
    for place, letter in enumerate(words[:-1]):
        depth += (letter == "(") - (letter == ")")
        if letter == "'" and (quoted or place == 0 or words[place - 1] in " ("):
            quoted = not quoted
        if letter in ".:" and words[place + 1] == " " and depth == 0 and not quoted:
            return f"{words[:place]}."
    return words
