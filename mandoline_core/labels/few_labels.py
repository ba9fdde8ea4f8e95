"""Few labels: what some labelled target rows say alone, with the estimate, and about the slices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats, Interval
from mandoline_core.data import Sample
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Outcome, get_estimator
from mandoline_core.findings import Finding, worst_first
from mandoline_core.formatting import counted, show_percent
from mandoline_core.labels.prediction_powered import LabelEstimate, LabelledRows, from_all, from_labels, predict_scores
from mandoline_core.labels.rows import has_label, label_method, missing_labels, odd_draw, score_labelled, share_out
from mandoline_core.labels.slice_test import FEWEST_LABELS, SliceTest, compare_with_slices
from mandoline_core.pipeline import Fit, interval_by_settings
from mandoline_core.project import EstimatorSettings
from mandoline_core.results import Tabular, ends
from mandoline_core.weighting import Problem

FEW_LABELS = 20  # down to here coverage was measured


class ValueInterval(NamedTuple):
    """Hold a value of the metric on the target and its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True, repr=False)
class FewLabels(Tabular):
    """Hold what some target labels say.

    Parameters
    ----------
    labels_only : ValueInterval
        The labelled rows alone.
    mandoline : ValueInterval
        The estimate without any target label.
    combined : ValueInterval
        The labels, together with scores predicted for all rows.
    prediction_interval : pair of floats
        Of the combined estimate, for exactly these target rows; the others are about the population they come from.
    weight : float
        How much rows without a label count in `combined`: lambda, from 0 to 1.
    worth : float
        The number of labels that would give as much information alone.
    test : SliceTest or None
        Whether the slices explain the shift; None if the estimate covers too few labelled rows.
    findings : tuple of Finding, worst first
    """

    model: str
    metric: str
    n_labelled: int
    n_target: int
    labels_only: ValueInterval
    mandoline: ValueInterval
    combined: ValueInterval
    prediction_interval: Interval
    weight: float
    worth: float
    test: SliceTest | None
    findings: tuple[Finding, ...]

    @property
    def quoted(self) -> bool:
        """Whether `combined` is the number to quote: the labels are enough, and look like a random draw."""
        return self.n_labelled >= FEW_LABELS and not any(one.code == "labels_not_random" for one in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data: what `--json` prints."""
        plain = {key: value for key, value in asdict(self).items() if key not in ("test", "findings")}
        for key in ("labels_only", "mandoline", "combined"):
            value, interval = getattr(self, key)
            plain[key] = {"value": value, "interval": list(interval)}
        plain["prediction_interval"] = list(self.prediction_interval)
        plain["test"] = None if self.test is None else asdict(self.test) | {"interval": list(self.test.interval)}
        return plain | {"findings": [finding.as_dict() for finding in self.findings]}

    def records(self) -> list[dict[str, Any]]:
        """List the score from labels alone, the estimate without them, and both combined."""
        named = {"labels alone": self.labels_only, "estimate": self.mandoline, "combined": self.combined}
        return [{"from": name, "score": score.value, **ends(score.interval)} for name, score in named.items()]


def use_labels(fit: Fit, settings: EstimatorSettings, target: Sample, *, plan: Floats | None = None) -> FewLabels:
    """Use the labels that some target rows have: alone, with the estimate, and to test the slices.

    Parameters
    ----------
    fit : Fit
        From `prepare`, on the same target rows.
    target : Sample
        The target with its label column, empty where there is no label. Labelled rows must be a random draw, or
        drawn by a plan.
    plan : array of float, shape (n_target,), optional
        How many target rows each planned row represents, NaN elsewhere: `LabelPlan.weights` or `read_plan`. Labelled
        rows outside the plan are assumed to be a random draw.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, EstimatorSettings, Sample, prepare
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> frame = pd.DataFrame({"place": ["a", "b"] * 50, "p": 1, "y": [1, 1, 1, 0] * 10 + [None] * 60})
    >>> target, source = Sample(frame), Sample(source, label="y", prediction="p")
    >>> rules = [Category("b", column="place", values=("b",))]
    >>> fit = prepare(source, target, rules, model=source.models[0])
    >>> found = use_labels(fit, EstimatorSettings(), target)
    >>> found.n_labelled, round(found.labels_only.value, 3), round(found.combined.value, 3)
    (40, 0.75, 0.75)
    >>> found.test.state, round(found.test.detectable, 3)
    ('undecided', 0.247)
    """
    problem, metric = fit.problem, fit.problem.metric
    if metric.ranked:
        raise MandolineError(
            "Labels of some new rows need a metric made of means, such as 'accuracy', 'f1' or 'brier'. "
            f"Got {metric.name!r}."
        )
    statistics, labelled = score_labelled(fit, target)
    n = int(labelled.sum())
    if n < FEWEST_LABELS:
        raise MandolineError(
            f"{target.name} has {counted(n, 'row')} with a label and a prediction. "
            f"Label at least {FEWEST_LABELS} rows drawn at random, better {FEW_LABELS} or more."
        )
    shares = share_out(labelled, plan, problem.members.target_rows)
    settings = replace(settings, name=label_method(settings.name))
    outcome = get_estimator(settings.name).estimate(problem)
    interval, doubts = interval_by_settings(fit, settings, outcome)
    alone, both, test = judge(problem, outcome, statistics, labelled, shares, confidence=settings.confidence)
    findings = [
        *doubts,
        *missing_labels(labelled, plan),
        *_about_labels(fit, target, labelled, shares, outcome),
        *_about_use(both, test, all_rows=bool(labelled.all())),
    ]
    return FewLabels(
        model=fit.model,
        metric=metric.name,
        n_labelled=n,
        n_target=len(labelled),
        labels_only=ValueInterval(alone.value, alone.interval),
        mandoline=ValueInterval(outcome.value, interval),
        combined=ValueInterval(both.value, both.interval),
        prediction_interval=both.prediction_interval,
        weight=both.weight,
        worth=both.worth,
        test=test,
        findings=worst_first(findings),
    )


def judge(
    problem: Problem,
    outcome: Outcome,
    statistics: Floats,
    labelled: NDArray[np.bool_],
    shares: Floats,
    *,
    confidence: float,
) -> tuple[LabelEstimate, LabelEstimate, SliceTest | None]:
    """Estimate from the labels alone and from all rows, and test the slices; no frame is touched.

    Parameters
    ----------
    outcome : Outcome
        The estimate without labels.
    statistics : array of float, shape (n_labelled, n_statistics)
    labelled : array of bool, shape (n_target,)
    shares : array of float, shape (n_labelled,)
    """
    by_slices, best = predict_scores(problem, outcome)
    whole = problem.members.target_rows / problem.members.target_rows.sum()
    rows = LabelledRows(
        statistics=statistics,
        predicted=best[labelled],
        shares=shares,
        whole=whole[labelled],
        average=whole @ best,
        n_target=len(labelled),
        indicators=problem.patterns.products is None,  # products are kept where sums do not say how scores vary
    )
    alone = from_labels(problem.metric, rows, confidence=confidence)
    both = from_all(problem.metric, rows, confidence=confidence)
    test = compare_with_slices(problem, outcome, by_slices, statistics, labelled, shares)
    return alone, both, test


def _about_use(both: LabelEstimate, test: SliceTest | None, *, all_rows: bool = False) -> Iterator[Finding]:
    if test is not None and test.state == "contradicted":
        yield Finding(
            "labels",
            "slices_do_not_explain",
            "serious",
            test.words,
            "Quote the combined estimate, and look for a slice that covers the surprising rows.",
            "The combined estimate allows for that; the one without labels does not.",
            numbers={"difference": test.difference, "z": test.z},
        )
    if all_rows:
        yield Finding(
            "labels",
            "all_rows_labelled",
            "info",
            "Every new row has a label, so there is nothing to predict: the labels alone give the score.",
            "Quote the score from the labels.",
        )
    elif both.weight == 0:
        yield Finding(
            "labels",
            "predictions_do_not_help",
            "info",
            "Slices and confidence do not predict the scores of the labelled new rows, so only the labels count.",
            "Label more rows, or add a slice on which the model makes more errors.",
        )


def _about_labels(
    fit: Fit, target: Sample, labelled: NDArray[np.bool_], shares: Floats, outcome: Outcome
) -> Iterator[Finding]:
    n = int(labelled.sum())
    unscored = int(has_label(fit, target).sum()) - n
    if unscored:
        yield Finding(
            "labels",
            "labels_without_prediction",
            "info",
            f"{target.name} has {counted(unscored, 'label')} in rows that cannot be scored.",
            "Fill in the missing predictions.",
            "Such rows are left out.",
            numbers={"n": unscored, "name": target.name},
        )
    if n < FEW_LABELS:
        yield Finding(
            "labels",
            "few_labels",
            "warning",
            f"There are only {n} labels.",
            "Label more rows before you quote these numbers.",
            f"Intervals were tested with {FEW_LABELS} or more.",
            numbers={"n": n, "least": FEW_LABELS},
        )
    aside = 1 - outcome.kept[fit.problem.members.target]
    if aside.any():
        rows = fit.problem.members.target_rows
        share = float(rows @ aside / rows.sum())
        yield Finding(
            "labels",
            "labels_speak_of_all",
            "info",
            f"Labels cover all of the new data; the estimate without them leaves out {show_percent(share)}.",
            "Keep that in mind when you compare the two numbers.",
            numbers={"aside": share},
        )
    yield from odd_draw(fit.problem, labelled, shares)
