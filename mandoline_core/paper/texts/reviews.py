"""Reviews of films, and texts of other kinds with words of their own: edited films, posts, restaurants, products.

They stand in for IMDB, its counterfactual edition, Sentiment140, Yelp and Amazon. A review praises some things and
finds fault with others; its label is what it does more. How many of its words of praise are those of films, and how
long it is, makes the kind of text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mandoline_core.paper.texts.draws import Draws

SENTIMENTS = ("negative", "positive")


@dataclass(frozen=True)
class Domain:
    """Hold the words of one kind of review.

    Parameters
    ----------
    things : tuple of str
        What is judged.
    own : mapping of str to tuple of str
        Words of praise and blame that only this kind of text has.
    share : float
        How often a judgement takes one of its own words, and not one that all kinds have.
    mixed : float
        How often a judgement goes against the label.
    sentences : pair of int
        The fewest and the most.
    asides : tuple of str
        Sentences that judge nothing.
    """

    name: str
    things: tuple[str, ...]
    own: Mapping[str, tuple[str, ...]]
    share: float
    mixed: float
    sentences: tuple[int, int]
    asides: tuple[str, ...]


_EVERYWHERE = {
    "positive": ("great", "wonderful", "excellent", "lovely", "very good", "superb", "a delight", "perfect", "fine"),
    "negative": ("bad", "poor", "dull", "a disappointment", "weak", "terrible", "a waste of time", "boring", "sloppy"),
}
_FRAMES = (
    "The {thing} is {word}.", "I found the {thing} {word}.", "The {thing} was {word}.", "About the {thing}: {word}.",
    "For me the {thing} is simply {word}.", "The {thing} felt {word}.",
)  # fmt: skip

FILMS = Domain(
    "films",
    ("film", "plot", "acting", "script", "ending", "camera work", "music", "dialogue", "cast", "director's touch"),
    {
        "positive": ("gripping", "moving", "well acted", "beautifully shot", "hilarious", "unforgettable", "witty"),
        "negative": ("predictable", "badly acted", "overlong", "wooden", "clumsy", "a mess", "forgettable"),
    },
    share=0.5, mixed=0.27, sentences=(5, 11),
    asides=(
        "It runs for two hours.", "I saw it at the cinema.", "The story is set in a small town.",
        "My brother came along.", "It was made ten years ago.", "The hero travels by train.",
    ),
)  # fmt: skip
POSTS = Domain(
    "posts",
    ("phone", "game", "concert", "bus ride", "new song", "monday", "homework", "update"),
    {
        "positive": ("yay", "sooo cool", "love it", "haha nice", "woohoo", "awesome", "made my day", "sweet"),
        "negative": ("ugh", "so annoying", "meh", "boo", "sad face", "not cool", "argh", "fail"),
    },
    share=0.75, mixed=0.08, sentences=(1, 2),
    asides=("so tired", "off to bed", "on my way", "lol"),
)  # fmt: skip
RESTAURANTS = Domain(
    "restaurants",
    ("soup", "service", "pasta", "waiter", "dessert", "terrace", "burger", "menu", "coffee", "place"),
    {
        "positive": ("delicious", "fresh", "friendly", "crispy", "tasty", "worth every penny", "cosy"),
        "negative": ("cold", "bland", "slow", "overpriced", "soggy", "rude", "salty"),
    },
    share=0.55, mixed=0.2, sentences=(2, 6),
    asides=("We came on a Friday.", "There is parking behind it.", "We were four.", "I ordered the special."),
)  # fmt: skip
PRODUCTS = Domain(
    "products",
    ("book", "charger", "lamp", "story", "album", "blender", "case", "chapter", "keyboard", "toy"),
    {
        "positive": ("sturdy", "as described", "handy", "a bargain", "easy to use", "well made"),
        "negative": ("flimsy", "broken", "useless", "cheaply made", "defective", "noisy"),
    },
    share=0.3, mixed=0.25, sentences=(4, 8),
    asides=("It came in two days.", "I bought it for my aunt.", "The box is grey.", "It needs two batteries."),
)  # fmt: skip


def write_reviews(domain: Domain, n: int, rng: np.random.Generator) -> pd.DataFrame:
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
    return pd.DataFrame({"text": [" ".join(_write(domain, label, draws)) for label in labels], "label": labels})


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


def _write(domain: Domain, label: str, draws: Draws) -> list[str]:
    n = draws.between(*domain.sentences)
    says = [_opposite(label) if draws.chance(domain.mixed) else label for _ in range(n)]
    if 2 * says.count(label) < n:  # the label is what the review does more
        says = [_opposite(one) for one in says]
    sentences = [_judge(domain, one, draws) for one in says]
    asides = draws.some_of(domain.asides, draws.between(0, min(3, n // 2 + 1)))
    return draws.some_of([*sentences, *asides], len(sentences) + len(asides))


def _judge(domain: Domain, sentiment: str, draws: Draws) -> str:
    words = domain.own if draws.chance(domain.share) else _EVERYWHERE
    return draws.one_of(_FRAMES).format(thing=draws.one_of(domain.things), word=draws.one_of(words[sentiment]))


def _edit(sentence: str, old: str, new: str, draws: Draws, kept: float) -> str:
    """Put a word of the new sentiment in the place of one of the old; longest words first."""
    for words in (FILMS.own, _EVERYWHERE):
        for word in sorted(words[old], key=len, reverse=True):
            if f" {word}." in sentence:
                return (
                    sentence if draws.chance(kept) else sentence.replace(f" {word}.", f" {draws.one_of(words[new])}.")
                )
    return sentence


def _split(text: str) -> list[str]:
    return [f"{part.rstrip('.')}." for part in text.split(". ")]


def _opposite(label: str) -> str:
    return SENTIMENTS[label == "negative"]
