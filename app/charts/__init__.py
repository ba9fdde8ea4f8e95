"""Figures: data in, Plotly figure out. Nothing here knows of the app's framework."""

from __future__ import annotations

from app.charts.ablation import ablation_curve, leave_one_out
from app.charts.attribution import waterfall
from app.charts.backtest import backtest_errors
from app.charts.comparison import method_dots
from app.charts.corrections import correction_matrix
from app.charts.drift import calibration, predicted_classes
from app.charts.elasticity import correction_effects
from app.charts.graph import slice_graph
from app.charts.intervals import IntervalRow, interval_rows
from app.charts.ranking import model_dots
from app.charts.sensitivity import HiddenShift, hidden_shift_curve
from app.charts.shares import class_balance, coverage_bars
from app.charts.shifts import balance, pair_gaps
from app.charts.strip import estimate_strip
from app.charts.theory import TERM_NAMES, bound_bars
from app.charts.thresholds import histogram_with_cut
from app.charts.trimming import show_cap, trimming_curve
from app.charts.weights import weight_histogram
from app.template import CHART_CONFIG, SOURCE, TARGET, TRUTH

__all__ = [
    "CHART_CONFIG",
    "SOURCE",
    "TARGET",
    "TERM_NAMES",
    "TRUTH",
    "HiddenShift",
    "IntervalRow",
    "ablation_curve",
    "backtest_errors",
    "balance",
    "bound_bars",
    "calibration",
    "class_balance",
    "correction_effects",
    "correction_matrix",
    "coverage_bars",
    "estimate_strip",
    "hidden_shift_curve",
    "histogram_with_cut",
    "interval_rows",
    "leave_one_out",
    "method_dots",
    "model_dots",
    "pair_gaps",
    "predicted_classes",
    "show_cap",
    "slice_graph",
    "trimming_curve",
    "waterfall",
    "weight_histogram",
]
