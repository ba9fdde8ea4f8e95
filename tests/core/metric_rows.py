"""Rows to measure every metric on, and scikit-learn's answer for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
from sklearn import metrics as sk

import mandoline_core as md
from mandoline_core.project.settings import MetricSettings

Oracle = Callable[[pd.DataFrame, np.ndarray], float]
SLICES = (md.Flag("a", column="a"), md.Flag("b", column="b"))


def names(n_classes: int) -> list[str]:
    """Name the classes."""
    return [f"c{i}" for i in range(n_classes)]


def draw(seed: int, n: int, n_classes: int, rates: tuple[float, float] = (0.3, 0.4)) -> pd.DataFrame:
    """Draw rows in two slices, with labels, predictions, probabilities (with ties) and numbers that depend on them."""
    rng = np.random.default_rng(seed)
    a, b = (rng.random(n) < rate for rate in rates)
    truth = np.where(rng.random(n) < 0.3 + 0.2 * a, 0, rng.integers(0, n_classes, n))
    chance = rng.dirichlet(np.ones(n_classes), n) + (1.0 - 0.5 * b)[:, None] * np.eye(n_classes)[truth] * rng.random(
        (n, 1)
    )
    chance = np.round(chance / chance.sum(axis=1, keepdims=True), 2) + 0.01
    chance /= chance.sum(axis=1, keepdims=True)
    predicted = np.where(rng.random(n) < 0.1, rng.integers(0, n_classes, n), chance.argmax(axis=1))
    classes = np.array(names(n_classes))
    y = 5 + a + rng.standard_normal(n)
    return pd.DataFrame(
        {
            "a": a.astype(int),
            "b": b.astype(int),
            "label": classes[truth],
            "pred": classes[predicted],
            **{f"p_{name}": chance[:, i] for i, name in enumerate(classes)},
            "y": y,
            "guess": y + 0.5 * b + rng.standard_normal(n),
        }
    )


def as_grades(frame: pd.DataFrame) -> pd.DataFrame:
    """Write classes as whole numbers."""
    return frame.assign(**{name: frame[name].str[1:].astype(int) for name in ("label", "pred") if name in frame})


@dataclass(frozen=True)
class MetricCase:
    """Hold a metric's settings, the number of classes, and what scikit-learn says."""

    settings: MetricSettings
    n_classes: int
    oracle: Oracle

    @property
    def numeric(self) -> bool:
        """Whether labels are numbers."""
        return self.settings.name in ("mae", "mape", "rmse", "pinball", "bias")

    def samples(self, source: pd.DataFrame, target: pd.DataFrame) -> tuple[md.Sample, md.Sample]:
        """Give both frames their roles; the target's labels are taken away."""
        label, pred = ("y", "guess") if self.numeric else ("label", "pred")
        if self.settings.name == "quadratic_kappa":
            source, target = (as_grades(frame) for frame in (source, target))
        probabilities = {c.removeprefix("p_"): c for c in source.columns if c.startswith("p_")}
        model = md.Model("m", pred, {} if self.numeric or self.settings.name == "quadratic_kappa" else probabilities)
        return (
            md.Sample(source, label=label, models=(model,)),
            md.Sample(target.drop(columns=["label", "y"]), models=(model,)),
        )

    def expected(self, frame: pd.DataFrame, weights: np.ndarray) -> float:
        """Ask scikit-learn; rows that count for nothing are not there."""
        return float(self.oracle(frame[weights > 0], weights[weights > 0]))


def _by_class(score: Callable[..., float], positive: str | None, frame: pd.DataFrame, weights: np.ndarray) -> float:
    how = {"average": "macro"} if positive is None else {"labels": [positive], "average": "macro"}
    return score(frame["label"], frame["pred"], sample_weight=weights, zero_division=0, **how)


def _of_labels(score: Callable[..., float], frame: pd.DataFrame, weights: np.ndarray) -> float:
    return score(frame["label"], frame["pred"], sample_weight=weights)


def _of_numbers(score: Callable[..., float], frame: pd.DataFrame, weights: np.ndarray) -> float:
    return score(frame["y"], frame["guess"], sample_weight=weights)


