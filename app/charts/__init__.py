"""Figures: data in, Plotly figure out. Nothing here knows of the app's framework."""

from __future__ import annotations

from app.charts.ablation import ablation_curve, leave_one_out
from app.charts.corrections import correction_matrix
from app.charts.graph import slice_graph
from app.charts.shares import class_balance, coverage_bars
from app.charts.shifts import balance, pair_gaps
from app.charts.strip import estimate_strip
from app.charts.thresholds import histogram_with_cut
from app.charts.weights import weight_histogram
from app.template import CHART_CONFIG, SOURCE, TARGET, TRUTH

__all__ = [
    "CHART_CONFIG",
    "SOURCE",
    "TARGET",
    "TRUTH",
    "ablation_curve",
    "balance",
    "class_balance",
    "correction_matrix",
    "coverage_bars",
    "estimate_strip",
    "histogram_with_cut",
    "leave_one_out",
    "pair_gaps",
    "slice_graph",
    "weight_histogram",
]
