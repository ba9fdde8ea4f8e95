"""From fitted models to a report in one call: predictions, labels and slices are joined here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import narwhals as nw

from mandoline_core.data import Model, Sample, add_columns, as_frame, predict_columns
from mandoline_core.errors import DataError
from mandoline_core.pipeline import Options, with_options
from mandoline_core.report.api import estimate
from mandoline_core.report.report import Report
from mandoline_core.slices import SliceLike, free_name


@with_options
def estimate_model(
    model: Any,
    X_source: Any,  # noqa: N803 - as scikit-learn says
    y_source: Any,
    X_target: Any,  # noqa: N803
    slices: Sequence[SliceLike],
    *,
    features: str | Sequence[str] | None = None,
    **options: Unpack[Options],
) -> Report:
    """Estimate how well a fitted model does on the new data, in one call.

    Parameters
    ----------
    model : a fitted model of scikit-learn, or of anything like it
        Or several, by name: `{"lr": ..., "forest": ...}`. They must not have been fitted on these labelled rows.
    X_source, X_target : frame, array of shape (n_rows, n_columns), or list of texts
        The labelled data and the new data. Slices may read columns that the model does not. Columns of an array are
        named x0, x1 and so on; texts are column "text".
    y_source : array of shape (n_rows,), or str
        The labels, or the column of X_source that has them.
    slices : sequence of Slice, str or callable
        As in `estimate`.
    features : str or sequence of str, optional
        The columns that the model reads: one name for a model of texts. By default, the columns it was fitted with, if
        it knows them, otherwise X as it is.
    **options
        As in `estimate`. The metric is "mae" by default for a model that predicts numbers.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> fitted = DecisionTreeClassifier().fit([[0], [1]], ["no", "yes"])
    >>> X, y = [[0]] * 80 + [[1]] * 20, ["no"] * 80 + ["yes", "no"] * 10
    >>> report = estimate_model(fitted, X, y, [[0], [1]] * 50, ["x0 = 1"])
    >>> round(report.source, 3), round(report.estimate, 3)
    (0.9, 0.75)
    """
    fitted = dict(model) if isinstance(model, Mapping) else {"model": model}
    if not fitted:
        raise DataError("There is no model. Give a fitted model, or several by name.")
    source, target = as_frame(X_source, what="X_source"), as_frame(X_target, what="X_target")
    here, models = _with_predictions(fitted, X_source, source, features, "X_source")
    there, _ = _with_predictions(fitted, X_target, target, features, "X_target")
    if isinstance(y_source, str):
        label = y_source
    else:
        label = free_name(str(getattr(y_source, "name", None) or "label"), here.columns)
        here = add_columns(here, {label: y_source}, "X_source")
    if "metric" not in options and all(
        _predicts_numbers(*pair, here) for pair in zip(fitted.values(), models, strict=True)
    ):
        options["metric"] = "mae"
    labelled = Sample(here, label=label, models=models, name="X_source")
    return estimate(labelled, Sample(there, name="X_target"), slices, **options)


def _with_predictions(
    fitted: Mapping[str, Any],
    given: Any,
    frame: nw.DataFrame[Any],
    features: str | Sequence[str] | None,
    what: str,
) -> tuple[nw.DataFrame[Any], list[Model]]:
    """Add every model's predictions to a frame."""
    models, columns = [], dict[str, Any]()
    for name, model in fitted.items():
        found = predict_columns(model, _features(model, given, frame, features, what), name=name)
        columns |= {column: found.frame[column].to_numpy() for column in found.frame}
        models.append(found.model)
    return add_columns(frame, columns, what), models


def _features(model: Any, given: Any, frame: nw.DataFrame[Any], features: str | Sequence[str] | None, what: str) -> Any:
    """Take what a model reads: the columns named, or those it was fitted with, or all."""
    is_frame = isinstance(nw.from_native(nw.to_native(given, pass_through=True), pass_through=True), nw.DataFrame)
    if features is None:
        known = getattr(model, "feature_names_in_", None)
        if known is None or not is_frame:
            return given
        features = [str(name) for name in known]
    names = [features] if isinstance(features, str) else list(features)
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError.missing_column(absent[0], what, frame.columns)
    chosen = frame[features] if isinstance(features, str) else frame.select(names)
    return nw.to_native(chosen)


def _predicts_numbers(fitted: Any, model: Model, frame: nw.DataFrame[Any]) -> bool:
    """Tell whether a model is a regression: it has no classes, and predicts floats."""
    return not hasattr(fitted, "classes_") and frame[str(model.prediction)].dtype.is_float()
