"""The error of an estimate as a prediction of exactly these new rows' score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.estimators.new_rows import prediction_error
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics import get_metric
from mandoline_core.patterns import count_patterns
from mandoline_core.pipeline import prediction_interval_of, score_truth
from mandoline_core.weighting import Problem, correction_rule


def stated(source, scores, target, edges=()) -> Problem:
    """State a problem with exact slices."""
    values = np.asarray(scores, float)[:, None]
    count = count_patterns(np.asarray(source, np.int8), np.asarray(target, np.int8), values)
    rule = correction_rule([None] * np.shape(source)[1])
    return Problem(count.patterns, get_metric("accuracy"), rule, edges, membership=count.members(values))


def test_with_one_slice_it_is_the_strata_by_hand():
    """The labelled rows' error by stratum, and within strata only how scores vary among the new rows."""
    source = [[1]] * 40 + [[-1]] * 160
    scores = [1] * 20 + [0] * 20 + [1] * 144 + [0] * 16
    target = [[1]] * 60 + [[-1]] * 20
    problem = stated(source, scores, target)
    share, inside, outside = 0.75, 0.5, 0.9
    varies = inside * (1 - inside), outside * (1 - outside)
    labelled = share**2 * varies[0] / 40 + (1 - share) ** 2 * varies[1] / 160
    own = (share * varies[0] + (1 - share) * varies[1]) / 80
    found = prediction_error(problem, get_estimator("mandoline").estimate(problem))
    assert found == pytest.approx(np.sqrt(labelled + own), rel=1e-6)


def test_rows_of_a_pattern_that_is_not_among_the_new_rows_are_judged_by_the_slices_line():
    """Leaving a pattern out of the new rows changes little: the line through the others stands for it."""
    rng = np.random.default_rng(3)
    source = rng.choice([-1, 1], (4000, 2))
    scores = rng.random(4000) < 0.7 + 0.1 * source[:, 0] + 0.1 * source[:, 1]
    target = np.array([[1, 1]] * 400 + [[1, -1]] * 300 + [[-1, 1]] * 300)
    bare, whole = (stated(source, scores, rows) for rows in (target, np.vstack([target, [[-1, -1]]])))
    errors = [prediction_error(problem, get_estimator("mandoline").estimate(problem)) for problem in (bare, whole)]
    assert errors[0] == pytest.approx(errors[1], rel=0.02)


@pytest.mark.parametrize("metric", ["f1", "auroc"])
def test_it_is_how_far_estimates_are_from_the_rows_own_score(metric):
    """Redraw both samples: the spread of estimate minus realised score is the error, for means, ratios and ranks."""
    errors, off = [], []
    for number in range(40):
        rng = np.random.default_rng([5, number])
        frames = []
        for n, rate in ((1500, 0.3), (250, 0.6)):
            late, truth = rng.random(n) < rate, rng.random(n) < 0.5
            logit = np.where(truth, 1.2, -1.2) * np.where(late, 0.4, 1.0) + rng.normal(0, 1, n)
            sure = 1 / (1 + np.exp(-logit))
            columns = {"late": late, "p_yes": sure, "p_no": 1 - sure, "p": np.where(sure > 0.5, "yes", "no")}
            frames.append(pd.DataFrame({**columns, "y": np.where(truth, "yes", "no")}))
        model = md.Model("m", "p", probabilities={"yes": "p_yes", "no": "p_no"})
        source, target = (md.Sample(frame, label="y", models=[model]) for frame in frames)
        settings = md.MetricSettings(metric, positive=None if metric == "accuracy" else "yes")
        fit = md.prepare(source, target, ["late"], model=model, metric=settings)
        outcome = get_estimator("mandoline").estimate(fit.problem)
        off.append(outcome.value - score_truth(fit.cells, target)[0])
        errors.append(prediction_error(fit.problem, outcome))
    # The standard deviation of 40 draws is known to 1 / sqrt(80): three such errors, and that of the mean error.
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(np.mean(errors), rel=3 / np.sqrt(80))


def test_a_metric_of_all_rows_together_has_none():
    frame = pd.DataFrame({"a": [1, 0] * 50, "y": [1, 1, 0, 1] * 25, "p": [1, 0, 0, 1] * 25})

    def middle(label, prediction, probabilities, weight):
        return float(np.median((label == prediction) * weight))

    metric = md.Metric.of(middle)
    report = md.estimate(md.Sample(frame, label="y", prediction="p"), md.Sample(frame), ["a = 1"], metric=metric)
    assert report.prediction_interval is None
    assert report.as_dict()["prediction_interval"] is None


def test_where_all_rows_are_right_few_new_rows_are_as_uncertain_as_few_labels():
    source = [[1], [-1]] * 500
    few, many = (stated(source, [1] * 1000, [[1], [-1]] * n) for n in (10, 1000))
    ends = [prediction_interval_of(one, get_estimator("mandoline").estimate(one), 0.95) for one in (few, many)]
    assert ends[0][0] < 0.9 < ends[1][0] < 1 == ends[1][1]
