"""Predictions of a fitted model, as columns of a frame."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mandoline_core.data.classes import class_name
from mandoline_core.data.models import Model
from mandoline_core.errors import DataError


class Predictions(NamedTuple):
    """Hold a model's predictions as columns, and the `Model` that reads them.

    Parameters
    ----------
    frame : DataFrame
        The predictions, one row for each row of X, with the same index. Add its columns to your data.
    """

    frame: pd.DataFrame
    model: Model


def predict_columns(model: Any, X: Any, *, name: str = "model") -> Predictions:  # noqa: N803 - as scikit-learn says
    """Predict with a fitted model: a column of predictions and, for a classifier, one column per class probability.

    Parameters
    ----------
    model : a fitted model of scikit-learn, or of anything like it
        It needs `predict`. With `predict_proba` and `classes_`, probabilities are added.
    X : what its `predict` takes
    name : str
        The model's name. Columns are named pred_NAME and prob_NAME_CLASS.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> fitted = DummyClassifier().fit([[0], [0], [0], [0]], ["no", "yes", "yes", "yes"])
    >>> predictions = predict_columns(fitted, [[0], [1]], name="most")
    >>> list(predictions.frame), predictions.model.probabilities["yes"]
    (['pred_most', 'prob_most_no', 'prob_most_yes'], 'prob_most_yes')
    """
    if not callable(getattr(model, "predict", None)):
        raise DataError(
            f"The model must be fitted and have a predict method, as in scikit-learn. Got a {type(model).__name__}."
        )
    if not name.strip():
        raise DataError(f"A model's name must be a non-empty text. Got {name!r}.")
    predictions = np.asarray(model.predict(X))
    if predictions.ndim == 2 and predictions.shape[1] == 1:
        predictions = predictions[:, 0]
    if predictions.ndim != 1:
        raise DataError(f"The model gives {predictions.shape[-1]} predictions per row. Use a model that gives one.")
    columns: dict[str, Any] = {f"pred_{name}": predictions}
    probabilities: dict[str, str] = {}
    if callable(getattr(model, "predict_proba", None)):
        values = np.asarray(model.predict_proba(X))
        for position, class_ in enumerate(map(class_name, model.classes_)):
            column = f"prob_{name}_{class_}"
            columns[column], probabilities[class_] = values[:, position], column
    index = X.index if isinstance(X, (pd.DataFrame, pd.Series)) else None
    return Predictions(pd.DataFrame(columns, index=index), Model(name, f"pred_{name}", probabilities))
