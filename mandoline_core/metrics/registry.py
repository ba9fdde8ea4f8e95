"""The list of metrics, in the order in which they are offered."""

from __future__ import annotations

from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.metrics.agreement import QUADRATIC_KAPPA
from mandoline_core.metrics.auroc import AUROC
from mandoline_core.metrics.confusion import BALANCED_ACCURACY, F1, F_BETA, MCC, PRECISION, RECALL
from mandoline_core.metrics.means import (
    ACCURACY,
    BIAS,
    BRIER,
    ERROR,
    LOG_LOSS,
    MAE,
    MAPE,
    MEAN,
    PINBALL,
    RMSE,
    TOP_K_ACCURACY,
)
from mandoline_core.metrics.metric import Metric
from mandoline_core.metrics.own import OwnMetric
from mandoline_core.project import MetricSettings

_ALL = (
    ACCURACY,
    ERROR,
    PRECISION,
    RECALL,
    F1,
    F_BETA,
    BALANCED_ACCURACY,
    MCC,
    QUADRATIC_KAPPA,
    TOP_K_ACCURACY,
    LOG_LOSS,
    BRIER,
    AUROC,
    MAE,
    MAPE,
    RMSE,
    PINBALL,
    BIAS,
    MEAN,
)
METRICS: dict[str, Metric] = {metric.name: metric for metric in _ALL}


def get_metric(which: str | MetricSettings) -> Metric:
    """Look a metric up by name, or make the one that settings ask for; without settings, they are the default ones.

    >>> get_metric("accuracy").bounds, get_metric(MetricSettings("f_beta", beta=0.5)).spoken
    ((0.0, 1.0), 'F0.5 score')
    """
    if isinstance(which, OwnMetric):
        return which.metric
    name = which if isinstance(which, str) else which.name
    if name not in METRICS:
        raise ProjectError(
            f"Unknown metric {name!r}. Metrics: {listed(METRICS, most=20)}.{did_you_mean(name, METRICS)}"
        )
    metric = METRICS[name]
    if metric.of_settings is None:
        return metric
    return metric.of_settings(metric, MetricSettings(name) if isinstance(which, str) else which)
