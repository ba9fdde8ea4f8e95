"""Rules that may be worth a look: cuts, levels and groups of levels, gaps, lengths, months; and the model's answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import narwhals as nw
import numpy as np

from mandoline_core.data import Model, Sample, class_name
from mandoline_core.domain_classifier import A_DATE, OTHER
from mandoline_core.pipeline import DrawnColumns, cut_rule, item_rule, missing_rule
from mandoline_core.slices import Category, Confidence, Entropy, Length, Prediction, Regex, Slice

BUCKETS = 6  # of the entropy, as in the paper
MOST_VALUES = 12  # of a number: so many are looked at one by one, too
_CUTS = np.arange(1, 10) / 10
_GROUP_Z = 2.0  # a level whose share is further off than this goes into the group


def column_rules(drawn: DrawnColumns, samples: tuple[Sample, Sample]) -> Iterator[Slice]:
    """List rules on every column but the words of texts."""
    for column, encoded in drawn.encoded.items():
        if not (encoded.known[0].all() and encoded.known[1].all()):
            yield missing_rule(column)
        if encoded.kind == "number":
            yield from (cut_rule(column, float(cut)) for cut in encoded.cuts)
            yield from _values(column, samples)
        elif encoded.kind == "text":
            yield from _lengths(column, samples)
        else:
            items = ("true",) if encoded.kind == "flag" else encoded.items
            yield from (rule for item in items if (rule := item_rule(column, encoded.kind, item)) is not None)
            if encoded.kind == "category":
                here, there = (np.asarray(side.sum(axis=0)).ravel() for side in encoded.indicators)
                yield from _group(column, encoded.items, here, there)
    for column, why in drawn.left_out.items():
        if why == A_DATE and all(sample.schema[column] == nw.String for sample in samples):
            yield from (
                Regex(f"{column} in month {month:02}", column=column, pattern=rf"^\d{{4}}-{month:02}")
                for month in range(1, 13)
            )


def model_rules(model: Model | None, taken: Sequence[Slice]) -> Iterator[Slice]:
    """List rules on what the model answers: families where no rule of their kind is there, and cuts of confidence."""
    kinds = {rule.kind for rule in taken}
    if model is None:
        return
    if model.prediction is not None and "prediction" not in kinds:
        yield Prediction("predicted")
    if len(model.probabilities) < 2:
        return
    if "entropy" not in kinds:
        yield Entropy("entropy", buckets=BUCKETS)
    lowest = 1 / len(model.probabilities)
    for cut in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99):
        if cut > lowest:
            yield Confidence(f"confidence above {cut:g}", above=cut)


def _values(column: str, samples: tuple[Sample, Sample]) -> Iterator[Slice]:
    """Take numbers that are few for names, such as months: each, and those that the target has more of."""
    counts: list[dict[str, int]] = []
    for sample in samples:
        values, rows = np.unique(sample.series(column).drop_nulls().to_numpy(), return_counts=True)
        if len(values) > MOST_VALUES:
            return
        counts.append(dict(zip(map(class_name, values.tolist()), rows.tolist(), strict=True)))
    names = sorted({*counts[0], *counts[1]}, key=float)
    if len(names) > MOST_VALUES or len(names) < 3:  # of two values, a cut says the same
        return
    for name in names:
        yield Category(f"{column} is {name}", column=column, values=(_number(name),))
    here, there = (np.array([side.get(name, 0) for name in names], dtype=float) for side in counts)
    for rule in _group(column, names, here, there):
        yield replace(rule, values=tuple(_number(str(value)) for value in rule.values or ()))


def _number(name: str) -> int | float:
    value = float(name)
    return int(value) if value.is_integer() else value


def _group(column: str, items: Sequence[str], here: np.ndarray, there: np.ndarray) -> Iterator[Category]:
    """Put together the levels that the target has more of, beyond luck; shares decide, not scores."""
    n_source, n_target = max(here.sum(), 1.0), max(there.sum(), 1.0)
    pooled = (here + there) / (n_source + n_target)
    error = np.sqrt(np.maximum(pooled * (1 - pooled), 1e-300) * (1 / n_source + 1 / n_target))
    more = (there / n_target - here / n_source) / error > _GROUP_Z
    values = tuple(item for item, chosen in zip(items, more, strict=True) if chosen and item != OTHER)
    if 1 < len(values) < len(items) - 1:
        said = values if len(values) <= 3 else (*values[:2], f"{len(values) - 2} more")
        yield Category(f"{column} is {' or '.join(said)}", column=column, values=values)


def _lengths(column: str, samples: tuple[Sample, Sample]) -> Iterator[Slice]:
    words = [
        np.array([len(text.split()) for text in sample.series(column).drop_nulls().head(2000).to_list()])
        for sample in samples
    ]
    if not all(len(side) for side in words):
        return
    for cut in np.unique([_round(float(np.quantile(side, share))) for side in words for share in _CUTS]):
        if cut > 0:
            yield Length(f"{column} below {cut:g} words", column=column, below=int(cut))


def _round(value: float) -> float:
    """Round a length to two digits, and to whole words."""
    digits = max(int(np.floor(np.log10(max(value, 1.0)))) - 1, 0)
    return float(np.round(value, -digits))
