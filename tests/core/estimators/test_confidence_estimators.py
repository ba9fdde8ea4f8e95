"""Estimators on class probabilities: small tables worked by hand, derivatives, simulations, and what they refuse."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mandoline_core import EstimatorSettings
from mandoline_core.estimators.base import Estimator
from mandoline_core.estimators.bbse import Bbse
from mandoline_core.estimators.cbpe import Cbpe, Pape, expected_metric
from mandoline_core.estimators.confidence import (
    AverageConfidence,
    DifferenceOfConfidences,
    ThresholdedConfidence,
    ThresholdedEntropy,
)
from mandoline_core.estimators.cot import Cot, CotWeighted
from mandoline_core.estimators.doubly_robust import DoublyRobust
from mandoline_core.metrics.metric import evaluate
from mandoline_core.metrics.registry import METRICS
from tests.core.answered import (
    SamplePair,
    answers,
    assert_influence_is_the_derivative,
    fit_metric,
    random_answers,
    state,
    state_drawn,
)

OF_ACCURACY: tuple[Estimator, ...] = (
    AverageConfidence(),
    DifferenceOfConfidences(),
    ThresholdedConfidence(),
    ThresholdedEntropy(),
    Cot(),
)
OF_ANYTHING: tuple[Estimator, ...] = (Cbpe(), Pape())
ON_PROBABILITIES = (*OF_ACCURACY, CotWeighted(), *OF_ANYTHING, DoublyRobust())
ALL = (*ON_PROBABILITIES, Bbse())
OF_CLASSES = [metric.name for metric in METRICS.values() if metric.needs in ("predictions", "probabilities")]


def by_name(estimator: object) -> str:
    """Name a case after its estimator."""
    return getattr(estimator, "name", str(estimator))


# Probabilities of class b. Predictions: a a b b b; labels: a b b b a; right: 1 0 1 1 0, so 60%.
SOURCE = answers([0.1, 0.4, 0.6, 0.8, 0.9], [0, 1, 1, 1, 0])
# Confidence: 0.7 0.55 0.8 0.95; on average 0.75.
TARGET = answers([0.3, 0.45, 0.8, 0.95])
TENFOLD = SOURCE.loc[np.repeat(np.arange(5), 10)].reset_index(drop=True)  # so that levels of a score are not pooled


def test_average_confidence_by_hand() -> None:
    """The mean probability of the predicted class, with the standard error of a mean."""
    outcome = AverageConfidence().estimate(state(SOURCE, TARGET))
    assert outcome.value == pytest.approx(0.75)
    gaps = np.array([0.7, 0.55, 0.8, 0.95]) - 0.75
    assert outcome.influence.standard_error() == pytest.approx(np.sqrt((gaps**2).sum()) / 4)


def test_difference_of_confidences_by_hand() -> None:
    """Source accuracy 0.6, source confidence (0.9 + 0.6 + 0.6 + 0.8 + 0.9) / 5 = 0.76, target confidence 0.75."""
    outcome = DifferenceOfConfidences().estimate(state(SOURCE, TARGET))
    assert outcome.value == pytest.approx(0.6 + 0.75 - 0.76)
    surplus = np.array([1, 0, 1, 1, 0]) - np.array([0.9, 0.6, 0.6, 0.8, 0.9])
    gaps = np.array([0.7, 0.55, 0.8, 0.95]) - 0.75
    expected = ((surplus - surplus.mean()) ** 2).sum() / 25 + (gaps**2).sum() / 16
    assert outcome.influence.standard_error() == pytest.approx(np.sqrt(expected))


def test_difference_of_confidences_stays_between_0_and_1_and_says_so() -> None:
    """An unsure model that is always right cannot become more than that."""
    source, target = answers([0.6, 0.6, 0.4], [1, 1, 0]), answers([0.9, 0.95])
    outcome = DifferenceOfConfidences().estimate(state(source, target))
    assert outcome.value == 1.0
    assert [finding.code for finding in outcome.findings] == ["estimate_outside_bounds"]
    assert "was out of range (132.5%) and is shown as 100.0%." in outcome.findings[0].message
    assert DifferenceOfConfidences().estimate(state(source, target, "error")).value == 0.0


def test_thresholded_confidence_by_hand() -> None:
    """Three of five are right. Confidences 0.9 0.9 0.8 0.6 0.6: the threshold is 0.8; two of the target reach it."""
    assert ThresholdedConfidence().estimate(state(SOURCE, TARGET)).value == pytest.approx(2 / 4)


def test_thresholded_entropy_by_hand() -> None:
    """Of three classes, confidence and entropy rank rows differently."""
    source = answers([[0.5, 0.5, 0], [0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.05, 0.05, 0.9]], [0, 1, 1, 2])  # 3 are right
    target = answers([[0.6, 0.2, 0.2], [0.5, 0.5, 0.0], [0.0, 0.55, 0.45], [0.8, 0.1, 0.1]])
    # Entropies of the source: 0.693, 0.950, 0.639, 0.394; as many rows as are right have 0.693 at most.
    assert ThresholdedEntropy().estimate(state(source, target)).value == pytest.approx(3 / 4)
    # Confidences of the source: 0.5, 0.6, 0.8, 0.9; as many have 0.6 at least.
    assert ThresholdedConfidence().estimate(state(source, target)).value == pytest.approx(2 / 4)


@pytest.mark.parametrize("right", range(7))
def test_threshold_takes_in_the_same_fraction_of_ties_in_both_samples(right: int) -> None:
    """With the source as target, the estimate is the source's accuracy, whatever the ties."""
    scores = np.array([0.9, 0.9, 0.7, 0.7, 0.7, 0.6])
    truth = np.where(np.arange(6) < right, 1, 0)
    source = answers(scores, truth)
    for estimator in (ThresholdedConfidence(), ThresholdedEntropy()):
        if right:  # labels and predictions need a value in common
            assert estimator.estimate(state(source, source.drop(columns="label"))).value == pytest.approx(right / 6)
    if right == 3:  # 0.9 counts in full, and one third of 0.7
        target = answers([0.95, 0.9, 0.8, 0.7, 0.7, 0.7, 0.65, 0.5])
        assert ThresholdedConfidence().estimate(state(source, target)).value == pytest.approx((3 + 3 / 3) / 8)


