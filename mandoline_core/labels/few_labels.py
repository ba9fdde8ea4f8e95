"""Few labels: what some labelled target rows say by themselves, with the estimate, and about the slices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mandoline_core.arrays import Floats, Interval
from mandoline_core.data import Sample
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Outcome, get_estimator, normal_reach
from mandoline_core.findings import Finding, FindingKind, worst_first
from mandoline_core.formatting import Sentence, counted
from mandoline_core.labels.prediction_powered import LabelEstimate, LabelledRows, from_all, from_labels, predict_scores
from mandoline_core.labels.rows import has_label, label_method, missing_labels, odd_draw, score_labelled, share_out
from mandoline_core.metrics import Metric
from mandoline_core.pipeline import Fit, interval_by_settings
from mandoline_core.project import EstimatorSettings
from mandoline_core.weighting import Problem

FEWEST_LABELS = 5
FEW_LABELS = 20  # down to here coverage was measured
CLEARLY = 0.001  # p-value of the slices' test below which the labels contradict the estimate beyond doubt
DISAGREE = "The labels say {size} {way} than the slices explain"
DISAGREE_BY = " (z = {z:.1f}): something else changed too."
NOT_EXPLAINED = FindingKind(
    "labels",
    "slices_do_not_explain",
    DISAGREE,
    "Quote the combined estimate; look for a slice that sets apart the labelled rows that surprise.",
    f"{DISAGREE_BY} The combined estimate allows for that, the one without labels does not.",
)
NO_HELP = FindingKind(
    "labels",
    "predictions_do_not_help",
    "What slices and confidence lead one to expect of a row does not go with what the labels say",
    "More labels narrow the interval; a slice on which the model errs more would help, too.",
    ", so only the labels count.",
)
WITHOUT_PREDICTION = FindingKind(
    "labels",
    "labels_without_prediction",
    "{n:count labelled row} of {name} cannot be scored and count for nothing",
    "Fill in the predictions that are missing.",
)
FEW = FindingKind(
    "labels",
    "few_labels",
    "There are {n} labels",
    "Label more rows before quoting these numbers.",
    ". Intervals were tried out with {least} and more.",
)
SPEAK_OF_ALL = FindingKind(
    "labels",
    "labels_speak_of_all",
    "Labels speak of the whole {target}; the estimate without them leaves out {aside:.1%} of it, and so does the test "
    "of the slices",
    "Compare the two numbers with that in mind.",
)


@dataclass(frozen=True)
class SliceTest:
    """Hold how far the labels are from what the slices lead one to expect.

    Parameters
    ----------
    difference : float
        The metric by the labels minus the estimate without them.
    interval : pair of floats
        Of the difference.
    """

    difference: float
    interval: Interval
    z: float
    p_value: float
    words: Sentence


class ValueInterval(NamedTuple):
    """Hold a value of the metric on the target and its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class FewLabels:
    """Hold what some target labels say.

    Parameters
    ----------
    labels_only : ValueInterval
        The labelled rows by themselves.
    mandoline : ValueInterval
        The estimate without any target label.
    combined : ValueInterval
        The labels, carried further by scores predicted for all rows.
    weight : float
        How much rows without a label count in `combined`: lambda, from 0 to 1.
    worth : float
        So many labels would say as much by themselves.
    test : SliceTest or None
        Whether the slices explain the shift; None where the estimate speaks of too few labelled rows.
    findings : tuple of Finding, worst first
    """

    model: str
    metric: str
    n_labelled: int
    n_target: int
    labels_only: ValueInterval
    mandoline: ValueInterval
    combined: ValueInterval
    weight: float
    worth: float
    test: SliceTest | None
    findings: tuple[Finding, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data: what `--json` prints."""
        plain = {key: value for key, value in asdict(self).items() if key not in ("test", "findings")}
        for key in ("labels_only", "mandoline", "combined"):
            value, interval = getattr(self, key)
            plain[key] = {"value": value, "interval": list(interval)}
        plain["test"] = None if self.test is None else asdict(self.test) | {"interval": list(self.test.interval)}
        return plain | {"findings": [finding.as_dict() for finding in self.findings]}


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
        How many target rows each row stands for, where a plan drew it; NaN elsewhere: `LabelPlan.weights` or
        `read_plan`. Labelled rows outside the plan are taken for a random draw.

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
    >>> found.test.words
    'The labels agree with the estimate: what the slices leave out is at most about 16 points.'
    """
    problem, metric = fit.problem, fit.problem.metric
    if metric.ranked:
        raise MandolineError(
            f"Few labels are used through means, and {metric.name} is not made of means. "
            "Choose a metric such as 'accuracy', 'f1' or 'brier'."
        )
    statistics, labelled = score_labelled(fit, target)
    n = int(labelled.sum())
    if n < FEWEST_LABELS:
        raise MandolineError(
            f"{target.name} has {counted(n, 'row')} with a label and a prediction, too few to say anything by. "
            f"Label at least {FEWEST_LABELS}, better {FEW_LABELS} or more, drawn at random."
        )
    shares = share_out(labelled, plan)
    settings = replace(settings, name=label_method(settings.name))
    outcome = get_estimator(settings.name).estimate(problem)
    interval, doubts = interval_by_settings(fit, settings, outcome)
    alone, both, test = judge(problem, outcome, statistics, labelled, shares, confidence=settings.confidence)
    findings = [
        *doubts,
        *missing_labels(labelled, plan),
        *_about_labels(fit, target, labelled, shares, outcome),
        *_about_use(both, test),
    ]
    return FewLabels(
        model=fit.model,
        metric=metric.name,
        n_labelled=n,
        n_target=len(labelled),
        labels_only=ValueInterval(alone.value, alone.interval),
        mandoline=ValueInterval(outcome.value, interval),
        combined=ValueInterval(both.value, both.interval),
        weight=both.weight,
        worth=both.worth,
        test=test,
        findings=worst_first(findings),
    )


def check_slices(fit: Fit, settings: EstimatorSettings) -> tuple[Finding, ...] | None:
    """Test the slices by the labels that the target has for some of its rows; None where there are none to go by."""
    labels, problem = fit.cells.labels, fit.problem
    if labels is None or problem.metric.ranked or labels[1].sum() < FEWEST_LABELS:
        return None
    name = label_method(settings.name)
    shares = share_out(labels[1], None)
    try:
        outcome = get_estimator(name).estimate(problem)
        _, both, test = judge(problem, outcome, *labels, shares, confidence=settings.confidence)
    except MandolineError:  # of no use to this metric: `use_labels` says why
        return None
    if test is None:
        return None
    return tuple(finding for finding in _about_use(both, test) if finding.code == "slices_do_not_explain")


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
    rows = LabelledRows(
        statistics=statistics,
        predicted=best[labelled],
        shares=shares,
        average=best.mean(axis=0),
        n_target=len(labelled),
        indicators=problem.patterns.products is None,  # products are kept where sums do not say how scores vary
    )
    alone = from_labels(problem.metric, rows, confidence=confidence)
    both = from_all(problem.metric, rows, confidence=confidence)
    test = compare_with_slices(problem, outcome, by_slices, statistics, labelled, shares, confidence=confidence)
    return alone, both, test


def _about_use(both: LabelEstimate, test: SliceTest | None) -> Iterator[Finding]:
    if test is not None and not test.interval[0] <= 0 <= test.interval[1]:
        yield NOT_EXPLAINED.found("serious" if test.p_value < CLEARLY else "warning", **test.words.parts)
    if both.weight == 0:
        yield NO_HELP.found("info")


def _about_labels(
    fit: Fit, target: Sample, labelled: NDArray[np.bool_], shares: Floats, outcome: Outcome
) -> Iterator[Finding]:
    n = int(labelled.sum())
    unscored = int(has_label(fit, target).sum()) - n
    if unscored:
        yield WITHOUT_PREDICTION.found("info", n=unscored, name=target.name)
    if n < FEW_LABELS:
        yield FEW.found("warning", n=n, least=FEW_LABELS)
    aside = 1 - outcome.kept[fit.problem.members.target]
    if aside.any():
        yield SPEAK_OF_ALL.found("info", aside=float(aside.mean()))
    yield from odd_draw(fit.problem, labelled, shares)


def compare_with_slices(
    problem: Problem,
    outcome: Outcome,
    expected: Floats,
    statistics: Floats,
    labelled: NDArray[np.bool_],
    shares: Floats,
    *,
    confidence: float,
) -> SliceTest | None:
    """Compare labels with what slices lead one to expect, on the rows that the estimate speaks of.

    Difference = mean over labelled rows of (truth - expected) + mean of expected - estimate, in the metric's slope.
    Its variance has three parts: the labels drawn, the rest of the target, and the source behind the estimate.

    Parameters
    ----------
    outcome : Outcome
        The estimate without labels.
    expected : array of float, shape (n_target, n_statistics)
        By slices alone.
    statistics : array of float, shape (n_labelled, n_statistics)
    labelled : array of bool, shape (n_target,)
    shares : array of float, shape (n_labelled,)
        How much each labelled row counts; sums to 1.

    Returns
    -------
    SliceTest or None
        None where too few labelled rows are among those the estimate speaks of.
    """
    kept = outcome.kept[problem.members.target]
    inside = kept[labelled] > 0
    if inside.sum() < FEWEST_LABELS:
        return None
    spoken = kept / kept.sum()
    share = (shares * kept[labelled])[inside]
    share /= share.sum()
    gradient = problem.metric.slope(outcome.means)
    known, whole = expected[labelled][inside], expected @ gradient
    left = (statistics[inside] - known) @ gradient
    average = float(spoken @ whole)
    difference = float(share @ left + average - outcome.means @ gradient)
    source, target, *more = outcome.influence.pieces(problem.members)
    # Target rows count twice, in what is expected of them and in the weights: their parts are added before squaring.
    rest = spoken * (whole - average) - target
    others = sum(float(piece @ piece) for piece in (source, rest, *more))
    drawn = _sampling_error_of_labels(problem, known, left, share, gradient)
    if problem.patterns.products is not None:
        # Few labels seldom show a long tail, so the source has a say in how much scores vary about expectations.
        weights, scores = outcome.weights(problem.members), problem.members.statistics @ gradient
        varies = float(weights @ (scores - weights @ scores) ** 2) - float(spoken @ (whole - average) ** 2)
        drawn = max(drawn, varies * float(share @ share))
    error = float(np.sqrt(drawn + others))
    z = difference / error if error > 0 else 0.0
    half = normal_reach(confidence) * error
    interval = (difference - half, difference + half)
    words = _words(problem.metric, difference, interval, z)
    return SliceTest(difference, interval, z, float(2 * ndtr(-abs(z))), words)


def _sampling_error_of_labels(
    problem: Problem, expected: Floats, left: Floats, share: Floats, gradient: Floats
) -> float:
    """Return the variance that comes from drawing the labels."""
    if problem.patterns.products is None:
        # If slices explain the shift, expectations also say how much indicators vary: no guessing from few labels.
        # An expectation of exactly 0 or 1 is that of a finite source.
        least = 0.5 / problem.patterns.n_source
        probability = np.clip(expected, least, 1 - least)
        each = np.maximum(probability @ gradient**2 - (probability @ gradient) ** 2, 0.0)
        return float(share**2 @ each)
    return float(share**2 @ (left - share @ left) ** 2) * len(left) / (len(left) - 1)


def _words(metric: Metric, difference: float, interval: Interval, z: float) -> Sentence:
    agree = interval[0] <= 0 <= interval[1]
    size = max(abs(end) for end in interval) if agree else abs(difference)
    shown = f"{100 * size:.2g} points" if metric.share else f"{size:.2g}"
    if agree:
        said = "The labels agree with the estimate: what the slices leave out is at most about {most}."
        return Sentence(said, most=shown)
    return Sentence(DISAGREE + DISAGREE_BY, size=shown, way="less" if difference < 0 else "more", z=z)
