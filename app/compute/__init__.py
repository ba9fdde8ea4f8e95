"""Computing for the pages: the only package that caches. Keys are our own fingerprints and settings, never rows."""

from __future__ import annotations

from app.compute.background import Run
from app.compute.backtests import BacktestRun, backtest_run, backtested, start_backtest
from app.compute.comparisons import (
    compare_model,
    compare_models,
    expected_seconds,
    feature_columns,
    is_slow,
    not_run,
    slow_run,
    start_slow,
)
from app.compute.corrections import CorrectionRow, Pairs, correction_row, pairs
from app.compute.estimates import (
    SourceScore,
    codes_of,
    counted,
    curves,
    heaviest,
    matches,
    members,
    prepared,
    report,
    reports,
    slice_notes,
    source_scores,
    table,
)
from app.compute.frames import (
    FileKey,
    class_shares,
    classes,
    column_table,
    column_values,
    file_key,
    guessed_roles,
    identifiers,
    model_of,
    plain_samples,
    predicted_classes,
    samples,
    source_classes,
    table_at,
    uploaded,
    value_counts,
)
from app.compute.labels import Labels, few_labels, label_plan, target_labels
from app.compute.trust import (
    MOST_GAMMA,
    Curve,
    WeightedReport,
    attribution,
    crossing_gamma,
    has_noisy_slices,
    hidden_shift,
    hidden_shift_curve,
    promise,
    slopes,
    strengths,
    trimmings,
    weighted,
)
