"""A fitted model's answers as columns, with the roles that name them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mandoline_core.data.classes import class_name
from mandoline_core.data.sample import Model
from mandoline_core.errors import DataError


class Predictions(NamedTuple):
    """Hold a model's answers as columns, and the `Model` that names them.

    Parameters
    ----------
    frame : DataFrame
        A row for each row asked about, with its index if it had one: put it beside them.
    """

    frame: pd.DataFrame
    model: Model


def predict_columns(model: Any, X: Any, *, name: str = "model") -> Predictions:  # noqa: N803 - as scikit-learn says
    """Ask a fitted model about rows: a column of predictions and, for a classifier, one of each class's probability.

    Parameters
    ----------
    model : a fitted model of scikit-learn, or of anything like it
        It has `predict`; with `predict_proba` and `classes_`, there are probabilities, too.
    X : what its `predict` takes
    name : str
        The model's name: columns are called pred_NAME and prob_NAME_CLASS.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> fitted = DummyClassifier().fit([[0], [0], [0], [0]], ["no", "yes", "yes", "yes"])
    >>> found = predict_columns(fitted, [[0], [1]], name="most")
    >>> list(found.frame), found.model.probabilities["yes"]
    (['pred_most', 'prob_most_no', 'prob_most_yes'], 'prob_most_yes')
    """
    if not callable(getattr(model, "predict", None)):
        raise DataError(f"A {type(model).__name__} has no predict. Expected a fitted model, as of scikit-learn.")
    if not name.strip():
        raise DataError(f"A model's name must be a text that is not empty. Got {name!r}.")
    answers = np.asarray(model.predict(X))
    if answers.ndim == 2 and answers.shape[1] == 1:
        answers = answers[:, 0]
    if answers.ndim != 1:
        raise DataError(f"The model gives {answers.shape[-1]} answers a row. Take a model with one.")
    columns: dict[str, Any] = {f"pred_{name}": answers}
    probabilities: dict[str, str] = {}
    if callable(getattr(model, "predict_proba", None)):
        chances = np.asarray(model.predict_proba(X))
        for position, class_ in enumerate(class_name(one) for one in model.classes_):
            column = f"prob_{name}_{class_}"
            columns[column], probabilities[class_] = chances[:, position], column
    index = X.index if isinstance(X, (pd.DataFrame, pd.Series)) else None
    return Predictions(pd.DataFrame(columns, index=index), Model(name, f"pred_{name}", probabilities))
