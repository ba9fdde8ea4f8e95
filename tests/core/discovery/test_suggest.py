"""Suggestions find what is off and matters, say why, and are applied only on request."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.errors import MandolineError
from tests.core.discovery.shifted import samples

SOURCE, TARGET, TRUTH = samples(1500)
TWIN = "text contains desk"  # 'refund' matches the same rows; of two alike, the first in the alphabet
SOUTH = md.Category("south", column="region", values=("south",))


@pytest.fixture(scope="module")
def found() -> md.Suggestions:
    return md.suggest(SOURCE, TARGET, [SOUTH], auto=True)


def place(found: md.Suggestions, words: str) -> int:
    """Return the place of the first suggestion whose rule says so; a high number where there is none."""
    return next((i for i, one in enumerate(found.suggestions) if words in one.words), 1000)


def test_what_is_off_and_matters_comes_first(found: md.Suggestions) -> None:
    """A hard word and a hard age range that became frequent stand out; a word that only shifts comes after them."""
    assert max(place(found, TWIN), place(found, "age above")) < place(found, "text contains sunny")
    assert all(one.stands_out for one in found.suggestions[:2])


def test_both_factors_are_shown_and_their_product_is_the_effect(found: md.Suggestions) -> None:
    one = found.suggestions[place(found, TWIN)]
    trial = one.first
    assert one.source == pytest.approx(0.15, abs=0.03)
    assert one.target == pytest.approx(0.40, abs=0.03)
    assert trial.gap == pytest.approx(one.target - one.source, abs=0.02)
    assert trial.difference == pytest.approx(-0.35, abs=0.08)
    assert trial.effect == pytest.approx(trial.gap * trial.difference, abs=0.01)
    assert trial.interval[0] < trial.estimate < trial.interval[1]
    assert trial.effective_sample_size < SOURCE.n_rows
    assert one.unexplained is not None
    assert "of labelled rows after weighting" in one.reason
    assert "lower than the slices explain" in one.reason


def test_the_estimate_with_a_suggestion_is_the_one_of_a_project_that_has_it(found: md.Suggestions) -> None:
    one = found.suggestions[0]
    report = md.estimate(SOURCE, TARGET, [SOUTH, one.rule], spread=False)
    assert one.first.estimate == pytest.approx(report.estimate, abs=1e-12)
    assert one.first.interval == pytest.approx(report.interval, abs=1e-12)


def test_a_word_is_not_proposed_next_to_its_twin(found: md.Suggestions) -> None:
    """'refund' and 'desk' always stand together: one of 'refund', 'desk' and 'refund desk' is enough."""
    said = [one.words for one in found.suggestions]
    assert (
        sum(words in ("text contains refund", "text contains desk", "text contains refund desk") for words in said) == 1
    )


def test_function_words_are_not_first_in_line(found: md.Suggestions) -> None:
    """'of' shifts most of all; where it is shown at all, it is last."""
    assert place(found, "contains of") in (len(found.suggestions) - 1, 1000)


def test_a_slice_that_is_there_is_not_proposed_again(found: md.Suggestions) -> None:
    assert place(found, "region") == 1000


def test_auto_accepts_what_stands_out_and_comes_closer(found: md.Suggestions) -> None:
    accepted = found.accepted
    assert accepted is not None
    report = accepted.reports["model"]
    assert 2 <= len(accepted.rules) <= 8
    assert abs(report.estimate - TRUTH) < abs(found.start["model"] - TRUTH) / 3
    low, high = accepted.intervals["model"]
    assert low <= report.interval[0] < report.interval[1] <= high
    curve = accepted.curves["model"]
    assert [point.slice for point in curve] == [None, *found.as_dict()["accepted"]]
    assert curve[0].estimate == pytest.approx(found.start["model"])
    assert curve[-1].estimate == pytest.approx(report.estimate)


def test_without_being_asked_nothing_is_accepted() -> None:
    assert md.suggest(SOURCE, TARGET, [SOUTH], most=1).accepted is None


def test_never_takes_rules_and_names() -> None:
    first = md.suggest(SOURCE, TARGET, [SOUTH], most=1).suggestions[0]
    for never in (first.rule, first.name):
        again = md.suggest(SOURCE, TARGET, [SOUTH], most=1, never=[never])
        assert again.suggestions[0].name != first.name


def test_labels_of_the_target_change_nothing() -> None:
    """Not even where the target brings a column with the label's name."""
    labels = np.random.default_rng(0).choice(["bad", "good"], TARGET.n_rows)
    revealed = md.Sample(TARGET.frame.to_pandas().assign(y=labels), label="y")
    plain, told = (md.suggest(SOURCE, one, [SOUTH], most=3).as_dict() for one in (TARGET, revealed))
    assert plain == told


