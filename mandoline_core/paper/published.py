"""The published data sets of the paper: CelebA, CivilComments, SNLI, MultiNLI and HANS, IMDB and four other sets."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pandas as pd

from mandoline_core.data import read_table
from mandoline_core.errors import DataError
from mandoline_core.paper.published_files import (
    check_values,
    filled,
    first_of,
    json_lines,
    rows_of,
    tabbed,
    with_columns,
)

_IMAGE = "image_id"
IDENTITIES = ("male", "female", "LGBTQ", "christian", "muslim", "other_religions", "black", "white")
_HALF = 0.5  # of annotators, from which on WILDS counts it as true
_KEYS = ("gold_label", "sentence1", "sentence2")
_RELATIONS = ("entailment", "neutral", "contradiction")
_PREPARED = ("source.csv", "target.csv", "target_labels.csv")
_PAIR_COLUMNS = ["line", "premise", "hypothesis", "label"]
_LABELS = ("negative", "positive")
_TEXT_COLUMNS = ["line", "text", "label"]
_STARS = ("stars", "overall", "rating")
_TEXTS = ("text", "reviewText", "content")


def read_celeba(folder: Path) -> pd.DataFrame:
    """Read list_attr_celeba.txt and predictions.csv.

    The first file has the number of images, the names of the attributes, and for each image its name and 1 or -1 for
    every attribute, separated by blanks. The second has image_id, and for each model pred_<model> ("male" or
    "female") and perhaps prob_<model>_male and prob_<model>_female; images that are not in it are left out: those
    that the models were trained on.

    Returns
    -------
    pandas.DataFrame
        Columns image_id, blurry (0 or 1), label ("male" or "female"), and the models' predictions.
    """
    attributes = _attributes(first_of(folder, ("list_attr_celeba.txt", "Anno/list_attr_celeba.txt"), "the attributes"))
    path = first_of(folder, ("predictions.csv",), "predictions")
    predictions = with_columns(read_table(path), [_IMAGE], path)
    if not any(column.startswith("pred_") for column in predictions.columns):
        raise DataError("predictions.csv has no column pred_<model>. Expected pred_<model> and prob_<model>_<class>.")
    strange = predictions.loc[~predictions[_IMAGE].isin(attributes[_IMAGE]), _IMAGE]
    if len(strange):
        raise DataError(f"predictions.csv has the image {strange.iloc[0]!r}, which is not in list_attr_celeba.txt.")
    return attributes.merge(predictions, on=_IMAGE, validate="one_to_one")


def _attributes(path: Path) -> pd.DataFrame:
    with path.open(encoding="utf-8") as lines:
        count, names = next(lines, "").strip(), next(lines, "").split()
        rows = [line.split() for line in lines if line.strip()]
    if not count.isdigit() or not {"Blurry", "Male"} <= set(names):
        raise DataError(
            f"{path.name} must start with the number of images and a line of attributes with Blurry and Male."
        )
    if len(rows) != int(count):
        raise DataError(f"{path.name} announces {int(count):,} images, but has {len(rows):,}. It may be incomplete.")
    for number, row in enumerate(rows, start=3):
        if len(row) != len(names) + 1 or not set(row[1:]) <= {"1", "-1"}:
            raise DataError(f"Line {number} of {path.name} is not an image with {len(names)} values of 1 or -1.")
    frame = pd.DataFrame(rows, columns=[_IMAGE, *names])
    return pd.DataFrame(
        {
            _IMAGE: frame[_IMAGE],
            "blurry": (frame["Blurry"] == "1").astype(int),
            "label": frame["Male"].map({"1": "male", "-1": "female"}),
        }
    )


def read_civil_comments(path: Path) -> pd.DataFrame:
    """Read all_data_with_identities.csv: comment_text, split, toxicity and a column for each identity.

    Scores are shares of annotators. From one half on they count as 1, a missing one as 0.

    Returns
    -------
    pandas.DataFrame
        Columns line, text, part ("train", "val" or "test"), label ("toxic" or "non-toxic"), and one of 0 and 1 for
        each identity.
    """
    table = with_columns(read_table(path), ("comment_text", "split", "toxicity", *IDENTITIES), path)
    check_values(table["split"], "split", ("train", "val", "test"), path)
    frame = pd.DataFrame(
        {
            "line": range(len(table)),
            "text": table["comment_text"].fillna(""),
            "part": table["split"],
            "label": _marks(table, "toxicity", path).map({1: "toxic", 0: "non-toxic"}),
        }
    )
    return filled(frame.assign(**{name: _marks(table, name, path) for name in IDENTITIES}), path)


def _marks(table: pd.DataFrame, column: str, path: Path) -> pd.Series:
    if not pd.api.types.is_numeric_dtype(table[column]):
        raise DataError(f"Column {column!r} of {path.name} contains text. Expected shares of annotators, from 0 to 1.")
    return (table[column].fillna(0.0) >= _HALF).astype(int)


def read_relations(path: Path) -> pd.DataFrame:
    """Read snli_1.0_*.jsonl or multinli_1.0_*.jsonl: pairs with the label most people gave.

    Pairs that people could not agree on have the label "-" and are left out, as everywhere.

    Returns
    -------
    pandas.DataFrame
        Columns line, premise, hypothesis, label.
    """
    rows = []
    for line, pair in enumerate(json_lines(path, _KEYS)):
        label, premise, hypothesis = (pair[key] for key in _KEYS)
        if label == "-":
            continue
        if label not in _RELATIONS:
            raise DataError(
                f"{path.name} has an unknown gold_label {label!r}. Expected entailment, neutral, contradiction or -."
            )
        rows.append((line, str(premise), str(hypothesis), label))
    return filled(pd.DataFrame(rows, columns=_PAIR_COLUMNS), path)


def read_hans(path: Path) -> pd.DataFrame:
    """Read heuristics_evaluation_set.txt: columns separated by tabs, with a header.

    Returns
    -------
    pandas.DataFrame
        Columns line, premise, hypothesis, label ("entailment" or "non-entailment").
    """
    table = tabbed(path, _KEYS)
    check_values(table["gold_label"], "gold_label", ("entailment", "non-entailment"), path)
    named = table.rename(columns={"sentence1": "premise", "sentence2": "hypothesis", "gold_label": "label"})
    return filled(named.assign(line=range(len(named)))[_PAIR_COLUMNS], path)


def is_prepared(folder: Path) -> bool:
    """Tell whether a folder contains a prepared case."""
    return all((folder / name).is_file() for name in _PREPARED)


def read_prepared(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """Read a case put together beforehand: source.csv, target.csv and target_labels.csv; None if the files are missing.

    The first two have premise, hypothesis and models' predictions (pred_<model>, prob_<model>_<class>), the first also
    label; the third has the target's labels, in the order of its rows.
    """
    if not is_prepared(folder):
        return None
    wanted = (_PAIR_COLUMNS[1:], _PAIR_COLUMNS[1:3], ["label"])
    paths = [folder / name for name in _PREPARED]
    tables = (with_columns(read_table(path), columns, path) for path, columns in zip(paths, wanted, strict=True))
    source, target, labels = tables
    if len(labels) != len(target):
        raise DataError(
            f"target_labels.csv has {len(labels):,} rows and target.csv has {len(target):,}. The numbers must be equal."
        )
    return source, target.assign(label=labels["label"])


def read_film_reviews(folder: Path, part: str) -> pd.DataFrame:
    """Read aclImdb/<part>/pos and neg, a text file for each review.

    Files are taken in order of their names, positive ones first.

    Parameters
    ----------
    part : {"train", "test"}
    """
    home = first_of(folder, (f"aclImdb/{part}", part), f"IMDB's {part} part")
    rows = []
    for short, label in (("pos", "positive"), ("neg", "negative")):
        files = sorted(first_of(home, (short,), f"the {label} reviews").glob("*.txt"))
        if not files:
            raise DataError(f"{home / short} has no text file. Expected one for each review.")
        rows += [(file.read_text(encoding="utf-8", errors="replace"), label) for file in files]
    frame = pd.DataFrame(rows, columns=_TEXT_COLUMNS[1:])
    frame["text"] = frame["text"].str.replace("<br />", " ", regex=False)
    return frame.assign(line=range(len(frame)))[_TEXT_COLUMNS]


def read_counterfactual(path: Path) -> pd.DataFrame:
    """Read a part of counterfactual IMDB: columns Sentiment and Text, separated by tabs."""
    table = tabbed(path, ("Sentiment", "Text"))
    labels = table["Sentiment"].str.strip().str.lower()
    check_values(labels, "Sentiment", ("Negative", "Positive"), path)
    frame = pd.DataFrame({"line": range(len(table)), "text": table["Text"].str.strip('"'), "label": labels})
    return filled(frame, path)


def read_posts(path: Path) -> pd.DataFrame:
    """Read a part of Sentiment140: a CSV without header; polarity (0, 2 or 4), id, date, query, user, text.

    Neutral posts (2) are left out.
    """
    rows = []
    for line, (polarity, *_, text) in enumerate(rows_of(path, 6, encoding="latin-1")):
        if polarity not in ("0", "2", "4"):
            raise DataError(f"Row {line + 1} of {path.name} has polarity {polarity!r}. Expected 0, 2 or 4.")
        if polarity != "2":
            rows.append((line, text, _LABELS[polarity == "4"]))
    return filled(pd.DataFrame(rows, columns=_TEXT_COLUMNS), path)


def read_star_reviews(path: Path, most: int | None = None) -> pd.DataFrame:
    """Read Yelp's or Amazon's reviews, as CSV or as lines of JSON.

    A CSV has no header and is as the polarity sets are published: class (1 negative, 2 positive), perhaps a title, and
    the text. A line of JSON has `label` (0 or 1) and `text` or `content`, or stars (`stars`, `overall` or `rating`)
    and `text` or `reviewText`: up to two stars are negative, three are left out.

    Parameters
    ----------
    most : int, optional
        How many rows to read, from the start: published files have millions.
    """
    rows = _stars_from_csv(path) if path.suffix == ".csv" else _stars_from_json(path)
    return filled(pd.DataFrame(islice(rows, most), columns=_TEXT_COLUMNS), path)


def _stars_from_csv(path: Path) -> Iterator[tuple[int, str, str]]:
    with path.open(encoding="utf-8", errors="replace", newline="") as lines:
        width = len(next(csv.reader(lines), []))
    if width not in (2, 3):
        raise DataError(f"{path.name} has {width} columns. Expected class, perhaps a title, and text; no header.")
    for line, (number, *texts) in enumerate(rows_of(path, width)):
        if number not in ("1", "2"):
            raise DataError(f"Row {line + 1} of {path.name} has class {number!r}. Expected 1 or 2, and no header.")
        yield line, " ".join(texts).replace("\\n", " "), _LABELS[number == "2"]


def _stars_from_json(path: Path) -> Iterator[tuple[int, str, str]]:
    for line, entry in enumerate(json_lines(path, ())):
        text = next((entry[key] for key in _TEXTS if key in entry), None)
        given = next((entry[key] for key in _STARS if key in entry), None)
        number = entry.get("label")
        if text is None or (given is None and number not in (0, 1)):
            raise DataError(
                f"Line {line + 1} of {path.name} has no known text or label. "
                "Expected label (0 or 1) or stars, and text, content or reviewText."
            )
        stars = float(given) if given is not None else (5.0 if number else 1.0)
        if stars != 3:
            yield line, str(text), _LABELS[stars > 3]
