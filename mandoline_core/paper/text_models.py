"""Models of text: scikit-learn pipelines by name, trained on rows of their own, and their predictions as columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mandoline_core.paper.evaluation import LABEL
from mandoline_core.project import MetricSettings
from mandoline_core.slices import Entropy

_TREES = 60
_WORDS = 4000  # the most frequent; a word that occurs once teaches nothing
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
MERGED = MetricSettings(merge={"non-entailment": ("neutral", "contradiction")})
_WIDTH = 0.2  # nats, as in the paper


def learn(kind: str, words: Sequence[str], labels: Sequence[str], seed: int) -> Any:
    """Train a model on words that are separated by blanks.

    Parameters
    ----------
    kind : {"lr", "nb", "forest"}
        Logistic regression, naive Bayes, or a forest of trees, each on the most frequent words.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    model = {
        "lr": lambda: LogisticRegression(max_iter=2000, tol=1e-3),
        "nb": MultinomialNB,
        "forest": lambda: RandomForestClassifier(_TREES, min_samples_leaf=3, random_state=seed),
    }[kind]()
    counts = CountVectorizer(analyzer=str.split, binary=True, min_df=2, max_features=_WORDS, dtype=np.float64)
    return make_pipeline(counts, model).fit(words, labels)


def predictions(models: Mapping[str, Any], words: Sequence[str]) -> pd.DataFrame:
    """Let trained models predict: for each the predicted class and the probability of every class."""
    columns: dict[str, Any] = {}
    for name, model in models.items():
        probabilities = model.predict_proba(words)
        classes = [str(one) for one in model.classes_]
        columns[f"pred_{name}"] = np.array(classes)[probabilities.argmax(axis=1)]
        columns |= {f"prob_{name}_{one}": probabilities[:, i] for i, one in enumerate(classes)}
    return pd.DataFrame(columns)


def plain_words(texts: pd.Series) -> list[str]:
    """Write texts as small words that are separated by blanks."""
    return texts.str.lower().str.findall(r"[a-z0-9']+").str.join(" ").tolist()


def pair_words(pairs: pd.DataFrame) -> list[str]:
    """Write sentence pairs as words: what the second has, adds and leaves out, and what replaces what.

    Examples
    --------
    >>> pair_words(pd.DataFrame({"premise": ["A dog runs."], "hypothesis": ["A dog sleeps."]}))
    ['h:a h:dog h:sleeps +sleeps -runs runs>sleeps added:1 shared:6']
    """
    found = []
    for premise, hypothesis in zip(plain_words(pairs["premise"]), plain_words(pairs["hypothesis"]), strict=True):
        first, second = dict.fromkeys(premise.split()), dict.fromkeys(hypothesis.split())
        added = [word for word in second if word not in first]
        missing = [word for word in first if word not in second]
        tokens = [f"h:{word}" for word in second] + [f"+{word}" for word in added] + [f"-{word}" for word in missing]
        tokens += [f"{old}>{new}" for new in added for old in missing]
        shared = (len(second) - len(added)) / max(len(second), 1)
        tokens += [f"added:{min(len(added), 6)}", f"shared:{int(10 * shared)}"]
        found.append(" ".join(tokens))
    return found


def learn_pairs(texts: Mapping[str, pd.DataFrame], names: tuple[str, ...], seed: int) -> dict[str, Any]:
    """Train models on pairs, by the kind of text: "captions" and "genres"."""
    both = pd.concat([frame.iloc[:: len(texts)] for frame in texts.values()])
    words = {kind: (pair_words(frame), frame[LABEL].tolist()) for kind, frame in {**texts, "both": both}.items()}
    models = {}
    for name in names:
        kind, text, share = MODELS[name]
        pairs, labels = words[text]
        step = round(1 / share)  # every n-th pair: a part of each kind
        models[name] = learn(kind, pairs[::step], labels[::step], seed)
    return models


def learn_texts(texts: pd.DataFrame, kinds: Sequence[str], seed: int) -> dict[str, Any]:
    """Train a model of each kind on labelled texts."""
    words, labels = plain_words(texts["text"]), texts[LABEL].tolist()
    return {kind: learn(kind, words, labels, seed) for kind in kinds}


def with_predictions(frame: pd.DataFrame, models: Mapping[str, Any]) -> pd.DataFrame:
    """Add the models' predictions to texts, or sentence pairs."""
    words = plain_words(frame["text"]) if "text" in frame else pair_words(frame)
    return pd.concat([frame.reset_index(drop=True), predictions(models, words)], axis=1)


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
        left = iter(first)  # what is found is used up: a word must come after those before it
        rows.append(
            {
                "same_order": int(all(word in left for word in second if word in first)),
                "contiguous": int(f" {hypothesis} " in f" {premise} "),
                "new_words": len(set(second) - set(first)),
                "words_fewer": len(first) - len(second),
                "premise_words": len(first),
                "progressive": int(any(word.endswith("ing") for word in second)),
                "past": int(any(word.endswith("ed") for word in second)),
            }
        )
    return pd.concat([pairs.reset_index(drop=True), pd.DataFrame(rows)], axis=1)
