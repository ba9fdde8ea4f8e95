"""Figures: data in, Plotly figure or small HTML out. The app and the report draw with these; neither is known here."""

from __future__ import annotations

from importlib.util import find_spec

from mandoline_core.errors import MandolineError

if find_spec("plotly") is None:
    raise MandolineError("Charts need Plotly. Install it with: pip install 'mandoline-estimator[charts]'")

from mandoline_core.report.charts.ablation import ablation_curve, fold_parts, leave_one_out, parts_title, waterfall
from mandoline_core.report.charts.backtest import backtest_errors, method_order
from mandoline_core.report.charts.comparison import method_dots, model_dots
from mandoline_core.report.charts.corrections import (
    MOST_NODES,
    correction_effects,
    correction_matrix,
    effect,
    pair_line,
    rate_table,
    side_by_side,
    slice_graph,
)
from mandoline_core.report.charts.distributions import ScoresByValue, class_balance, histogram_with_cut
from mandoline_core.report.charts.experiment import Point, experiment_dots, experiment_lines, is_number, series_title
from mandoline_core.report.charts.row_map import Shade, hover_lines, row_map, score_shade, weight_shade
from mandoline_core.report.charts.sensitivity import (
    MOST_SLICES,
    TERM_NAMES,
    bound_bars,
    hidden_shift_curve,
)
from mandoline_core.report.charts.shifts import balance, calibration, pair_gaps, predicted_classes
from mandoline_core.report.charts.slice_shares import slice_shares
from mandoline_core.report.charts.small import Axes, Scale, scale, small_curve, small_strip, small_weights
from mandoline_core.report.charts.strip import SAMPLING, IntervalRow, estimate_strip, interval_rows, strip_rows
from mandoline_core.report.charts.style import (
    IMAGE_FORMATS,
    NAME_WIDTH,
    SOURCE,
    TARGET,
    TRUTH,
    chart_config,
    clean,
    mark,
    palette,
    shorten,
)
from mandoline_core.report.charts.tracking import TrackedPoint, timeline, track_chart
from mandoline_core.report.charts.weights import trimming_curve, weight_histogram