def _of_chances(name: str, n_classes: int, frame: pd.DataFrame, weights: np.ndarray) -> float:
    classes = names(n_classes)
    chance = frame[[f"p_{name}" for name in classes]].to_numpy()
    if name == "log_loss":
        return sk.log_loss(frame["label"], chance, sample_weight=weights, labels=classes)
    if name == "brier":
        if n_classes == 2:
            return sk.brier_score_loss(frame["label"], chance[:, 1], sample_weight=weights, pos_label=classes[1])
        # Over all classes, as Brier wrote it; scikit-learn has it from 1.7 on.
        is_class = np.array([frame["label"] == one for one in classes]).T
        return n_classes * sk.mean_squared_error(is_class, chance, sample_weight=weights)
    if n_classes == 2:
        return sk.roc_auc_score(frame["label"] == classes[1], chance[:, 1], sample_weight=weights)
    # scikit-learn takes no weights for several classes: each class against the rest, as it defines the average.
    return _mean_area(classes, frame, weights)


def top_k(k: int, classes: list[str], frame: pd.DataFrame, weights: np.ndarray) -> float:
    """Break ties in every order, and ask how often the label is among the first k."""
    orders = list(permutations(range(len(classes))))
    chance = frame[[f"p_{name}" for name in classes]].to_numpy()
    hits = []
    for label, row in zip(frame["label"], chance, strict=True):
        firsts = [sorted(order, key=lambda i: -row[i])[:k] for order in orders]
        hits.append(np.mean([classes.index(label) in first for first in firsts]))
    return float(np.average(hits, weights=weights))


def _mean_area(classes: list[str], frame: pd.DataFrame, weights: np.ndarray) -> float:
    areas = [sk.roc_auc_score(frame["label"] == c, frame[f"p_{c}"], sample_weight=weights) for c in classes]
    return float(np.mean(areas))


def _cases() -> dict[str, MetricCase]:
    found: dict[str, MetricCase] = {}
    by_class = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}
    plain = {
        "accuracy": sk.accuracy_score,
        "balanced_accuracy": sk.balanced_accuracy_score,
        "mcc": sk.matthews_corrcoef,
    }
    for n in (2, 4):
        for name, score in by_class.items():
            found[f"{name}, {n} classes"] = MetricCase(MetricSettings(name), n, partial(_by_class, score, None))
            found[f"{name} of c1, {n} classes"] = MetricCase(
                MetricSettings(name, positive="c1"), n, partial(_by_class, score, "c1")
            )
        for name, score in plain.items():
            found[f"{name}, {n} classes"] = MetricCase(MetricSettings(name), n, partial(_of_labels, score))
        for name in ("log_loss", "brier", "auroc"):
            found[f"{name}, {n} classes"] = MetricCase(MetricSettings(name), n, partial(_of_chances, name, n))
        for beta in (0.5, 2):
            for positive in (None, "c1"):
                found[f"f_beta {beta} of {positive}, {n} classes"] = MetricCase(
                    MetricSettings("f_beta", beta=beta, positive=positive),
                    n,
                    partial(_by_class, partial(sk.fbeta_score, beta=beta), positive),
                )
        found[f"quadratic_kappa, {n} classes"] = MetricCase(
            MetricSettings("quadratic_kappa"),
            n,
            partial(_of_labels, partial(sk.cohen_kappa_score, weights="quadratic")),
        )
        found[f"top_k_accuracy, {n} classes"] = MetricCase(
            MetricSettings("top_k_accuracy", k=n // 2), n, partial(top_k, n // 2, names(n))
        )
        found[f"auroc of c0, {n} classes"] = MetricCase(
            MetricSettings("auroc", positive="c0"), n, partial(_mean_area, ["c0"])
        )
    found["error"] = MetricCase(MetricSettings("error"), 2, lambda f, w: 1 - _of_labels(sk.accuracy_score, f, w))
    found["mae"] = MetricCase(MetricSettings("mae"), 2, partial(_of_numbers, sk.mean_absolute_error))
    found["mape"] = MetricCase(MetricSettings("mape"), 2, partial(_of_numbers, sk.mean_absolute_percentage_error))
    found["pinball"] = MetricCase(
        MetricSettings("pinball", quantile=0.8), 2, partial(_of_numbers, partial(sk.mean_pinball_loss, alpha=0.8))
    )
    found["rmse"] = MetricCase(
        MetricSettings("rmse"), 2, lambda f, w: np.sqrt(_of_numbers(sk.mean_squared_error, f, w))
    )
    found["bias"] = MetricCase(MetricSettings("bias"), 2, lambda f, w: np.average(f["guess"] - f["y"], weights=w))
    found["mean"] = MetricCase(
        MetricSettings("mean", column="guess"), 2, lambda f, w: np.average(f["guess"], weights=w)
    )
    return found


CASES = _cases()
