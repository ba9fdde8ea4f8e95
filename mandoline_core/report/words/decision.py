"""The decision: whether an estimate meets the threshold of its project, in plain text, for every face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mandoline_core.checks import ModelReport
from mandoline_core.formatting import show_ends, show_value
from mandoline_core.metrics import BEYOND, is_worse, show_limit
from mandoline_core.pipeline import is_share
from mandoline_core.project import DecisionSettings

State = Literal["met", "missed", "open", "barred"]
STATES: dict[State, str] = {
    "met": "Threshold met",
    "missed": "Threshold missed",
    "open": "Too close to call",
    "barred": "No decision yet",
}
ABOUT = {
    "model": "Model",
    "version": "Version",
    "intended_use": "Intended use",
    "period": "Period of the new data",
    "owner": "Owner",
    "author": "Author",
}  # what the project says of the decision, in the order it is shown
_LIMIT = {"higher": "at least", "lower": "at most", "near 0": "no farther from 0 than"}


@dataclass(frozen=True)
class Decision:
    """Hold whether an estimate meets the threshold.

    Parameters
    ----------
    state : {"met", "missed", "open", "barred"}
        "open" where the interval contains the threshold; "barred" where the estimate must not be quoted.
    rule : str
        What the threshold requires: "accuracy of at least 80.0%".
    words : str
        The answer, in whole sentences.
    """

    state: State
    rule: str
    words: str

    @property
    def title(self) -> str:
        """The state in a few words."""
        return STATES[self.state]


def decide(report: ModelReport, threshold: float | None) -> Decision | None:
    """Compare an estimate with a threshold; None without one.

    The whole interval must be on one side: an estimate just above the threshold decides nothing.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> report = estimate_from_codes([[1], [-1]] * 200, [1.0, 0.0] * 200, [[1]] * 300 + [[-1]] * 100).first
    >>> decide(report, 0.7).words
    'The whole interval (70.5 to 79.0) is on the right side of the threshold, 70.0%.'
    >>> decide(report, 0.75).state, decide(report, 0.9).state
    ('open', 'missed')
    """
    if threshold is None:
        return None
    metric = report.problem.metric
    limit = show_limit(threshold, metric)
    rule = f"{metric.spoken} of {_LIMIT[metric.better]} {limit}"
    if not report.converged or report.is_red:
        why = "There is no estimate." if not report.converged else "A check failed, so the estimate cannot decide."
        return Decision("barred", rule, f"{why} Threshold: {rule}.")
    ends = show_ends(report.interval, share=is_share(report))
    missed = [is_worse(end, threshold, metric) for end in report.interval]
    if metric.better == "near 0" and report.interval[0] < -abs(threshold) and report.interval[1] > abs(threshold):
        missed = [True, False]  # the interval contains 0, which would do, and much that would not
    if not any(missed):
        return Decision("met", rule, f"The whole interval ({ends}) is on the right side of the threshold, {limit}.")
    if all(missed):
        beyond = BEYOND[metric.better]
        return Decision("missed", rule, f"The whole interval ({ends}) is {beyond} the threshold, {limit}.")
    value = show_value(report.estimate, share=is_share(report))
    side = "misses" if is_worse(report.estimate, threshold, metric) else "meets"
    words = f"The estimate, {value}, {side} the threshold, {limit}, but the interval ({ends}) contains it."
    return Decision("open", rule, f"{words} Labels of some new rows would make the interval shorter.")


def about(decision: DecisionSettings) -> list[tuple[str, str]]:
    """List what the project says of the decision, each with its name; what it does not say is left out."""
    return [(title, said) for key, title in ABOUT.items() if (said := getattr(decision, key))]
