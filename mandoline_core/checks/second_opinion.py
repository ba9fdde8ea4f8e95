"""The second opinion on a report: what other methods say that pass their self-test, and whose number to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mandoline_core.arrays import Interval
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import VOICES, Cot, Mandoline, Outcome, SecondOpinion
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_interval, show_points
from mandoline_core.pipeline import Fit, fit_for, interval_of, is_share, self_test


@dataclass(frozen=True)
class SecondOpinionOn:
    """Hold the second opinion on an estimate; the estimate itself stays what it is.

    Parameters
    ----------
    estimate, interval : float, pair of floats
        Mandoline's where its verdict is green or amber; where it is red, of the first method that passes its self-test
        (doubly robust, as a rule), with an interval that covers all that pass.
    follows : str
        The method whose number it is.
    methods : mapping of str to float
        The estimates of the methods that pass their self-test.
    left_out : mapping of str to str
        Methods that are not heard, and why.
    finding : Finding
        What they say.
    share : bool
        Whether the metric is a share.
    """

    estimate: float
    interval: Interval
    follows: str
    methods: Mapping[str, float]
    left_out: Mapping[str, str]
    finding: Finding
    share: bool

    @property
    def message(self) -> str:
        """The second opinion and its reason; with its interval if it covers several methods."""
        if self.finding.severity == "info" or not self.methods:
            return self.finding.message
        said = show_interval(self.estimate, self.interval, share=self.share)
        return f"{self.finding.message} An interval that covers them all: {said}."

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        values = self.methods.values()
        return {
            "estimate": self.estimate,
            "interval": list(self.interval),
            "follows": self.follows,
            "range": [min(values), max(values)] if values else None,
            "methods": dict(self.methods),
            "left_out": dict(self.left_out),
            "mandoline": self.finding.numbers["weighted"],
            "cot": self.methods.get(Cot.name),
            "message": self.message,
        }


def hear(fit: Fit, confidence: float) -> tuple[dict[str, Outcome], dict[str, str]]:
    """Ask every method that may be heard; return what those say that pass their self-test, and why others are left out.

    Parameters
    ----------
    fit : Fit
        Of rows in memory.
    """
    heard, left_out, problem = {}, {}, fit.problem
    for name, voice in VOICES.items():
        try:
            voice.check(problem)
            outcome = voice.estimate(problem)
        except MandolineError as error:
            left_out[name] = str(error)
            continue
        tested = self_test(fit, voice)
        if isinstance(tested, str):
            left_out[name] = f"Not self-tested. {tested}"
        elif tested.judged(outcome.value, interval_of(problem, outcome, confidence)).failed:
            off = show_points(tested.bias, share=problem.metric.share)
            left_out[name] = f"Fails its self-test: off by {off} on the labelled data alone."
        else:
            heard[name] = outcome
    return heard, left_out


def second_opinion_on(report: ModelReport, draw: Fit | None = None) -> SecondOpinionOn | None:
    """Ask for a second opinion on Mandoline's estimate; None if absent.

    It needs a model with class probabilities, and a metric that is accuracy or error.

    Parameters
    ----------
    draw : Fit, optional
        Of the rows in memory, where rows stay in a table: probabilities are of rows.
    """
    if report.estimator != Mandoline.name or report.verdict is None or not report.converged:
        return None
    used = fit_for(SecondOpinion(), report.fit, draw)
    problem = used.problem
    if SecondOpinion(report.verdict.level).reason(problem) is not None:
        return None
    heard, left_out = hear(used, report.settings.confidence)
    # Mandoline has answered already, unless that was on more rows than probabilities are at hand of.
    weighted = report.outcome if problem is report.problem else Mandoline().estimate(problem)
    outcome = SecondOpinion(report.verdict.level, tuple(heard)).weigh({**heard, Mandoline.name: weighted})
    finding = next(one for one in outcome.findings if one.code == SecondOpinion.name)
    values = {name: one.value for name, one in heard.items()}
    share, moved = is_share(report), report.is_red and bool(heard)
    interval = interval_of(problem, outcome, report.settings.confidence) if moved else report.interval
    value, follows = (outcome.value, next(iter(heard))) if moved else (report.estimate, Mandoline.name)
    return SecondOpinionOn(value, interval, follows, values, left_out, finding, share)
