"""What all kinds of text have in common: the same seed writes the same, and nobody is hurt by it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from mandoline_core.paper.texts.comments import write_comments
from mandoline_core.paper.texts.grammar import Draws
from mandoline_core.paper.texts.pairs import CAPTIONS, GENRES, write_heuristics, write_pairs
from mandoline_core.paper.texts.reviews import FILMS, POSTS, PRODUCTS, RESTAURANTS, edit_reviews, write_reviews

# Stems that no text of ours may hold: insults, violence, drugs, illness, faith, origin, and what belongs to bedrooms.
UNWANTED = (
    "abus", "addict", "alcohol", "assault", "attack", "bastard", "beat", "bitch", "black", "blood", "bomb", "christ",
    "corpse", "crap", "creep", "crime", "cripple", "damn", "dead", "death", "devil", "disgust", "drug", "drunk", "dumb",
    "fascis", "fat", "filth", "fool", "gay", "gun", "hate", "hell", "idiot", "immigra", "insane", "islam", "jew",
    "kill", "knife", "liar", "loser", "lynch", "maniac", "moron", "murder", "muslim", "naked", "nazi", "piss", "poison",
    "porn", "pray", "psycho", "race", "racis", "rape", "retard", "scum", "sex", "shit", "shoot", "slave", "slut",
    "stupid", "suicid", "tortur", "trash", "ugly", "victim", "violen", "wanker", "war", "weapon", "whore",
)  # fmt: skip

WRITERS: dict[str, Callable[[np.random.Generator], pd.DataFrame]] = {
    "comments": lambda rng: write_comments(1500, rng),
    "captions": lambda rng: write_pairs([CAPTIONS], 1500, rng),
    "genres": lambda rng: write_pairs(GENRES, 1500, rng),
    "heuristics": lambda rng: write_heuristics(20, rng),
    "films": lambda rng: write_reviews(FILMS, 300, rng),
    "edited": lambda rng: edit_reviews(write_reviews(FILMS, 300, np.random.default_rng(7)), rng),
    "posts": lambda rng: write_reviews(POSTS, 300, rng),
    "restaurants": lambda rng: write_reviews(RESTAURANTS, 300, rng),
    "products": lambda rng: write_reviews(PRODUCTS, 300, rng),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_seed_writes_the_same_again_and_another_does_not(name: str) -> None:
    write = WRITERS[name]
    first, again, other = (write(np.random.default_rng(seed)) for seed in (0, 0, 1))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


@pytest.mark.parametrize("name", WRITERS)
def test_no_text_holds_an_unwanted_word(name: str) -> None:
    frame = WRITERS[name](np.random.default_rng(3))
    texts = frame.select_dtypes(exclude="number").to_numpy().ravel()
    words = set(re.findall(r"[a-z]+", " ".join(texts).lower()))
    allowed = {"hello"}
    assert not [word for word in words - allowed if word.startswith(UNWANTED)]


@pytest.mark.parametrize("name", WRITERS)
def test_sentences_are_sentences(name: str) -> None:
    """No template is left with a hole in it, or with two blanks."""
    texts = " ".join(WRITERS[name](np.random.default_rng(4)).select_dtypes(exclude="number").to_numpy().ravel())
    assert not re.search(r"[{}]|  |\ba [aeiou]", texts)


def test_draws_go_on_after_many_numbers() -> None:
    draws = Draws(np.random.default_rng(0))
    numbers = [draws.uniform() for _ in range(40_000)]
    assert len(set(numbers)) == 40_000
    assert {draws.between(2, 4) for _ in range(200)} == {2, 3, 4}
