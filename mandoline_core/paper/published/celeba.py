"""CelebA's attribute list, with the answers of models that somebody ran on the images."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mandoline_core.data import read_table
from mandoline_core.errors import DataError
from mandoline_core.paper.published.files import first_of

_IMAGE = "image_id"


def read_celeba(folder: Path) -> pd.DataFrame:
    """Read list_attr_celeba.txt and predictions.csv.

    The first file has the number of images, the names of the attributes, and for each image its name and 1 or -1 for
    every attribute, separated by blanks. The second has image_id, and for each model pred_<model> ("male" or
    "female") and perhaps prob_<model>_male and prob_<model>_female; images that are not in it are left out: those
    that the models were trained on.

    Returns
    -------
    pandas.DataFrame
        Columns image_id, blurry (0 or 1), label ("male" or "female"), and the models' answers.
    """
    attributes = _attributes(first_of(folder, ("list_attr_celeba.txt", "Anno/list_attr_celeba.txt"), "the attributes"))
    answers = read_table(first_of(folder, ("predictions.csv",), "models' answers"))
    if _IMAGE not in answers.columns:
        raise DataError.missing_column(_IMAGE, "predictions.csv", answers.columns)
    if not any(column.startswith("pred_") for column in answers.columns):
        raise DataError("predictions.csv has no column pred_<model>. Expected pred_<model> and prob_<model>_<class>.")
    strange = answers.loc[~answers[_IMAGE].isin(attributes[_IMAGE]), _IMAGE]
    if len(strange):
        raise DataError(f"predictions.csv names the image {strange.iloc[0]!r}, which list_attr_celeba.txt does not.")
    return attributes.merge(answers, on=_IMAGE, validate="one_to_one")


def _attributes(path: Path) -> pd.DataFrame:
    with path.open(encoding="utf-8") as lines:
        count, names = next(lines, "").strip(), next(lines, "").split()
        rows = [line.split() for line in lines if line.strip()]
    if not count.isdigit() or not {"Blurry", "Male"} <= set(names):
        raise DataError(
            f"{path.name} does not begin with a number of images and a line of attributes with Blurry, Male."
        )
    if len(rows) != int(count):
        raise DataError(
            f"{path.name} says that it has {int(count):,} images, and has {len(rows):,}. It may be cut off."
        )
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