def test_ties_by_rounding_are_ties() -> None:
    """The entropy of (0.9, 0.1) is that of (0.1, 0.9), though its terms come in another order."""
    source = answers([0.9, 0.1, 0.3, 0.7], [1, 0, 1, 1])
    target = answers([0.1, 0.9, 0.7, 0.3])
    assert ThresholdedEntropy().estimate(state(source, target)).value == pytest.approx(0.75)


def test_calibrated_probabilities_by_hand() -> None:
    """Steps of the source: b is the label in 0 of 0.1, 1 of 0.4, 1 of 0.6, 1 of 0.8, 0 of 0.9: 0, then 3/4 for all."""
    outcome = Cbpe().estimate(state(TENFOLD, TARGET))
    # 0.3 is nearer to 0.4 than to 0.1: chance of b 3/4 for every row of the target; predictions a a b b.
    assert outcome.value == pytest.approx((0.25 + 0.25 + 0.75 + 0.75) / 4)
    nearer = Cbpe().estimate(state(TENFOLD, answers([0.2, 0.45, 0.8, 0.95])))
    assert nearer.value == pytest.approx((1 + 0.25 + 0.75 + 0.75) / 4)


def test_calibrated_spread_by_hand() -> None:
    """The source moves the estimate through the means of its blocks, by its target rows."""
    outcome = Cbpe().estimate(state(TENFOLD, answers([0.2, 0.45, 0.8, 0.95])))
    moved, own = outcome.influence.pieces(None)  # type: ignore[arg-type]
    # Block of 0.1: one target row predicted a, derivative -1/4; its row is at its mean, 0, and moves nothing.
    # Other block: predictions a b b, derivative (-1 + 1 + 1) / 4 of its mean, which each of its 40 rows shares.
    assert moved == pytest.approx(np.repeat([0, 0.25, 0.25, 0.25, -0.75], 10) / 4 / 40)
    assert own == pytest.approx((np.array([1, 0.25, 0.75, 0.75]) - 0.6875) / 4)


