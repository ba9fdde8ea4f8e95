"""Models of text: scikit-learn pipelines by name, trained on rows of their own, and their answers as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mandoline_core.data import Model, Sample

LABEL = "label"
_TREES = 60
_WORDS = 4000  # the most frequent; a word that occurs once teaches nothing


@dataclass(frozen=True, eq=False)
class Case:
    """Hold a source and a target with labels and models' answers, ready for any method.

    The target's labels are the truth that estimates are judged by; no method reads them.
    """

    source: pd.DataFrame
    target: pd.DataFrame
    models: tuple[Model, ...]

    def samples(self) -> tuple[Sample, Sample]:
        """Give both samples their roles."""
        source = Sample(self.source, label=LABEL, models=self.models, name="source")
        return source, Sample(self.target, label=LABEL, models=self.models, name="target")


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


def answer(models: Mapping[str, Any], words: Sequence[str]) -> pd.DataFrame:
    """Ask trained models: for each the predicted class and the probability of every class."""
    columns: dict[str, Any] = {}
    for name, model in models.items():
        probabilities = model.predict_proba(words)
        classes = [str(one) for one in model.classes_]
        columns[f"pred_{name}"] = np.array(classes)[probabilities.argmax(axis=1)]
        columns |= {f"prob_{name}_{one}": probabilities[:, i] for i, one in enumerate(classes)}
    return pd.DataFrame(columns)


def roles(frame: pd.DataFrame) -> tuple[Model, ...]:
    """Find the models whose answers a table has: columns pred_<model> and prob_<model>_<class>.

    Examples
    --------
    >>> found = roles(pd.DataFrame(columns=["pred_lr", "prob_lr_no", "prob_lr_yes"]))
    >>> found[0].name, dict(found[0].probabilities)
    ('lr', {'no': 'prob_lr_no', 'yes': 'prob_lr_yes'})
    """
    names = [column.removeprefix("pred_") for column in frame.columns if column.startswith("pred_")]
    found = []
    for name in names:
        start = f"prob_{name}_"
        classes = {column.removeprefix(start): column for column in frame.columns if column.startswith(start)}
        found.append(Model(name, f"pred_{name}", classes))
    return tuple(found)


def plain_words(texts: pd.Series) -> list[str]:
    """Write texts as small words that are separated by blanks."""
    return texts.str.lower().str.findall(r"[a-z0-9']+").str.join(" ").tolist()


def pair_words(pairs: pd.DataFrame) -> list[str]:
    """Write sentence pairs as words: what the second has, adds and leaves out, and what takes the place of what.

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
