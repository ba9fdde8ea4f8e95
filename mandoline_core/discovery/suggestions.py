"""The results of suggesting: slices that were tried and, with `auto`, those accepted and the estimate with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from mandoline_core.arrays import Interval
from mandoline_core.checks import ModelReport
from mandoline_core.discovery.search_state import Edge, rule_name, rule_words
from mandoline_core.discovery.selection import CrossFit
from mandoline_core.formatting import show_interval, show_percent, show_points, show_value, table, wrapped
from mandoline_core.pipeline import AblationPoint
from mandoline_core.project import Project, TrustSettings, rule_table
from mandoline_core.results import Tabular, ends
from mandoline_core.slices import Slice

ALLOWED_FOR = (
    "The intervals allow for choosing slices by score. Slices were chosen on one half of the labelled rows and tested "
    "on the other. The change of the estimate is added to its error."
)
NO_CURE = (
    "Slices chosen by score are for you to check, not a cure. On 28 natural shifts they helped in 10 and hurt in 13, "
    "by up to 9.6 points. Keep those that you can explain."
)
GIVE_A_REASON = "It moves the estimate by more than the interval. Accept it only if you know why it matters."


@dataclass(frozen=True)
class TrialEstimate:
    """Hold what a suggestion does to one model's estimate.

    Parameters
    ----------
    estimate, interval : float, pair of floats
        As if it were accepted.
    effect : float
        How far that is from the estimate without it.
    gap : float
        What remains after weighting: the share of new rows in the slice, minus that of weighted labelled rows.
    difference : float
        How far the score differs inside, after weighting, beyond what the modelled slices explain.
    z : float
        The product of the two over its standard error: what suggestions are ranked by.
    """

    estimate: float
    interval: Interval
    effect: float
    gap: float
    difference: float
    z: float
    effective_sample_size: float
    set_aside: float

    @property
    def needs_reason(self) -> bool:
        """Whether it moves the estimate by more than the interval: then the score alone is no reason to accept it."""
        return not self.interval[0] <= self.estimate - self.effect <= self.interval[1]


@dataclass(frozen=True)
class RemainingShift:
    """Hold what no slice covers after a suggestion: the columns that still differ, and the one that differs most.

    Parameters
    ----------
    n_off : int
        Columns that differ beyond sampling error, and could move the estimate so far that its check is in doubt.
    worst : str
        The one that differs most; empty if there is no other column.
    after : float
        How far, in standard deviations.
    """

    n_off: int
    worst: str
    after: float


@dataclass(frozen=True)
class Suggestion:
    """Hold a slice or an edge that was tried; its own numbers are the first model's.

    Parameters
    ----------
    rule : Slice, or pair of slice names (an edge)
        To be added to the project as it is.
    source, target : float
        Shares of rows inside; of an edge, on which the two slices agree; of a family, in the slice that matters most.
    model : str
        The model that it matters to most.
    trials : mapping of str to TrialEstimate
        By model.
    stands_out : bool
        Whether it is beyond sampling error, corrected for the number of candidates.
    reasons : mapping of str to str
        Why it is suggested, by model; `reason` is that of the model it matters to most.
    shares : mapping of str to pairs of float
        Shares of rows inside, by model: a slice of predictions is another for each; `source` and `target` are those of
        the model it matters to most.
    """

    rule: Slice | Edge
    source: float
    target: float
    model: str
    trials: Mapping[str, TrialEstimate] = field(hash=False)
    unexplained: RemainingShift | None
    reason: str
    stands_out: bool
    reasons: Mapping[str, str] = field(default_factory=dict, hash=False)
    shares: Mapping[str, tuple[float, float]] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        return f"Suggestion({self.words}: {self.reason})"

    @property
    def name(self) -> str:
        """What the project would call it."""
        return rule_name(self.rule)

    @property
    def words(self) -> str:
        """The rule in plain words."""
        return rule_words(self.rule)

    def reason_for(self, model: str) -> str:
        """Say why it is suggested for a model; otherwise for the model it matters to most."""
        return self.reasons.get(model, self.reason)

    @property
    def first(self) -> TrialEstimate:
        """What it does to the first model's estimate."""
        return next(iter(self.trials.values()))

    def as_dict(self) -> dict[str, Any]:
        """Return the suggestion as plain data; the rule as in a project file."""
        return {
            "rule": rule_table(self.rule) if isinstance(self.rule, Slice) else {"edge": list(self.rule)},
            "words": self.words,
            "needs_reason": self.first.needs_reason,
            "source": self.source,
            "target": self.target,
            **_plain(self.first),
            "model": self.model,
            "stands_out": self.stands_out,
            "reason": str(self.reason),
            "unexplained": None if self.unexplained is None else asdict(self.unexplained),
            "models": {name: _plain(trial) for name, trial in self.trials.items()},
        }


