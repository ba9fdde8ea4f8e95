"""SNLI and MultiNLI as lines of JSON, HANS as a table, and a case that somebody has put together as CSV."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mandoline_core.data import read_table
from mandoline_core.errors import DataError
from mandoline_core.paper.published.files import filled, json_lines, tabbed

_KEYS = ("gold_label", "sentence1", "sentence2")
_RELATIONS = ("entailment", "neutral", "contradiction")
_HANS = ("entailment", "non-entailment")
_PREPARED = ("source.csv", "target.csv", "target_labels.csv")
_COLUMNS = ["line", "premise", "hypothesis", "label"]


def read_relations(path: Path) -> pd.DataFrame:
    """Read snli_1.0_*.jsonl or multinli_1.0_*.jsonl: pairs with the label most people gave.

    Pairs that people could not agree on have the label "-" and are left out, as everywhere.

    Returns
    -------
    pandas.DataFrame
        Columns line, premise, hypothesis, label.
    """
    rows = []
    for line, found in enumerate(json_lines(path, _KEYS)):
        label, premise, hypothesis = (found[key] for key in _KEYS)
        if label == "-":
            continue
        if label not in _RELATIONS:
            raise DataError(
                f"{path.name} has a gold_label {label!r}. Expected entailment, neutral, contradiction or -."
            )
        rows.append((line, str(premise), str(hypothesis), label))
    return filled(pd.DataFrame(rows, columns=_COLUMNS), path)


def read_hans(path: Path) -> pd.DataFrame:
    """Read heuristics_evaluation_set.txt: columns separated by tabs, with a header.

    Returns
    -------
    pandas.DataFrame
        Columns line, premise, hypothesis, label ("entailment" or "non-entailment").
    """
    found = tabbed(path, _KEYS)
    strange = sorted(set(found["gold_label"]) - set(_HANS))
    if strange:
        raise DataError(f"{path.name} has a gold_label {strange[0]!r}. Expected entailment or non-entailment.")
    named = found.rename(columns={"sentence1": "premise", "sentence2": "hypothesis", "gold_label": "label"})
    return filled(named.assign(line=range(len(named)))[_COLUMNS], path)


def is_prepared(folder: Path) -> bool:
    """Tell whether a folder holds a case that was put together beforehand."""
    return all((folder / name).is_file() for name in _PREPARED)


def read_prepared(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """Read a case put together beforehand: source.csv, target.csv and target_labels.csv; None where it is none.

    The first two have premise, hypothesis and models' answers (pred_<model>, prob_<model>_<class>), the first also
    label; the third has the target's labels, in the order of its rows.
    """
    if not is_prepared(folder):
        return None
    paths = [folder / name for name in _PREPARED]
    source, target, labels = (read_table(path) for path in paths)
    for path, frame, columns in zip(
        paths, (source, target, labels), (_COLUMNS[1:], _COLUMNS[1:3], ["label"]), strict=True
    ):
        for column in columns:
            if column not in frame.columns:
                raise DataError.missing_column(column, path.name, frame.columns)
    if len(labels) != len(target):
        raise DataError(
            f"target_labels.csv has {len(labels):,} rows and target.csv has {len(target):,}. Expected as many."
        )
    return source, target.assign(label=labels["label"])
