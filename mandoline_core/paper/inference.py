"""What both experiments on sentence pairs share: eight models, columns that slices look at, and entropy slices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from mandoline_core.paper.learners import LABEL, answer, learn, pair_words, plain_words
from mandoline_core.project import MetricSettings
from mandoline_core.slices import Entropy

# Name: kind of model, the texts it learns from, the share of them. As in the paper, some know the source's kind of
# text, some the target's and some both; some are weaker than others.
MODELS: Mapping[str, tuple[str, str, float]] = {
    "lr_captions": ("lr", "captions", 1.0),
    "nb_captions": ("nb", "captions", 1.0),
    "small_captions": ("lr", "captions", 0.1),
    "lr_genres": ("lr", "genres", 1.0),
    "forest_genres": ("forest", "genres", 1.0),
    "small_genres": ("lr", "genres", 0.1),
    "lr_both": ("lr", "both", 1.0),
    "small_both": ("lr", "both", 0.1),
}
QUICK_MODELS = ("nb_captions", "small_captions", "small_genres", "small_both")
BINARY = MetricSettings(merge={"non-entailment": ("neutral", "contradiction")})
_WIDTH = 0.2  # nats, as in the paper


def train(texts: Mapping[str, pd.DataFrame], names: tuple[str, ...], seed: int) -> dict[str, Any]:
    """Train models on pairs, by the kind of text: "captions" and "genres"."""
    both = pd.concat([frame.iloc[:: len(texts)] for frame in texts.values()])
    words = {kind: (pair_words(frame), frame[LABEL].tolist()) for kind, frame in {**texts, "both": both}.items()}
    models = {}
    for name in names:
        kind, text, share = MODELS[name]
        pairs, labels = words[text]
        step = round(1 / share)
        models[name] = learn(kind, pairs[::step], labels[::step], seed)
    return models


def answered(pairs: pd.DataFrame, models: Mapping[str, Any]) -> pd.DataFrame:
    """Put the models' answers beside the pairs."""
    return pd.concat([pairs.reset_index(drop=True), answer(models, pair_words(pairs))], axis=1)


def entropy_slices(n_classes: int) -> list[Entropy]:
    """Cut a model's entropy every 0.2 nats: six slices for three classes, four for two.

    Examples
    --------
    >>> [len(entropy_slices(n)) for n in (2, 3)]
    [4, 6]
    """
    n = math.ceil(math.log(n_classes) / _WIDTH)
    cuts = [round(_WIDTH * number, 1) for number in range(n)]
    highs = [*cuts[1:], None]  # rounding may push the largest entropy beyond the logarithm
    return [
        Entropy(f"entropy_{i}", low=low, high=high) for i, (low, high) in enumerate(zip(cuts, highs, strict=True), 1)
    ]


def with_structure(pairs: pd.DataFrame) -> pd.DataFrame:
    """Add columns on how the second sentence is made of the first.

    Examples
    --------
    >>> made = with_structure(pd.DataFrame({"premise": ["A dog runs."], "hypothesis": ["A runs dog"]}))
    >>> made.loc[0, ["same_order", "contiguous", "new_words", "words_fewer"]].tolist()
    [0, 0, 0, 0]
    """
    rows = []
    for premise, hypothesis in zip(plain_words(pairs["premise"]), plain_words(pairs["hypothesis"]), strict=True):
        first, second = premise.split(), hypothesis.split()
        rows.append(
            {
                "same_order": int(_in_order(first, [word for word in second if word in first])),
                "contiguous": int(f" {hypothesis} " in f" {premise} "),
                "new_words": len(set(second) - set(first)),
                "words_fewer": len(first) - len(second),
                "premise_words": len(first),
                "progressive": int(any(word.endswith("ing") for word in second)),
                "past": int(any(word.endswith("ed") for word in second)),
            }
        )
    return pd.concat([pairs.reset_index(drop=True), pd.DataFrame(rows)], axis=1)


def _in_order(first: list[str], second: list[str]) -> bool:
    """Tell whether the words of the second come in the first in the same order."""
    left = iter(first)
    return all(word in left for word in second)
