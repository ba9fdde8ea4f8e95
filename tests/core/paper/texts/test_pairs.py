"""Sentence pairs have the structure of SNLI, MultiNLI and HANS."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mandoline_core.paper.text_models import with_structure
from mandoline_core.paper.texts.pairs import CAPTIONS, GENRES, HEURISTICS, RELATIONS, write_heuristics, write_pairs


@pytest.fixture(scope="module")
def captions() -> pd.DataFrame:
    return with_structure(write_pairs([CAPTIONS], 6000, np.random.default_rng(0)))


@pytest.fixture(scope="module")
def heuristics() -> pd.DataFrame:
    return with_structure(write_heuristics(40, np.random.default_rng(0)))


def test_relations_are_about_as_frequent(captions: pd.DataFrame) -> None:
    shares = captions["label"].value_counts(normalize=True)
    assert set(shares.index) == set(RELATIONS)
    assert shares.between(0.28, 0.39).all()


def test_captions_that_repeat_every_word_nearly_always_follow(captions: pd.DataFrame) -> None:
    """In SNLI 1.7% of them do not."""
    repeating = captions[captions["new_words"] == 0]
    assert len(repeating) > 300
    assert 0 < (repeating["label"] != "entailment").mean() < 0.04


def test_contradictions_are_often_negated(captions: pd.DataFrame) -> None:
    negated = captions["hypothesis"].str.contains(r"\bnot\b")
    assert (captions.loc[negated, "label"] == "contradiction").mean() > 0.85
    assert negated.mean() > 0.03


def test_genres_share_half_of_the_words_with_captions_and_have_their_own() -> None:
    texts = {
        "captions": write_pairs([CAPTIONS], 3000, np.random.default_rng(0)),
        "genres": write_pairs(GENRES, 3000, np.random.default_rng(1)),
    }
    words = {name: set(" ".join(pairs["premise"]).lower().split()) for name, pairs in texts.items()}
    assert len(words["genres"] - words["captions"]) > 100
    assert len(words["captions"] - words["genres"]) > 20
    assert len(words["captions"] & words["genres"]) > 40
    assert (
        texts["genres"]["premise"].str.split().str.len().mean()
        > texts["captions"]["premise"].str.split().str.len().mean()
    )


def test_all_thirty_templates_repeat_every_word(heuristics: pd.DataFrame) -> None:
    assert (heuristics["new_words"] == 0).all()
    assert heuristics["template"].nunique() == 30
    assert set(heuristics["heuristic"]) == set(HEURISTICS)
    assert (heuristics.groupby(["heuristic", "label"]).size() == 5 * 40).all()


def test_subsequences_and_constituents_are_pieces_of_the_first_sentence(heuristics: pd.DataFrame) -> None:
    pieces = heuristics.groupby("heuristic")["contiguous"].mean()
    assert pieces["subsequence"] == pieces["constituent"] == 1.0
    assert pieces["lexical_overlap"] < 0.5


def test_structure_is_read_from_words() -> None:
    pairs = pd.DataFrame(
        {"premise": ["The poet that sang slept."] * 2, "hypothesis": ["The poet slept.", "Poet danced"]}
    )
    found = with_structure(pairs)
    assert found["same_order"].tolist() == [1, 1]
    assert found["contiguous"].tolist() == [0, 0]
    assert found["new_words"].tolist() == [0, 1]
    assert found["words_fewer"].tolist() == [2, 3]
    assert found["past"].tolist() == [0, 1]
