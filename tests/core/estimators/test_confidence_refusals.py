"""What estimators on answers and probabilities refuse, and in what words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mandoline_core import Flag, MandolineError, MetricSettings, Model, Sample, prepare
from mandoline_core.estimators.base import Estimator
from mandoline_core.estimators.bbse import Bbse
from mandoline_core.estimators.cot import CotWeighted
from mandoline_core.estimators.doubly_robust import DoublyRobust
from mandoline_core.weighting.problem import Problem
from tests.core.answered import answers, state
from tests.core.estimators.test_confidence_estimators import (
    ALL,
    OF_ACCURACY,
    OF_ANYTHING,
    OF_CLASSES,
    ON_PROBABILITIES,
    SOURCE,
    TARGET,
    by_name,
)


def refusals(problem: Problem, estimators: tuple[Estimator, ...] = ON_PROBABILITIES) -> set[str | None]:
    """Collect why methods do not apply; estimating must refuse with the same sentence."""
    reasons = set()
    for estimator in estimators:
        reasons.add(why := estimator.reason(problem))
        if why is not None:
            with pytest.raises(MandolineError) as caught:
                estimator.estimate(problem)
            assert str(caught.value) == why
    return reasons


def test_methods_say_that_probabilities_are_missing() -> None:
    """No columns named, or named and not in the target."""
    assert refusals(state(SOURCE, TARGET, probabilities={})) == {
        "Model 'm' has no class probabilities. Set probabilities in [[models]]."
    }
    model = Model("m", "pred", {"a": "p_a", "b": "p_b"})
    target = Sample(TARGET.drop(columns="p_b").assign(z=1), name="target.csv")
    source = Sample(SOURCE.assign(z=1), label="label", name="source.csv")
    problem = prepare(source, target, [Flag("z", column="z")], model=model).problem
    (why,) = refusals(problem)
    assert why is not None
    assert why.startswith("Column 'p_b' is not in target.csv.")


def test_methods_say_that_probabilities_do_not_add_up() -> None:
    """With the share of rows and the worst of them."""
    (why,) = refusals(state(SOURCE, TARGET.assign(p_a=[0.7, 0.55, 0.4, 0.05])))
    assert why is not None
    assert "do not sum to 1 in 1 of 4 rows of target.csv (row 3: 1.2)" in why


def test_methods_say_that_probabilities_contradict_predictions() -> None:
    """As when the columns are named the wrong way round."""
    (why,) = refusals(state(SOURCE, TARGET, probabilities={"a": "p_b", "b": "p_a"}))
    assert why is not None
    assert "The prediction of model 'm' is not its most probable class in 100.0% of the rows of source.csv." in why


def test_methods_say_that_a_class_has_no_probability() -> None:
    """A label that no column stands for."""
    (why,) = refusals(state(SOURCE.assign(label=["a", "b", "c", "b", "a"]), TARGET))
    assert why is not None
    assert why.startswith("Model 'm' has no probability for class 'c' of source.csv.")


def test_calibration_needs_two_classes_of_labels() -> None:
    """Methods that do not calibrate do without."""
    problem = state(SOURCE.assign(label="b"), TARGET)
    (why,) = refusals(problem, OF_ANYTHING)
    assert why == ("Every label of source.csv is 'b'. Label rows of at least two classes.")
    assert refusals(problem, OF_ACCURACY) == {None}


def test_calibration_needs_every_class_in_the_source() -> None:
    """A class that only the target's predictions bring has nothing to be calibrated on; accuracy methods need none."""
    rng = np.random.default_rng(12)
    target = answers(rng.dirichlet(np.ones(3), 50))
    source = answers(rng.dirichlet([9, 9, 1], 60), rng.integers(0, 2, 60), predicted=rng.integers(0, 2, 60))
    source["pred"] = np.where(source["p_a"] > source["p_b"], "a", "b")
    for metric in ("accuracy", "f1", "brier"):
        (why,) = refusals(state(source, target, metric), (*OF_ANYTHING, DoublyRobust(), Bbse()))
        assert why == (
            "target.csv has predictions of class 'c', which does not occur in source.csv. "
            "Label rows of this class, or merge it with another."
        )
    assert refusals(state(source, target), OF_ACCURACY) == {None}


def with_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Call the classes 1 and 2."""
    names = {"a": "1", "b": "2"}
    return frame.assign(**{column: frame[column].map(names) for column in ("label", "pred") if column in frame})


@pytest.mark.parametrize("metric", [name for name in OF_CLASSES if name not in ("accuracy", "error")])
def test_methods_of_accuracy_refuse_other_metrics(metric: str) -> None:
    """They say which they can do."""
    numbered = metric == "quadratic_kappa"  # it needs classes with an order
    source, target = (with_numbers(frame) if numbered else frame for frame in (SOURCE, TARGET))
    columns = {"1": "p_a", "2": "p_b"} if numbered else None
    problem = state(source, target, metric, probabilities=columns)
    (why,) = refusals(problem, (*OF_ACCURACY, CotWeighted()))
    assert why == (
        f"This method estimates accuracy only. Metric {metric!r} needs another method, such as cbpe. "
        "Or choose metric 'accuracy' or 'error'."
    )
    assert refusals(problem, OF_ANYTHING) == {None}


def test_methods_refuse_metrics_that_are_not_about_classes() -> None:
    """Also where there is no model at all."""
    frame = pd.DataFrame({"loss": [0.1, 0.2, 0.7], "z": [0, 1, 1]})
    settings = MetricSettings("mean", column="loss")
    problem = prepare(Sample(frame), Sample(frame), [Flag("z", column="z")], model=None, metric=settings).problem
    (why,) = refusals(problem, [one for one in ALL if one.name != "doubly_robust"])  # which is for numbers, too
    assert why is not None
    assert "This method is for classifiers. Metric 'mean' is not." in why


@pytest.mark.parametrize("estimator", ALL, ids=by_name)
def test_methods_refuse_problems_of_codes_alone(estimator: Estimator) -> None:
    """Without rows there are no answers to look at."""
    problem = replace(state(SOURCE, TARGET), rows=None)
    assert estimator.reason(problem) == ("This method needs rows. Only slice codes are given.")


@pytest.mark.parametrize("estimator", ALL, ids=by_name)
def test_methods_describe_themselves(estimator: Estimator) -> None:
    """One sentence on what must hold, and what is looked at."""
    assert estimator.assumes.endswith(".")
    assert estimator.later
    assert set(estimator.needs) <= {"slices", "features", "scores", "predictions", "probabilities"}
    assert estimator.name == estimator.name.lower()
