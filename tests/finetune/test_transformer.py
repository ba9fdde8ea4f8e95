"""A fine-tuned model tells the samples apart on rows that it did not see, says how sure it is, and does so again."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from mandoline_core.arrays import Floats
from mandoline_core.domain_classifier import auc
from mandoline_core.estimators.cbiw_finetuned import crossfit
from mandoline_core.estimators.transformer import Texts, Trainer, Tuning, alone
from tests.finetune.tiny import CHATTY, PLAIN, SHARES, TUNING, WORDS, draw


def learn(folder: Path, texts: Texts, n_source: int, *, seed: int = 0, **settings: Any) -> tuple[Floats, Floats]:
    """Fine-tune the tiny model, cross-fitted; as the method does."""
    tuning = Tuning(folder, **(TUNING | settings), seed=seed)
    with alone(lambda: None):
        trainer = Trainer(tuning, texts, lambda *_: None)
        return crossfit(n_source, len(texts[0]) - n_source, trainer.fit, folds=tuning.folds, seed=seed)


def sentences(seed: int, n: int, words: list[str], length: int = 8) -> list[str]:
    """Draw texts of words."""
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(words, length)) for _ in range(n)]


def null_error(n_source: int, n_target: int) -> float:
    """Compute the standard error of an AUC where nothing tells the samples apart."""
    return math.sqrt((n_source + n_target + 1) / (12 * n_source * n_target))


def test_samples_of_other_words_are_told_apart(folder: Path) -> None:
    """On rows that no fit saw, and with samples of unlike sizes."""
    source, target = learn(folder, (sentences(1, 200, PLAIN) + sentences(2, 80, CHATTY),), 200)
    assert auc(source, target) > 0.98
    assert len(source) == 200
    assert len(target) == 80
    assert source.max() < 1


def test_samples_drawn_alike_are_not_told_apart(folder: Path) -> None:
    """A fit that knows its own rows by heart has learned nothing about others: luck alone is left."""
    n, texts = 150, (sentences(3, 300, WORDS, 12),)
    settings = {"epochs": 30}
    apart = learn(folder, texts, n, **settings)
    assert abs(auc(*apart) - 0.5) < 4 * null_error(n, n)
    tuning = Tuning(folder, **(TUNING | settings), seed=0)
    with alone(lambda: None):
        rows, new = np.arange(2 * n), np.repeat([0.0, 1.0], n)
        by_heart = Trainer(tuning, texts, lambda *_: None).fit(0, rows, new)(rows)
    assert auc(by_heart[:n], by_heart[n:]) > 0.9, "the fit is strong enough to deceive itself"


def test_no_fit_sees_a_row_that_it_scores_or_calibrates(folder: Path) -> None:
    """Fold by fold: learned, calibrating and scored rows have none in common, and every row is scored once."""
    asked: list[tuple[str, set[int]]] = []
    with alone(lambda: None):
        texts = (sentences(4, 60, PLAIN) + sentences(5, 60, CHATTY),)
        trainer = Trainer(Tuning(folder, **(TUNING | {"epochs": 1}), seed=0), texts, lambda *_: None)

        def fit(number: int, rows: Any, new: Any) -> Any:
            asked.append(("learned", set(rows)))
            score = trainer.fit(number, rows, new)

            def watched(some: Any) -> Any:
                asked.append(("scored", set(some)))
                return score(some)

            return watched

        crossfit(60, 60, fit, folds=4, seed=0)
    folds = [asked[start : start + 3] for start in range(0, len(asked), 3)]
    assert len(folds) == 4
    for (_, learned), (_, calibrating), (_, scored) in folds:
        assert not learned & calibrating
        assert not learned & scored
        assert not calibrating & scored
        assert len(learned) + len(calibrating) + len(scored) == 120
    assert sorted(row for *_, (_, scored) in folds for row in scored) == list(range(120))


def test_probabilities_are_calibrated(folder: Path) -> None:
    """Of rows that look alike, so many are from the target as is said: 0.7 / (0.2 + 0.7) of chatty ones, say."""
    n = 1000
    frames = [draw(6 + i, n, share) for i, share in enumerate(SHARES)]
    found = learn(folder, ([text for frame in frames for text in frame["text"]],), n)
    chatty = np.concatenate([frame["chatty"] for frame in frames])
    probabilities = np.concatenate(found)
    for which, (here, there) in ((chatty, SHARES), (~chatty, tuple(1 - share for share in SHARES))):
        expected = there / (here + there)
        error = math.sqrt(expected * (1 - expected) / which.sum())
        assert abs(probabilities[which].mean() - expected) < 4 * error


def test_the_same_seed_gives_the_same_probabilities(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last digit, on several cores and also where others limit threads; another seed gives others."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    texts = (sentences(8, 60, PLAIN) + sentences(9, 60, WORDS),)
    first, again, other = (learn(folder, texts, 60, seed=seed) for seed in (0, 0, 1))
    with threadpool_limits(1):
        limited = learn(folder, texts, 60, seed=0)
    for found in (again, limited):
        np.testing.assert_array_equal(found[0], first[0])
        np.testing.assert_array_equal(found[1], first[1])
    assert not np.array_equal(other[0], first[0])


def test_what_is_pytorchs_own_is_left_as_it_was(folder: Path) -> None:
    """Its random numbers, its threads and what Transformers prints."""
    import torch
    from transformers.utils import logging

    def state() -> tuple[object, ...]:
        strict = torch.are_deterministic_algorithms_enabled()
        return torch.get_num_threads(), logging.get_verbosity(), logging.is_progress_bar_enabled(), strict

    before, numbers = state(), torch.random.get_rng_state()
    learn(folder, (sentences(10, 40, WORDS),), 20, epochs=1)
    assert state() == before
    assert torch.equal(torch.random.get_rng_state(), numbers)


@pytest.mark.parametrize("n_columns", [2, 3])
def test_a_later_column_is_read(folder: Path, n_columns: int) -> None:
    """The first says nothing; the last tells the samples apart."""
    nothing = sentences(11, 160, PLAIN, 4)
    telling = sentences(12, 80, PLAIN, 4) + sentences(13, 80, CHATTY, 4)
    found = learn(folder, (nothing,) * (n_columns - 1) + (telling,), 80, epochs=12)
    assert auc(*found) > 0.95


def test_texts_longer_than_the_model_can_read_are_cut(folder: Path) -> None:
    """It has 64 places; empty texts are read, too."""
    found = learn(folder, ([*sentences(14, 40, PLAIN, 500), "", *sentences(15, 39, CHATTY, 500)],), 40)
    assert auc(*found) > 0.9
