"""The second opinion on a report: what to say where slices explain the change, and where they do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mandoline_core.arrays import Interval
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.estimators import Cot, Mandoline, SecondOpinion
from mandoline_core.findings import Finding
from mandoline_core.formatting import Sentence, show_interval
from mandoline_core.pipeline import Fit, fit_for, interval_of, is_share


@dataclass(frozen=True)
class SecondOpinionOn:
    """Hold the second opinion on an estimate; the estimate itself stays what it is.

    Parameters
    ----------
    estimate, interval : float, pair of floats
        Mandoline's where its verdict is green or amber; where it is red the model's own confidence (COT), with an
        interval that spans both.
    follows : {"mandoline", "cot"}
        Whose number it is.
    finding : Finding
        What both say.
    share : bool
        Whether the metric is a share.
    """

    estimate: float
    interval: Interval
    follows: str
    finding: Finding
    share: bool

    @property
    def message(self) -> Sentence:
        """What the second opinion is, and why; where it is not the estimate itself, with its interval."""
        if self.follows == Mandoline.name:
            return self.finding.message
        said = show_interval(self.estimate, self.interval, share=self.share)
        return Sentence("{why} The second opinion spans both: {said}.", why=self.finding.message, said=said)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "estimate": self.estimate,
            "interval": list(self.interval),
            "follows": self.follows,
            "mandoline": self.finding.numbers["weighted"],
            "cot": self.finding.numbers["confident"],
            "message": self.message,
        }


def second_opinion_on(report: ModelReport, draw: Fit | None = None) -> SecondOpinionOn | None:
    """Ask for a second opinion on Mandoline's estimate; None where there is none to be had.

    It needs a model with class probabilities, and a metric that is accuracy or error.

    Parameters
    ----------
    draw : Fit, optional
        Of the rows in memory, where rows stay in a table: probabilities are of rows.
    """
    if report.estimator != Mandoline.name or report.verdict is None or not report.converged:
        return None
    method, confident = SecondOpinion(report.verdict.level), Cot()
    problem = fit_for(method, report.fit, draw).problem
    if method.reason(problem) is not None:
        return None
    # Mandoline has answered already, unless that was on more rows than probabilities are at hand of.
    weighted = report.outcome if problem is report.problem else Mandoline().estimate(problem)
    outcome = method.weigh(weighted, confident.estimate(problem))
    finding = next(one for one in outcome.findings if one.code == method.name)
    follows = "cot" if outcome.spanned else Mandoline.name
    interval = interval_of(problem, outcome, report.settings.confidence) if outcome.spanned else report.interval
    value = outcome.value if outcome.spanned else report.estimate
    return SecondOpinionOn(value, interval, follows, finding, is_share(report))
