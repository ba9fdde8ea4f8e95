"""Rules as people give them: slices, texts and functions, wherever slices are taken."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.slices import read_slices, slice_codes


@pytest.fixture
def samples() -> tuple[md.Sample, md.Sample]:
    """Return flights by hour and visibility: more late ones in the new data."""
    rng = np.random.default_rng(0)

    def frame(n: int, shift: int) -> pd.DataFrame:
        hour = np.clip(rng.integers(5, 20, n) + shift, 0, 23)
        late = (rng.random(n) < np.where(hour >= 17, 0.5, 0.2)).astype(int)
        return pd.DataFrame({"hour": hour, "visib": rng.integers(0, 20, n), "late": late, "pred": 0})

    return md.Sample(frame(400, 0), label="late", prediction="pred"), md.Sample(frame(300, 4).drop(columns="late"))


def test_texts_and_functions_give_the_numbers_of_the_slices_they_mean(samples):
    """By every function that takes slices."""

    def even(frame: pd.DataFrame) -> pd.Series:
        return frame["hour"] % 2 == 0

    late = md.Expression("hour at least 17", text="hour >= 17")
    low = md.Threshold("low visibility", column="visib", below=10)
    explicit = [late, low, md.slicing_function(even)]
    short = ["hour >= 17", "low visibility: visib < 10", even]
    for function in (md.estimate, md.slice_table, md.ablation, md.spread, md.suggest, md.compare, md.attribute):
        options = {"estimators": ["source", "mandoline"]} if function is md.compare else {}
        here, there = (function(*samples, rules, **options) for rules in (explicit, short))
        if function is md.estimate:
            assert here.estimate == there.estimate
            assert here.interval == there.interval
        elif function is md.spread:
            assert here["model"].interval == there["model"].interval
        else:
            pd.testing.assert_frame_equal(here.to_frame(), there.to_frame())
    tested = (md.backtest(*samples, rules, draws=3, estimators=["mandoline"]) for rules in (explicit, short))
    assert len({one.models["model"].expected_error("mandoline") for one in tested}) == 1
    model = samples[0].models[0]
    fit = md.prepare(*samples, short, model=model)
    assert [rule.name for rule in fit.cells.slices] == ["hour at least 17", "low visibility", "even"]


@given(st.integers(-3, 25), st.sampled_from(["<", "<=", ">", ">="]))
def test_a_text_means_what_its_expression_means(cut, sign):
    """In every row, whatever the cut."""
    rows = md.Sample(pd.DataFrame({"hour": [None, *range(24)]}))
    (rule,) = read_slices([f"hour {sign} {cut}"], rows, rows)
    expression = md.Expression("same", text=f"hour {sign} {cut}")
    assert slice_codes(rows, rule).tolist() == slice_codes(rows, expression).tolist()


def test_a_text_can_name_slices_before_it(samples):
    """As in the app's box."""
    rules = read_slices(
        ["late hours: hour >= 17", md.Threshold("clear", column="visib", above=9), "late hours and clear"], *samples
    )
    assert [rule.kind for rule in rules] == ["threshold", "threshold", "all"]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("hour >= 17", "slices must be a list. Got 'hour >= 17'. Write [...] around it."),
        ([17], "A slice must be a rule such as Keyword, a text or a function. Got 17."),
        (["hour"], "'hour' is a column. Add a condition, such as hour >= "),
        (["hour >= 17", "hour >= 17"], "Two slices are called 'hour at least 17'. Give each slice its own name."),
    ],
)
def test_what_is_no_rule_is_refused_in_one_sentence(samples, rules, message):
    """With what to write instead."""
    with pytest.raises(md.SliceError) as caught:
        md.estimate(*samples, rules)
    assert str(caught.value).startswith(message)


def test_two_functions_without_a_name_have_names_of_their_own(samples):
    """By their place in the list."""
    report = md.estimate(*samples, [lambda frame: frame["hour"] > 12, lambda frame: frame["visib"] > 9])
    assert [row.name for row in report.slices()] == ["function 1", "function 2"]
