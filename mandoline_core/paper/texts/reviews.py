"""Reviews of films, and texts of other kinds with words of their own: edited films, posts, restaurants, products.

They stand in for IMDB, its counterfactual edition, Sentiment140, Yelp and Amazon. A review praises some things and
finds fault with others; its label is what it does more. How many of its words of praise are those of films, and how
long it is, makes the kind of text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mandoline_core.paper.texts.grammar import WORDS, Draws

SENTIMENTS = ("negative", "positive")


@dataclass(frozen=True)
class ReviewKind:
    """Hold the words of one kind of review.

    Parameters
    ----------
    things : sequence of str
        What is judged.
    own : mapping of str to sequence of str
        Words of praise and blame that only this kind of text has.
    share : float
        How often a judgement takes one of its own words, and not one that all kinds have.
    mixed : float
        How often a judgement goes against the label.
    sentences : pair of int
        The fewest and the most.
    asides : sequence of str
        Sentences that judge nothing.
    """

    things: Sequence[str]
    own: Mapping[str, Sequence[str]]
    share: float
    mixed: float
    sentences: Sequence[int]
    asides: Sequence[str]


_EVERYWHERE: Mapping[str, Sequence[str]] = WORDS["judgements"]
FILMS, POSTS, RESTAURANTS, PRODUCTS = (ReviewKind(**words) for words in WORDS["reviews"].values())


def write_reviews(kind: ReviewKind, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Write reviews, half of them positive.

    Returns
    -------
    pandas.DataFrame
        Columns text and label.

    Examples
    --------
    >>> reviews = write_reviews(FILMS, 10, np.random.default_rng(0))
    >>> reviews["label"].value_counts().tolist()
    [5, 5]
    """
    draws = Draws(rng)
    labels = [SENTIMENTS[number % 2] for number in range(n)]
    return pd.DataFrame({"text": [" ".join(_write(kind, label, draws)) for label in labels], "label": labels})


def edit_reviews(reviews: pd.DataFrame, rng: np.random.Generator, *, kept: float = 0.2) -> pd.DataFrame:
    """Edit film reviews so that they say the opposite, as little as possible: some judgements are overlooked.

    Parameters
    ----------
    kept : float
        The share of judgements that stay as they were.

    Returns
    -------
    pandas.DataFrame
        The same columns; labels are turned round.
    """
    draws = Draws(rng)
    texts = []
    for text, label in zip(reviews["text"], reviews["label"], strict=True):
        old, new = label, _opposite(label)
        texts.append(" ".join(_edit(sentence, old, new, draws, kept) for sentence in _split(text)))
    return pd.DataFrame({"text": texts, "label": [_opposite(label) for label in reviews["label"]]})


def _write(kind: ReviewKind, label: str, draws: Draws) -> list[str]:
    n = draws.between(*kind.sentences)
    says = [_opposite(label) if draws.flip(kind.mixed) else label for _ in range(n)]
    if 2 * says.count(label) < n:  # the label is what the review does more
        says = [_opposite(one) for one in says]
    sentences = [_judge(kind, one, draws) for one in says]
    asides = draws.some_of(kind.asides, draws.between(0, min(3, n // 2 + 1)))
    return draws.some_of([*sentences, *asides], len(sentences) + len(asides))


def _judge(kind: ReviewKind, sentiment: str, draws: Draws) -> str:
    words = kind.own if draws.flip(kind.share) else _EVERYWHERE
    return draws.one_of(_EVERYWHERE["frames"]).format(
        thing=draws.one_of(kind.things), word=draws.one_of(words[sentiment])
    )


def _edit(sentence: str, old: str, new: str, draws: Draws, kept: float) -> str:
    """Put a word of the new sentiment in the place of one of the old; longest words first."""
    for words in (FILMS.own, _EVERYWHERE):
        for word in sorted(words[old], key=len, reverse=True):
            if f" {word}." in sentence:
                return sentence if draws.flip(kept) else sentence.replace(f" {word}.", f" {draws.one_of(words[new])}.")
    return sentence


def _split(text: str) -> list[str]:
    return [f"{part.rstrip('.')}." for part in text.split(". ")]


def _opposite(label: str) -> str:
    return SENTIMENTS[label == "negative"]
