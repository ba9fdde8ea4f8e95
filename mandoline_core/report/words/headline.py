"""The headline of a report: the number as far as its verdict allows, in plain text, for every face."""

from __future__ import annotations

from dataclasses import dataclass

from mandoline_core.checks import ModelReport
from mandoline_core.formatting import counted, show_ends, show_percent, show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report.words import facts

UNJUDGED = "unjudged"


@dataclass(frozen=True)
class Headline:
    """Hold what is said of an estimate first; every part is plain text, empty where there is nothing to say.

    Green says the number. Amber says it with its condition in the same sentence. Red says first that it must not be
    quoted and why, then the number, small.

    Parameters
    ----------
    level : {"confirmed", "green", "amber", "red", "unjudged"}
        Of the verdict; "unjudged" without one.
    obstacle : str
        The worst check that failed (red) or is in doubt (amber), in whole sentences.
    before, number, after : str
        The sentence with the number, without its full stop: "On the new data this model is probably right", "79.4%",
        " of the time (77.0 to 81.6)". Without an estimate there is no number.
    condition : str
        What must hold, with its full stop: "if your 4 slices capture the shift." Only in amber.
    measured : str
        The estimate without labels of new rows, if there are any, and the score on the labelled data.
    truth : str
        The true value, as a sentence, if asked for.
    way_on : str
        What to do about the obstacle.
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
        """Whether the number may be shown in large type."""
        return bool(self.number) and self.level != "red"

    @property
    def sentence(self) -> str:
        """The sentence with the number and its condition, or that there is no estimate."""
        number = f"{self.before} {self.number}{self.after}" if self.number else self.before
        return f"{number}, {self.condition}" if self.condition else f"{number}."

    @property
    def text(self) -> str:
        """All parts, in reading order."""
        number = (self.sentence, self.measured, self.truth)
        doubt = (self.obstacle, self.way_on)
        return " ".join(filter(None, (*doubt, *number) if self.level == "red" else (*number, *doubt)))


def headline(report: ModelReport, *, reveal: bool = False) -> Headline:
    """Word an estimate as its verdict allows; with `reveal`, the true value too.

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
    level = UNJUDGED if verdict is None else verdict.level
    before, number, after = _number(report, quoted=level != "red")
    measured = f"On your labelled data {report.problem.metric.sentence[1]} {show_value(report.source, share=share)}."
    return Headline(
        level=level,
        obstacle="" if verdict is None else verdict.message if level == "red" else verdict.doubts,
        before=before,
        number=number,
        after=after,
        condition=f"if {verdict.assumption}" if verdict is not None and level == "amber" and number else "",
        measured=" ".join(filter(None, (facts.without_labels(report), measured))),
        truth=facts.truth(report) if reveal else "",
        way_on=_way_on(report),
    )


def _number(report: ModelReport, *, quoted: bool) -> tuple[str, str, str]:
    """Write the sentence with the number, in three parts."""
    if not report.converged:
        return facts.NO_ESTIMATE, "", ""
    share, metric = is_share(report), report.problem.metric
    value, ends = show_value(report.estimate, share=share), f" ({show_ends(report.interval, share=share)})"
    if not quoted and report.rests_on_labels:
        return f"Corrected by {_labels(report)}:", value, ends
    if not quoted:
        return "Raw result:", value, ends
    verb, _, unit = metric.sentence
    by = f", by {_labels(report)} and your slices" if report.rests_on_labels else ""
    return f"{_where(report)} {verb.format(metric=metric.spoken)}", value, f"{unit}{ends}{by}"


def _labels(report: ModelReport) -> str:
    return counted(0 if report.labelled is None else report.labelled.n_labelled, "label")


def _where(report: ModelReport) -> str:
    if not report.set_aside or report.rests_on_labels:  # labels speak of all new rows
        return "On the new data"
    return f"On the {show_percent(min(1 - report.set_aside, 0.999))} of new rows that labelled rows match,"


def _way_on(report: ModelReport) -> str:
    """Return the remedy of the worst check."""
    loudest = None if report.verdict is None else report.verdict.loudest
    if loudest is None:
        return ""
    findings = (finding for finding in report.findings if finding.check == loudest.name and finding.severity != "info")
    return next((finding.remedy for finding in findings), "")