@pytest.mark.parametrize("name", OF_CLASSES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_expected_metric_is_the_mean_over_drawn_labels_at_scale(name: str, n_classes: int) -> None:
    """Rows repeated in every class in whole proportion to their chances have the metric expected of them."""
    rng = np.random.default_rng(2)
    tenths = rng.multinomial(10, np.ones(n_classes) / n_classes, 40)
    own = rng.dirichlet(np.ones(n_classes), 40)
    predicted = own.argmax(axis=1).astype(np.int32)
    metric = fit_metric(name, n_classes)
    found = expected_metric(metric, predicted, own, tenths / 10)
    row, truth = np.repeat(np.arange(40), 10), np.concatenate([np.repeat(np.arange(n_classes), t) for t in tenths])
    assert metric.statistics is not None
    statistics = metric.statistics(truth.astype(np.int32), predicted[row], own[row])
    assert found.value == pytest.approx(evaluate(metric, statistics, np.full(400, 1 / 400)).value, abs=1e-12)


@pytest.mark.parametrize("metric", ["precision", "recall", "f1", "auroc"])
def test_expected_metric_of_one_class_when_predictions_are_sure(metric: str) -> None:
    """Probabilities that are calibrated, and 0 or 1 on the target but for predictions, leave no doubt."""
    source = answers(np.tile([0.0, 0.0, 1.0, 1.0], 10), np.tile([0, 0, 1, 1], 10), predicted=np.tile([0, 1, 1, 1], 10))
    target = answers([0.0, 1.0, 1.0, 0.0, 1.0], predicted=[0, 1, 0, 1, 1])
    problem = state(source, target, metric, positive="b")
    expected = {"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3, "auroc": 1.0}[metric]
    assert Cbpe().estimate(problem).value == pytest.approx(expected)


@pytest.mark.parametrize("estimator", ON_PROBABILITIES, ids=by_name)
def test_error_is_one_minus_accuracy(estimator: Estimator) -> None:
    """With the same spread, each row's influence turned round."""
    rng = np.random.default_rng(3)
    source, target = random_answers(rng, 300, 3), random_answers(rng, 200, 3, labelled=False, tilt=0.3)
    one, other = (estimator.estimate(state(source, target, name, slices=("z", "u"))) for name in ("accuracy", "error"))
    assert other.value == pytest.approx(1 - one.value)
    assert other.means == pytest.approx(1 - one.means)
    for right, wrong in zip(one.influence.pieces(None), other.influence.pieces(None), strict=True):  # type: ignore[arg-type]
        assert right == pytest.approx(-wrong, abs=1e-9)


@pytest.mark.parametrize("estimator", ALL, ids=by_name)
def test_merged_classes_are_one_class(estimator: Estimator) -> None:
    """Merging in the settings is merging in the frames, their probabilities added up."""
    rng = np.random.default_rng(4)
    source, target = random_answers(rng, 300, 3), random_answers(rng, 200, 3, labelled=False, tilt=0.2)
    merged = []
    for frame in (source, target):
        done = frame.assign(p_b=frame["p_b"] + frame["p_c"]).drop(columns="p_c")
        for column in {"label", "pred"} & set(frame.columns):
            done[column] = frame[column].replace({"c": "b"})
        merged.append(done)
    by_settings = estimator.estimate(state(source, target, slices=("z", "u"), merge={"b": ["c"]}))
    by_hand = estimator.estimate(state(*merged, slices=("z", "u")))
    assert by_settings.value == pytest.approx(by_hand.value, abs=1e-12)
    assert by_settings.influence.standard_error() == pytest.approx(by_hand.influence.standard_error(), rel=1e-9)


@pytest.mark.parametrize("estimator", ALL, ids=by_name)
def test_rows_as_arrays_state_the_same_problem(estimator: Estimator) -> None:
    """What follows states problems without frames; the numbers are those of frames."""
    rng = np.random.default_rng(17)
    source, target = random_answers(rng, 900, 3), random_answers(rng, 700, 3, labelled=False, tilt=0.1)
    by_frames = estimator.estimate(state(source, target, slices=("z", "u")))
    by_arrays = estimator.estimate(state_drawn(SamplePair.of(source, ("z", "u")), SamplePair.of(target, ("z", "u"))))
    assert by_arrays.value == pytest.approx(by_frames.value, abs=1e-12)
    assert by_arrays.influence.standard_error() == pytest.approx(by_frames.influence.standard_error(), rel=1e-9)


@pytest.mark.parametrize("estimator", [AverageConfidence(), DifferenceOfConfidences()], ids=by_name)
def test_influence_of_mean_confidences_is_their_derivative(estimator: Estimator) -> None:
    """Rows of both samples."""
    rng = np.random.default_rng(5)
    source, target = random_answers(rng, 20, 3), random_answers(rng, 20, 3, labelled=False, tilt=0.3)
    assert_influence_is_the_derivative(estimator, source, target)


@pytest.mark.parametrize("estimator", [ThresholdedConfidence(), ThresholdedEntropy()], ids=by_name)
def test_influence_of_a_threshold_among_ties_is_the_derivative(estimator: Estimator) -> None:
    """Within a level of tied rows the estimate is smooth in the source's accuracy."""
    source = answers([0.9, 0.9, 0.1, 0.7, 0.7, 0.3, 0.3, 0.6], [1, 1, 1, 1, 0, 0, 1, 1])
    target = answers([0.95, 0.9, 0.1, 0.7, 0.3, 0.7, 0.7, 0.65, 0.4])
    assert_influence_is_the_derivative(estimator, source, target)


@pytest.mark.parametrize("metric", OF_CLASSES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_influence_of_calibrated_probabilities_is_the_derivative(metric: str, n_classes: int) -> None:
    """Through the block means, the normalisation over classes and the metric."""
    rng = np.random.default_rng(6)
    source, target = random_answers(rng, 40, n_classes), random_answers(rng, 30, n_classes, labelled=False, tilt=0.3)
    assert_influence_is_the_derivative(Cbpe(), source, target, metric)


@pytest.mark.parametrize("metric", ["accuracy", "f1", "log_loss", "auroc"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_influence_through_weights_and_calibration_is_the_derivative(metric: str, n_classes: int) -> None:
    """Weights, block means and metric all move with each row."""
    rng = np.random.default_rng(7)
    source, target = random_answers(rng, 40, n_classes), random_answers(rng, 30, n_classes, labelled=False, tilt=0.2)
    assert_influence_is_the_derivative(Pape(), source, target, metric, slices=("z", "u"))


def test_weighted_calibration_with_nothing_shifted_is_the_unweighted_one() -> None:
    """Slices that are as frequent on the target as on the source give even weights."""
    rng = np.random.default_rng(8)
    source = random_answers(rng, 300, 3)
    target = random_answers(rng, 300, 3, labelled=False).assign(z=source["z"], u=source["u"])
    problem = state(source, target, "f1", slices=("z", "u"))
    assert Pape().estimate(problem).value == pytest.approx(Cbpe().estimate(problem).value, abs=1e-6)


def test_what_mandoline_sets_aside_weighted_calibration_sets_aside_too() -> None:
    """Target rows in a slice that no source row shows are not averaged over."""
    rng = np.random.default_rng(9)
    source = random_answers(rng, 300, 2).assign(new=0)
    target = random_answers(rng, 200, 2, labelled=False).assign(new=(np.arange(200) < 20).astype(int))
    whole, part = (state(source, rows, slices=("z", "new")) for rows in (target, target[20:]))
    for estimator in (Pape(), DoublyRobust()):
        found, expected = estimator.estimate(whole), estimator.estimate(part)
        assert found.value == pytest.approx(expected.value, abs=1e-9)
        assert found.beyond == ("new",)
        assert (found.kept < 1).any()
        source_part, target_part = found.influence.pieces(whole.members)
        assert found.influence.standard_error() == pytest.approx(expected.influence.standard_error(), rel=1e-6)
        assert (target_part[:20] == 0).all()
        assert found.weights(whole.members).sum() == pytest.approx(1)
        assert len(source_part) == 300


@pytest.mark.parametrize("split", ["half", "crossfit"])
def test_weighted_calibration_works_on_a_split_source(split: str) -> None:
    """Only rows that are evaluated calibrate; the estimate stays near the one of all rows."""
    rng = np.random.default_rng(10)
    source, target = random_answers(rng, 4000, 2), random_answers(rng, 4000, 2, labelled=False, tilt=0.3)
    whole = Pape().estimate(state(source, target, slices=("z", "u")))
    outcome = Pape().estimate(state(source, target, slices=("z", "u"), settings=EstimatorSettings(split=split)))
    assert abs(outcome.value - whole.value) < 4 * outcome.influence.standard_error()


@pytest.mark.parametrize("estimator", ON_PROBABILITIES, ids=by_name)
def test_rows_without_probabilities_are_left_out_and_counted(estimator: Estimator) -> None:
    """They move nothing, and a finding says how many they are."""
    rng = np.random.default_rng(11)
    source, target = random_answers(rng, 200, 2), random_answers(rng, 150, 2, labelled=False)
    # Two copies of a row have the slices' frequencies of one, so that dropping one changes no weight.
    source, target = (pd.concat([frame, frame], ignore_index=True) for frame in (source, target))
    holes = [frame.copy() for frame in (source, target)]
    holes[0].loc[200:, "p_a"] = np.nan
    holes[1].loc[150:, ["p_a", "p_b"]] = np.nan
    found = estimator.estimate(state(*holes, slices=("z", "u")))
    moved, own = found.influence.pieces(None)  # type: ignore[arg-type]
    if "slices" in estimator.needs:  # the weights are fitted to all rows' slices
        assert found.value == pytest.approx(
            estimator.estimate(state(source[:200], target[:150], slices=("z", "u"))).value
        )
    else:
        assert found.value == pytest.approx(estimator.estimate(state(source[:200], target[:150])).value)
        assert not moved[200:].any()
        assert not own[150:].any()
    said = [finding.message for finding in found.findings if finding.code == "rows_without_probabilities"]
    assert said == [
        "200 of 400 rows of source.csv have no prediction or class probabilities and are left out.",
        "150 of 300 rows of target.csv have no prediction or class probabilities and are left out.",
    ]


def test_predictions_by_another_threshold_are_a_finding_not_an_error() -> None:
    """Confidence is the probability of what is predicted, also where that is not the most probable class."""
    source = answers([0.1, 0.4, 0.6, 0.8, 0.9], [0, 1, 1, 1, 0], predicted=[0, 1, 1, 1, 1])
    target = answers([0.3, 0.45, 0.8, 0.95], predicted=[0, 1, 1, 1])
    outcome = AverageConfidence().estimate(state(source, target))
    assert outcome.value == pytest.approx((0.7 + 0.45 + 0.8 + 0.95) / 4)
    assert {finding.code for finding in outcome.findings} == {"prediction_not_most_probable"}
