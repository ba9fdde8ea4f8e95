"""Figures: data in, Plotly figure out. Nothing here knows of the app's framework."""

from __future__ import annotations

from app.charts.ablation import ablation_curve, leave_one_out
from app.charts.attribution import waterfall
from app.charts.backtest import backtest_errors, method_order
from app.charts.comparison import method_dots
from app.charts.corrections import correction_matrix
from app.charts.drift import calibration, predicted_classes
from app.charts.elasticity import EFFECT_DIGITS, correction_effects, effect
from app.charts.graph import slice_graph
from app.charts.intervals import IntervalRow, interval_rows
from app.charts.ranking import model_dots
from app.charts.sensitivity import MOST_SLICES, HiddenShift, hidden_shift_curve, show_strength, strongest
from app.charts.shares import class_balance
from app.charts.shifts import balance, pair_gaps
from app.charts.strip import estimate_strip
from app.charts.template import CHART_CONFIG, NAME_WIDTH, SOURCE, TARGET, TRUTH, palette, shorten
from app.charts.theory import TERM_NAMES, bound_bars
from app.charts.thresholds import histogram_with_cut
from app.charts.trimming import show_cap, show_capped, trimming_curve
from app.charts.weights import weight_histogram
