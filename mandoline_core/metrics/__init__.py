"""Metrics: labels and a model's predictions go in; what the metric needs of every row comes out.

A metric is data: its statistics, how their means combine, and its wording.
"""

from __future__ import annotations

from mandoline_core.metrics.auroc import smaller_class
from mandoline_core.metrics.class_labels import ClassCodes, ClassLabels, merged_name, read_class_labels
from mandoline_core.metrics.confusion import MOST_CLASSES
from mandoline_core.metrics.limits import (
    BEYOND,
    apart,
    badness,
    check_worst,
    digits_apart,
    exact,
    is_worse,
    show_limit,
)
from mandoline_core.metrics.metric import Evaluation, Metric, evaluate
from mandoline_core.metrics.own import OWN, OwnMetric
from mandoline_core.metrics.probabilities import find_sums_off, read_probabilities
from mandoline_core.metrics.registry import METRICS, get_metric
from mandoline_core.metrics.scores import Scores, check_finite, check_new_predictions, score_rows