def test_it_starts_from_no_slices_at_all() -> None:
    found = md.suggest(SOURCE, TARGET, [], most=2, auto=True)
    frame = SOURCE.frame.to_pandas()
    assert found.start["model"] == pytest.approx((frame["p"] == frame["y"]).mean())
    assert found.accepted is not None
    assert found.accepted.rules


def test_pairs_of_slices_are_proposed_as_edges() -> None:
    """Two slices that are each as frequent as before, but together more often, and wrong only together."""
    rng = np.random.default_rng(1)

    def draw(n: int, together: float) -> dict[str, np.ndarray]:
        one = rng.random(n) < 0.5
        other = np.where(rng.random(n) < together, one, ~one)
        right = rng.random(n) < np.where(one == other, 0.6, 0.95)
        label = rng.random(n) < 0.5
        return {"a": one, "b": other, "y": label, "p": np.where(right, label, ~label)}

    source = md.Sample(pd.DataFrame(draw(2000, 0.5)), label="y", prediction="p")
    target = md.Sample(pd.DataFrame(draw(2000, 0.8)).drop(columns="y"))
    slices = [md.Flag("a", column="a"), md.Flag("b", column="b")]
    first = md.suggest(source, target, slices, most=1, edges=()).suggestions[0]
    assert first.rule == ("a", "b")
    assert first.first.estimate == pytest.approx(md.estimate(source, target, slices, edges=[("a", "b")]).estimate)


def test_two_samples_of_one_population_give_nothing_to_accept() -> None:
    other = md.Sample(samples(seed=11)[0].frame.to_pandas().drop(columns="y"))
    found = md.suggest(SOURCE, other, [SOUTH], auto=True)
    assert found.accepted is not None
    assert found.accepted.rules == ()
    assert not any(one.stands_out for one in found.suggestions)


def test_progress_grows_and_may_stop_the_search() -> None:
    shares: list[float] = []
    md.suggest(SOURCE, TARGET, [SOUTH], most=2, progress=lambda _what, share: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] <= 1

    class StoppedError(Exception):
        """Stands for a visitor who left."""

    def stop(_what: str, share: float) -> None:
        if share > 0.2:
            raise StoppedError

    with pytest.raises(StoppedError):
        md.suggest(SOURCE, TARGET, [SOUTH], progress=stop)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"most": 0}, "most must be a whole number, 1 or more. Got 0."),
        ({"estimator": "source"}, "Method 'source' does not use slices"),
    ],
)
def test_what_cannot_be_done_is_said(asked: dict[str, object], said: str) -> None:
    with pytest.raises(MandolineError, match=said):
        md.suggest(SOURCE, TARGET, [SOUTH], **asked)  # type: ignore[arg-type]


def test_each_model_has_its_own_reason_with_the_shares_that_are_shown() -> None:
    """What is said to somebody who looks at one model is about that model."""
    rows = [sample.frame.to_pandas() for sample in (SOURCE, TARGET)]
    rng = np.random.default_rng(1)
    for frame in rows:
        right = rng.random(len(frame)) < 0.9 - 0.3 * (frame["age"] > 50)
        frame["q"] = frame["p"].where(right, "good")
    models = [md.Model("first", "p"), md.Model("second", "q")]
    found = md.suggest(md.Sample(rows[0], label="y", models=models), md.Sample(rows[1], models=models), [SOUTH])
    for one in found.suggestions[:3]:
        assert one.reason == one.reason_for(one.model)
        for model in one.reasons:
            assert f" of {model} is " in one.reason_for(model)
            assert f"{one.shares[model][1]:.1%} of new rows" in one.reason_for(model)
    assert any(set(one.reasons) == {"first", "second"} for one in found.suggestions)
