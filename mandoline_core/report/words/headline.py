"""The headline of a report: as much of the number as its verdict allows, in plain text, for every face."""

from __future__ import annotations

from dataclasses import dataclass

from mandoline_core.checks import ModelReport
from mandoline_core.formatting import say, show_ends, show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report.words.vocabulary import PLAIN

UNJUDGED = "unjudged"


@dataclass(frozen=True)
class Headline:
    """Hold what is said of an estimate at first sight; every part is plain text, and empty where there is nothing.

    Green says the number. Amber says it with its condition in the same sentence. Red says first what stands in the
    way; the number comes after it, small.

    Parameters
    ----------
    level : {"green", "amber", "red", "unjudged"}
        The verdict's, or that there is none.
    obstacle : str
        What stands in the way (red), or what is in doubt (amber): whole sentences.
    before, number, after : str
        The sentence that holds the number, without its full stop: "On the new data this model is probably right",
        "79.4%", " of the time (77.0 to 81.6)". Without an estimate there is no number.
    condition : str
        What must hold, with its full stop: "if your 4 slices capture the shift." In amber alone.
    measured : str
        The score on the labelled data, as a sentence.
    truth : str
        The truth, as a sentence, once it was asked for.
    way_on : str
        What to do about what stands in the way, or is in doubt.
    """

    level: str
    obstacle: str
    before: str
    number: str
    after: str
    condition: str
    measured: str
    truth: str
    way_on: str

    @property
    def can_be_quoted(self) -> bool:
        """Whether the number may stand in large type."""
        return bool(self.number) and self.level != "red"

    @property
    def sentence(self) -> str:
        """The sentence that holds the number, with its condition; or that there is none."""
        number = f"{self.before} {self.number}{self.after}" if self.number else self.before
        return f"{number}, {self.condition}" if self.condition else f"{number}."

    @property
    def text(self) -> str:
        """Everything, in the order in which it is to be read."""
        number = (self.sentence, self.measured, self.truth)
        doubt = (self.obstacle, self.way_on)
        return " ".join(filter(None, (*doubt, *number) if self.level == "red" else (*number, *doubt)))


def headline(report: ModelReport, *, reveal: bool = False) -> Headline:
    """Say an estimate as its verdict allows; with `reveal`, the truth too.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> report = estimate_from_codes([[1], [-1]] * 200, [1.0, 0.0] * 200, [[1]] * 300 + [[-1]] * 100).first
    >>> head = headline(report)
    >>> head.level, head.number
    ('amber', '75.0%')
    >>> head.sentence
    'On the new data the mean is probably 75.0% (70.5 to 79.0), if your slice captures the shift.'
    """
    verdict, share = report.verdict, is_share(report)
    now, before_now, unit = report.problem.metric.sentence
    level = UNJUDGED if verdict is None else verdict.level
    before, number, after = _number(report, now, unit, share, quoted=level != "red")
    return Headline(
        level=level,
        obstacle="" if verdict is None else say(verdict.doubts, PLAIN),
        before=before,
        number=number,
        after=after,
        condition=f"if {say(verdict.assumption, PLAIN)}" if verdict is not None and level == "amber" and number else "",
        measured=f"On your labelled data {before_now} {show_value(report.source, share=share)}.",
        truth=_truth(report, share) if reveal else "",
        way_on=_way_on(report),
    )


def _number(report: ModelReport, verb: str, unit: str, share: bool, *, quoted: bool) -> tuple[str, str, str]:
    """Write the sentence with the number, in three parts."""
    if not report.converged:
        return "There is no estimate: the weights could not be fitted", "", ""
    value, ends = show_value(report.estimate, share=share), f" ({show_ends(report.interval, share=share)})"
    if not quoted:
        return "What the method gives, not to be quoted:", value, ends
    spoken = verb.format(metric=report.problem.metric.spoken)
    return f"{_where(report)} {spoken}", value, unit + ends


def _where(report: ModelReport) -> str:
    if not report.set_aside:
        return "On the new data"
    kept = min(1 - report.set_aside, 0.999)  # never "100%" when rows are set aside
    return f"On the {kept:.1%} of the new data that resemble labelled rows,"


def _truth(report: ModelReport, share: bool) -> str:
    if report.truth is None:
        return "The truth is not known: there are no labels for the new data."
    return f"The truth is {show_value(report.truth, share=share)}."


def _way_on(report: ModelReport) -> str:
    """Say what to do about what speaks loudest."""
    loudest = None if report.verdict is None else report.verdict.loudest
    if loudest is None:
        return ""
    findings = (finding for finding in report.findings if finding.check == loudest.name and finding.severity != "info")
    return next((say(finding.remedy, PLAIN) for finding in findings), "")
