"""Errors are in points, and directions are asked for only where there is one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mandoline_core.errors import MandolineError
from mandoline_core.paper.evaluation import ShiftCase, directions, errors, judge, mean_error, roles, share
from mandoline_core.paper.text_models import learn, pair_words, plain_words, predictions
from mandoline_core.slices import Flag


def _case(right_inside: float) -> ShiftCase:
    """Half of the source is inside a slice and all of the target; outside the model is always right."""

    def frame(inside: int, outside: int) -> pd.DataFrame:
        right = round(right_inside * inside)
        said = ["a"] * right + ["b"] * (inside - right) + ["a"] * outside
        return pd.DataFrame({"in": [1] * inside + [0] * outside, "label": "a", "pred_m": said})

    source = frame(100, 100)
    return ShiftCase(source, frame(190, 10), roles(source))


def test_errors_are_in_points() -> None:
    found = judge(_case(0.5), [Flag("in", column="in")], ("source", "mandoline"))
    assert errors(found, "source")["m"] == pytest.approx(22.5)
    assert errors(found, "mandoline")["m"] == pytest.approx(0.0, abs=1e-6)
    assert directions(found, "mandoline") == [True]
    assert mean_error([-3.0, 1.0]) == 2.0
    assert share([True, False]) == 50.0


def test_a_change_too_small_to_see_has_no_direction() -> None:
    found = judge(_case(1.0), [Flag("in", column="in")], ("source", "mandoline"))
    assert directions(found, "mandoline") == []


def test_a_method_without_an_estimate_is_an_error() -> None:
    with pytest.raises(MandolineError, match="mandoline found no estimate for m"):
        judge(_case(0.5), [], ("mandoline",))


@pytest.mark.parametrize("kind", ["lr", "nb", "forest"])
def test_models_learn_words_and_answer_with_probabilities(kind: str) -> None:
    texts = pd.Series(["Fine, so fine.", "Dull! So dull."] * 20)
    model = learn(kind, plain_words(texts), ["good", "bad"] * 20, seed=0)
    found = predictions({"m": model}, plain_words(pd.Series(["fine", "dull"])))
    assert found["pred_m"].tolist() == ["good", "bad"]
    np.testing.assert_allclose(found["prob_m_good"] + found["prob_m_bad"], 1.0)
    again = predictions({"m": learn(kind, plain_words(texts), ["good", "bad"] * 20, seed=0)}, ["fine", "dull"])
    pd.testing.assert_frame_equal(found, again)


def test_words_of_a_pair_say_what_is_added_dropped_and_replaced() -> None:
    pairs = pd.DataFrame({"premise": ["Two men run."], "hypothesis": ["Two women run."]})
    assert "men>women" in pair_words(pairs)[0].split()
    same = pd.DataFrame({"premise": ["Two men run."], "hypothesis": ["Men run."]})
    assert {"added:0", "shared:10", "-two"} <= set(pair_words(same)[0].split())
