"""The list of metrics, in the order in which they are offered."""

from __future__ import annotations

from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.metrics.auroc import AUROC
from mandoline_core.metrics.confusion import BALANCED_ACCURACY, F1, MCC, PRECISION, RECALL
from mandoline_core.metrics.means import ACCURACY, BIAS, BRIER, ERROR, LOG_LOSS, MAE, MEAN, RMSE
from mandoline_core.metrics.metric import Metric

_ALL = (
    ACCURACY,
    ERROR,
    PRECISION,
    RECALL,
    F1,
    BALANCED_ACCURACY,
    MCC,
    LOG_LOSS,
    BRIER,
    AUROC,
    MAE,
    RMSE,
    BIAS,
    MEAN,
)
METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}


def get_metric(name: str) -> Metric:
    """Look a metric up by name.

    >>> get_metric("accuracy").bounds
    (0.0, 1.0)
    """
    if name not in METRICS:
        raise ProjectError(
            f"Metric {name!r} is not known. Metrics: {listed(METRICS, most=20)}.{did_you_mean(name, METRICS)}"
        )
    return METRICS[name]
