"""Reviews and posts with a sentiment: IMDB, its counterfactual edition, Sentiment140, and reviews with stars."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pandas as pd

from mandoline_core.errors import DataError
from mandoline_core.paper.published.files import filled, first_of, json_lines, rows_of, tabbed

_LABELS = ("negative", "positive")
_COLUMNS = ["line", "text", "label"]
_STARS = ("stars", "overall", "rating")
_TEXTS = ("text", "reviewText", "content")


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
            raise DataError(f"{home / short} holds no text file. Expected one for each review.")
        rows += [(file.read_text(encoding="utf-8", errors="replace"), label) for file in files]
    frame = pd.DataFrame(rows, columns=_COLUMNS[1:])
    frame["text"] = frame["text"].str.replace("<br />", " ", regex=False)
    return frame.assign(line=range(len(frame)))[_COLUMNS]


def read_counterfactual(path: Path) -> pd.DataFrame:
    """Read a part of counterfactual IMDB: columns Sentiment and Text, separated by tabs."""
    found = tabbed(path, ("Sentiment", "Text"))
    labels = found["Sentiment"].str.strip().str.lower()
    strange = sorted(set(labels) - set(_LABELS))
    if strange:
        raise DataError(f"{path.name} has a Sentiment {strange[0]!r}. Expected Negative or Positive.")
    frame = pd.DataFrame({"line": range(len(found)), "text": found["Text"].str.strip('"'), "label": labels})
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
    return filled(pd.DataFrame(rows, columns=_COLUMNS), path)


def read_star_reviews(path: Path, most: int | None = None) -> pd.DataFrame:
    """Read Yelp's or Amazon's reviews, as CSV or as lines of JSON.

    A CSV has no header and is as the polarity sets are published: class (1 negative, 2 positive), perhaps a title, and
    the text. A line of JSON has `label` (0 or 1) and `text` or `content`, or stars (`stars`, `overall` or `rating`)
    and `text` or `reviewText`: up to two stars are negative, three are left out.

    Parameters
    ----------
    most : int, optional
        So many are read, the first ones: published files have millions.
    """
    rows = _from_csv(path) if path.suffix == ".csv" else _from_json(path)
    return filled(pd.DataFrame(islice(rows, most), columns=_COLUMNS), path)


def _from_csv(path: Path) -> Iterator[tuple[int, str, str]]:
    with path.open(encoding="utf-8", errors="replace", newline="") as lines:
        width = len(next(csv.reader(lines), []))
    if width not in (2, 3):
        raise DataError(f"{path.name} has {width} columns. Expected class, perhaps a title, and text; no header.")
    for line, (number, *texts) in enumerate(rows_of(path, width)):
        if number not in ("1", "2"):
            raise DataError(f"Row {line + 1} of {path.name} has class {number!r}. Expected 1 or 2, and no header.")
        yield line, " ".join(texts).replace("\\n", " "), _LABELS[number == "2"]


def _from_json(path: Path) -> Iterator[tuple[int, str, str]]:
    for line, found in enumerate(json_lines(path, ())):
        text = next((found[key] for key in _TEXTS if key in found), None)
        given = next((found[key] for key in _STARS if key in found), None)
        number = found.get("label")
        if text is None or (given is None and number not in (0, 1)):
            raise DataError(
                f"Line {line + 1} of {path.name} has no text and label that are known. "
                "Expected label (0 or 1) or stars, and text, content or reviewText."
            )
        stars = float(given) if given is not None else (5.0 if number else 1.0)
        if stars != 3:
            yield line, str(text), _LABELS[stars > 3]
