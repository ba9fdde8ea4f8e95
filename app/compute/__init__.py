"""Computing for the pages: the only package that caches. Keys are our own fingerprints and settings, never rows."""

from __future__ import annotations

from app.compute.background import Run
from app.compute.backtests import backtest_run, backtested, start_backtest
from app.compute.comparisons import (
    compare_model,
    compare_models,
    expected_seconds,
    is_slow,
    not_run,
    slow_run,
    start_slow,
)
from app.compute.corrections import CorrectionInUse, correction_row, pairs
from app.compute.estimates import (
    curves,
    heaviest,
    matches,
    members,
    report,
    reports,
    slice_notes,
    source_scores,
    table,
)
from app.compute.frames import (
    class_shares,
    classes,
    column_table,
    column_values,
    feature_columns,
    guessed_roles,
    identifiers,
    predicted_classes,
    source_classes,
    value_counts,
)
from app.compute.labels import Labels, few_labels, label_plan, target_labels
from app.compute.reading import plain_samples, samples, table_at, uploaded
from app.compute.trust import (
    MOST_GAMMA,
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