@dataclass(frozen=True, eq=False)
class AcceptedSlices:
    """Hold what `auto` accepted, and the estimates with it.

    Parameters
    ----------
    rules : tuple of Slice or Edge
        In order.
    reports : mapping of str to ModelReport
        Each model with all of them, taken as given.
    intervals : mapping of str to pair of floats
        Allowing for the choice: what `estimate` gives for the project with these slices.
    cross_fits : mapping of str to CrossFit
        Estimates on rows that did not choose.
    errors : mapping of str to float
        What the choice adds to each model's standard error.
    curves : mapping of str to tuple of AblationPoint
        The estimate at the start (slice None) and after each of them, as if each had been given.
    """

    rules: tuple[Slice | Edge, ...]
    reports: Mapping[str, ModelReport]
    intervals: Mapping[str, Interval]
    cross_fits: Mapping[str, CrossFit]
    errors: Mapping[str, float]
    curves: Mapping[str, tuple[AblationPoint, ...]]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "accepted": [rule_name(rule) for rule in self.rules],
            "rules": [rule_table(rule) if isinstance(rule, Slice) else {"edge": list(rule)} for rule in self.rules],
            "estimate": {name: report.estimate for name, report in self.reports.items()},
            "interval": {name: list(interval) for name, interval in self.intervals.items()},
            "verdict": {name: r.verdict.as_dict() for name, r in self.reports.items() if r.verdict is not None},
            "choice_error": dict(self.errors),
            "cross_fit": {name: asdict(cross_fit) for name, cross_fit in self.cross_fits.items()},
            "curve": {name: [asdict(point) for point in curve] for name, curve in self.curves.items()},
        }


