"""Figures: data in, Plotly figure or small HTML out. The app and the report draw with these; neither is known here."""

from __future__ import annotations

from mandoline_core.report.charts.ablation import ablation_curve, leave_one_out
from mandoline_core.report.charts.attribution import waterfall
from mandoline_core.report.charts.backtest import backtest_errors, method_order
from mandoline_core.report.charts.comparison import method_dots
from mandoline_core.report.charts.corrections import correction_matrix, pair_line, rate_table, side_by_side
from mandoline_core.report.charts.drift import calibration, predicted_classes
from mandoline_core.report.charts.elasticity import EFFECT_DIGITS, correction_effects, effect
from mandoline_core.report.charts.experiment import Point, experiment_dots, experiment_lines, is_number, series_title
from mandoline_core.report.charts.graph import MOST_NODES, slice_graph
from mandoline_core.report.charts.intervals import IntervalRow, interval_rows
from mandoline_core.report.charts.ranking import model_dots
from mandoline_core.report.charts.row_map import Shade, hover_lines, row_map, score_shade, weight_shade
from mandoline_core.report.charts.sensitivity import (
    MOST_SLICES,
    HiddenShift,
    hidden_shift_curve,
    show_strength,
    strongest,
)
from mandoline_core.report.charts.shares import class_balance
from mandoline_core.report.charts.shifts import balance, pair_gaps
from mandoline_core.report.charts.small import small_curve, small_strip, small_weights
from mandoline_core.report.charts.story import story_curve
from mandoline_core.report.charts.strip import SPREAD, estimate_strip
from mandoline_core.report.charts.template import (
    IMAGE_FORMATS,
    NAME_WIDTH,
    SOURCE,
    TARGET,
    TRUTH,
    chart_config,
    mark,
    palette,
    shorten,
)
from mandoline_core.report.charts.theory import TERM_NAMES, bound_bars
from mandoline_core.report.charts.thresholds import histogram_with_cut
from mandoline_core.report.charts.timeline import TimelinePoint, timeline
from mandoline_core.report.charts.tracking import TrackedPoint, track_chart
from mandoline_core.report.charts.trimming import show_cap, show_capped, trimming_curve
from mandoline_core.report.charts.weights import weight_histogram
