"""Roles are guessed by name and by content, with the reason in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mandoline_core import Model, Sample, load_project
from mandoline_core.project import RoleGuess, are_numbers, choose_models, guess_roles
from tests.core.projects import DIGITS, REVIEWS

RNG = np.random.default_rng(0)
N = 200
LABEL = RNG.choice(["no", "yes"], N)
RIGHT = np.where(RNG.random(N) < 0.8, LABEL, np.where(LABEL == "no", "yes", "no"))


def guess(source: dict[str, object], *, lacking: str = "") -> RoleGuess:
    """Guess on a source whose target lacks one column."""
    frame = pd.DataFrame(source)
    return guess_roles(Sample(frame, name="source.csv"), [column for column in frame if column != lacking])


@pytest.mark.parametrize("path", [REVIEWS, DIGITS], ids=["reviews", "digits"])
def test_the_samples_are_guessed_as_their_projects_say(path: Path) -> None:
    project = load_project(path)
    source, target = project.read()
    found = guess_roles(Sample(source.frame), target.columns)
    assert (found.label, found.models) == (project.label, project.models)
    assert found.complete
    assert not found.problems


@pytest.mark.parametrize(
    ("column", "model"),
    [
        ("pred", "model"),
        ("prediction", "model"),
        ("y_pred", "model"),
        ("yhat", "model"),
        ("y_hat", "model"),
        ("pred_lr", "lr"),
        ("prediction.big model", "big model"),
        ("lr_pred", "lr"),
        ("forest-predicted", "forest"),
    ],
)
def test_predictions_go_by_name(column: str, model: str) -> None:
    found = guess({"label": LABEL, column: RIGHT}, lacking="label")
    assert [(one.name, one.prediction) for one in found.models] == [(model, column)]
    assert "named like predictions" in found.reasons[column]


@pytest.mark.parametrize("name", ["label", "Label", "y", "target", "class", "truth", "gold", "true_label"])
def test_the_label_goes_by_name_even_if_the_target_has_it(name: str) -> None:
    assert guess({"group": RNG.choice(["p", "q"], N), name: LABEL, "pred": RIGHT}).label == name


def test_a_column_that_the_target_lacks_is_the_label() -> None:
    found = guess({"group": RNG.choice(["p", "q"], N), "outcome": LABEL, "pred": RIGHT}, lacking="outcome")
    assert found.label == "outcome"
    assert found.reasons["outcome"] == "only in the labelled data"


def test_predictions_go_by_content_where_no_name_tells() -> None:
    flag = RNG.choice(["no", "yes"], N)  # the label's values, but no relation to it
    found = guess({"label": LABEL, "flag": flag, "answer": RIGHT}, lacking="label")
    assert [model.prediction for model in found.models] == ["answer"]
    assert "agrees with it on" in found.reasons["answer"]


def test_a_bad_model_is_proposed_not_taken() -> None:
    """It agrees less often than the most frequent class would, so it may be another column with these values."""
    frame = pd.DataFrame({"label": ["a"] * 9 + ["b"], "output": ["a"] * 5 + ["b"] * 5, "size": range(10)})
    (problem,) = guess_roles(Sample(frame), ["output", "size"]).problems
    assert problem.endswith("with the label's values. Is it output?")


@pytest.mark.parametrize(
    ("no", "yes"),
    [
        ("prob_lr_no", "prob_lr_yes"),
        ("proba_no", "proba_yes"),
        ("p_no", "p_yes"),
        ("lr_prob_no", "lr_prob_yes"),
        ("no_probability", "yes_probability"),
        ("lr_no", "lr_yes"),
    ],
)
def test_probabilities_go_by_name_and_add_up(no: str, yes: str) -> None:
    share = RNG.random(N)
    found = guess({"label": LABEL, "pred_lr": RIGHT, no: 1 - share, yes: share}, lacking="label")
    assert dict(found.models[0].probabilities) == {"no": no, "yes": yes}
    assert "add up to 1" in found.reasons[yes]


@pytest.mark.parametrize("scale", [100.0, 0.5], ids=["percentages", "not adding up"])
def test_columns_that_are_no_probabilities_are_left_out(scale: float) -> None:
    share = RNG.random(N)
    found = guess({"label": LABEL, "pred": RIGHT, "p_no": scale * (1 - share), "p_yes": scale * share}, lacking="label")
    assert not found.models[0].probabilities


def test_probabilities_without_a_model_name_are_no_guess_between_two_models() -> None:
    share = RNG.random(N)
    frame = {"label": LABEL, "pred_a": RIGHT, "pred_b": RIGHT, "p_no": 1 - share, "p_yes": share}
    assert not any(model.probabilities for model in guess(frame, lacking="label").models)


def test_prose_keys_and_measurements_are_nothing() -> None:
    found = guess({"id": range(N), "text": [f"row {i}" for i in range(N)], "size": RNG.random(N)}, lacking="id")
    assert found.label is None
    assert not found.complete
    assert len(found.problems) == 2


def test_swapped_files_are_noticed() -> None:
    frame = pd.DataFrame({"text": ["a", "b"] * 10, "pred": ["no", "yes"] * 10})
    found = guess_roles(Sample(frame), ["text", "pred", "label"])
    assert "are the two files swapped?" in found.problems[0]


def test_predictions_that_the_target_lacks_are_a_problem() -> None:
    found = guess_roles(Sample(pd.DataFrame({"label": LABEL, "pred": RIGHT, "text": "a"})), ["text"])
    assert not found.models
    assert "Run the model on the new rows" in found.problems[0]


def test_predictions_with_other_values_than_the_label_are_a_problem() -> None:
    found = guess({"label": LABEL, "pred": np.where(RIGHT == "no", "0", "1")}, lacking="label")
    assert found.problems[0] == "pred is named like predictions but shares no value with label. Check both."


def test_numbers_and_texts_of_the_same_class_are_the_same() -> None:
    found = guess({"label": (LABEL == "yes").astype(int), "pred": np.where(RIGHT == "no", "0", "1")}, lacking="label")
    assert [model.prediction for model in found.models] == ["pred"]


def test_a_file_sorted_by_class_is_seen_whole() -> None:
    n = 50_000
    label = np.repeat(["no", "yes"], n // 2)
    share = np.where(label == "yes", 0.8, 0.2)
    frame = pd.DataFrame({"label": label, "pred": label, "p_no": 1 - share, "p_yes": share})
    found = guess_roles(Sample(frame), ["pred", "p_no", "p_yes"])
    assert set(found.models[0].probabilities) == {"no", "yes"}


def test_choosing_predictions_keeps_the_models_that_are_known() -> None:
    project = load_project(REVIEWS)
    source, target = project.read()
    lr, nb = project.models
    known = [lr]
    found = choose_models(Sample(source.frame), target.columns, "label", ["pred_nb", "pred_lr"], known)
    assert found == (nb, lr)
    assert found[1] is lr


PRICE = RNG.gamma(3.0, 1000.0, N)
CLOSE = PRICE * RNG.normal(1, 0.1, N)


def test_numbers_are_guessed_by_name() -> None:
    """Predictions of a price are not its values; a column only the labelled data has is the label."""
    found = guess({"carat": PRICE / 4000, "price": PRICE, "pred_lr": CLOSE, "pred_nb": CLOSE + 1}, lacking="price")
    assert (found.label, [one.prediction for one in found.models]) == ("price", ["pred_lr", "pred_nb"])
    assert found.problems == ()
    assert are_numbers(Sample(pd.DataFrame({"price": PRICE, "p": CLOSE})), "price", [Model("m", "p")])


def test_numbers_are_guessed_by_content_only_in_the_units_of_the_label() -> None:
    """What goes up with the price is not a prediction of it."""
    found = guess({"carat": PRICE / 4000, "price": PRICE, "valued": CLOSE}, lacking="price")
    assert [one.prediction for one in found.models] == ["valued"]
    assert found.reasons["valued"].startswith("in the units of price, and explains 9")
    assert not guess({"carat": PRICE / 4000, "price": PRICE}, lacking="price").complete


def test_a_label_that_is_named_is_taken_whatever_the_new_data_have() -> None:
    frame = pd.DataFrame({"price": PRICE, "other": PRICE[::-1], "prediction": CLOSE})
    found = guess_roles(Sample(frame), list(frame), "price")
    assert (found.label, [one.prediction for one in found.models]) == ("price", ["prediction"])


def test_stars_with_predictions_between_them_are_numbers() -> None:
    """Few whole numbers are classes only if the predictions are, too."""
    stars = RNG.integers(1, 6, N)
    between = guess({"stars": stars, "pred": stars + RNG.normal(0, 0.3, N)}, lacking="stars")
    assert (between.label, between.models[0].prediction) == ("stars", "pred")
    classes = guess({"stars": stars, "pred": np.roll(stars, 1)}, lacking="stars")
    frame = pd.DataFrame({"stars": stars, "pred": np.roll(stars, 1), "close": stars + 0.1})
    assert not are_numbers(Sample(frame), "stars", classes.models)
    assert are_numbers(Sample(frame), "stars", [Model("m", "close")])
    assert not are_numbers(Sample(frame), "stars", [])
