"""CivilComments as WILDS publishes it: comments with scores for eight identities and for toxicity."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mandoline_core.data import read_table
from mandoline_core.errors import DataError
from mandoline_core.paper.published.files import filled

IDENTITIES = ("male", "female", "LGBTQ", "christian", "muslim", "other_religions", "black", "white")
_PARTS = ("train", "val", "test")
_HALF = 0.5  # of annotators, from which on WILDS takes it for true


def read_civil_comments(path: Path) -> pd.DataFrame:
    """Read all_data_with_identities.csv: comment_text, split, toxicity and a column for each identity.

    Scores are shares of annotators. From one half on they count as 1, a missing one as 0.

    Returns
    -------
    pandas.DataFrame
        Columns line, text, part ("train", "val" or "test"), label ("toxic" or "non-toxic"), and one of 0 and 1 for
        each identity.
    """
    found = read_table(path)
    for column in ("comment_text", "split", "toxicity", *IDENTITIES):
        if column not in found.columns:
            raise DataError.missing_column(column, path.name, found.columns)
    strange = sorted(set(found["split"].dropna()) - set(_PARTS))
    if strange:
        raise DataError(f"{path.name} has a split {strange[0]!r}. Expected train, val or test.")
    frame = pd.DataFrame(
        {
            "line": range(len(found)),
            "text": found["comment_text"].fillna(""),
            "part": found["split"],
            "label": _scores(found, "toxicity", path).map({1: "toxic", 0: "non-toxic"}),
        }
    )
    return filled(frame.assign(**{name: _scores(found, name, path) for name in IDENTITIES}), path)


def _scores(found: pd.DataFrame, column: str, path: Path) -> pd.Series:
    if not pd.api.types.is_numeric_dtype(found[column]):
        raise DataError(f"Column {column!r} of {path.name} holds text. Expected shares of annotators, from 0 to 1.")
    return (found[column].fillna(0.0) >= _HALF).astype(int)