@dataclass(frozen=True, eq=False, repr=False)
class Suggestions(Tabular):
    """Hold all suggestions, the most relevant first, and what was accepted where that was asked for.

    Parameters
    ----------
    name : str
        The project's.
    start : mapping of str to float
        The estimate of each model without any of them.
    note : str
        The number of rows searched, if not all.
    share : bool
        Whether the metric is shown as a percentage.
    """

    name: str
    metric: str
    suggestions: tuple[Suggestion, ...]
    start: Mapping[str, float]
    share: bool
    note: str = ""
    accepted: AcceptedSlices | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data: what `mandoline suggest --json` prints."""
        plain = {
            "suggestions": [one.as_dict() for one in self.suggestions],
            "start": dict(self.start),
            "note": str(self.note),
        }
        return plain if self.accepted is None else plain | self.accepted.as_dict()

    def records(self) -> list[dict[str, Any]]:
        """List the suggestions."""
        return [
            {"slice": one.words, "source": one.source, "target": one.target, "estimate": one.first.estimate}
            | {**ends(one.first.interval), "effect": one.first.effect, "z": one.first.z}
            for one in self.suggestions
        ]

    def apply(self, project: Project) -> Project:
        """Add what was found to a project: what was accepted; else every suggestion, switched off.

        An edge cannot be switched off, so edges that are only suggested stay out. A slice's note says why it is there.
        What choosing slices adds to the standard error goes along, so that intervals allow for it from then on.
        """
        reasons = {one.name: str(one.reason) for one in self.suggestions}
        rules = [one.rule for one in self.suggestions] if self.accepted is None else list(self.accepted.rules)
        slices = [
            replace(rule, note=reasons.get(rule.name, ""), enabled=self.accepted is not None)
            for rule in rules
            if isinstance(rule, Slice)
        ]
        edges = project.edges
        if self.accepted is not None and not isinstance(edges, str):
            edges = (*edges, *(rule for rule in rules if not isinstance(rule, Slice)))
        return replace(project, slices=(*project.slices, *slices), edges=edges, trust=self._trust(project))

    def _trust(self, project: Project) -> TrustSettings:
        """Add the error of what was accepted, if anything, to that of slices that were chosen before."""
        trust, used = project.trust, [rule.name for rule in project.slices if rule.enabled]
        if self.accepted is None or not self.accepted.rules:
            return trust
        errors = {name: math.hypot(trust.choice_error(name, used), new) for name, new in self.accepted.errors.items()}
        # Slices of an earlier choice without names may be any of those in use.
        names = [name for name in used if name in trust.chosen_slices or (trust.chosen and not trust.chosen_slices)]
        for rule in self.accepted.rules:
            names += [rule.name] if isinstance(rule, Slice) else rule
        chosen = {**trust.chosen, **{name: float(f"{one:.4g}") for name, one in errors.items()}}
        return replace(trust, chosen=chosen, chosen_slices=tuple(dict.fromkeys(names)))

    def __str__(self) -> str:
        """Write a table, with the reason for each below."""
        head = f"{self.name}: suggested slices, by how much of the change in {self.metric} they explain"
        if not self.suggestions:
            parts = [
                head,
                "",
                wrapped("No suggestions: what still differs after weighting does not seem to affect the score.", ""),
            ]
        else:
            rows = [["", "rule", "labelled", "new", "estimate with it", "effect", "effective rows", "z"]]
            reasons = []
            for number, one in enumerate(self.suggestions, start=1):
                trial = one.first
                rows.append(
                    [
                        f"{number}.",
                        one.words,
                        show_percent(one.source),
                        show_percent(one.target),
                        show_interval(trial.estimate, trial.interval, share=self.share),
                        show_points(trial.effect, share=self.share),
                        f"{trial.effective_sample_size:,.0f}",
                        f"{one.trials[one.model].z:+.1f}",
                    ]
                )
                large = f" {GIVE_A_REASON}" if trial.needs_reason else ""
                reasons.append(wrapped(f"{number}. {one.reason}{large}", ""))
            parts = [head, "", table(rows, "><>>>>>>"), "", *reasons]
        if self.note:
            parts += ["", wrapped(self.note, "")]
        if self.accepted is not None:
            parts += ["", _accepted_text(self.accepted, share=self.share)]
        return "\n".join(parts)


def _plain(trial: TrialEstimate) -> dict[str, Any]:
    return {**asdict(trial), "interval": list(trial.interval)}


def _accepted_text(accepted: AcceptedSlices, *, share: bool) -> str:
    if not accepted.rules:
        return wrapped("No slice was accepted: no candidate is significant and keeps enough effective rows.", "")
    first = next(iter(accepted.curves.values()))
    rows = [["accepted", *(f"{name}" for name in accepted.curves)]]
    for number, point in enumerate(first):
        cells = [curve[number].estimate for curve in accepted.curves.values()]
        shown = ["-" if value is None else show_value(value, share=share) for value in cells]
        rows.append([point.slice or "(start)", *shown])
    lines = [table(rows, "<" + ">" * len(accepted.curves)), ""]
    for name, report in accepted.reports.items():
        verdict = f" {report.verdict.message}" if report.verdict else ""
        interval = show_interval(report.estimate, accepted.intervals[name], share=share)
        lines.append(wrapped(f"{name}: {interval}.{verdict}", ""))
    return "\n".join([*lines, wrapped(ALLOWED_FOR, ""), wrapped(NO_CURE, "")])
