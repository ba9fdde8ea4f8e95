"""Computing for the pages: the only package that caches. Keys are our own fingerprints and settings, never rows."""

from __future__ import annotations

from app.compute.audits import (
    BOTH,
    AuditTurn,
    MistakeTest,
    agreements,
    audit_effect,
    audit_turn,
    audited_row,
    from_published,
    mistake_tests,
    second_rules,
)
from app.compute.background import Run
from app.compute.backtests import backtest_run, backtested, start_backtest
from app.compute.comparisons import (
    Pace,
    ask_quick,
    compare_model,
    compare_models,
    expected_seconds,
    find_run,
    is_slow,
    n_coming,
    not_run,
    start,
)
from app.compute.corrections import (
    CorrectionInUse,
    CorrectionRow,
    Pair,
    Pairs,
    Trial,
    answer_columns,
    choosers,
    correction_rows,
    pairs,
    pairs_in_use,
    try_pairs,
)
from app.compute.counting import (
    current,
    in_tables,
    known_or_drawn,
    n_looked_at,
    n_rows,
    settled,
    still_counting,
    wait_for_tables,
)
from app.compute.editing import attempt, change
from app.compute.estimates import (
    curves,
    effects,
    heaviest,
    last_edit,
    matches,
    members,
    report,
    reports,
    shown_model,
    slice_notes,
    source_scores,
    table,
)
from app.compute.frames import (
    class_shares,
    classes,
    column_kind,
    column_table,
    column_values,
    feature_columns,
    guessed_roles,
    identifiers,
    predicted_classes,
    source_classes,
    value_counts,
)
from app.compute.gallery import experiment_project, experiment_run, reproduced, start_experiment
from app.compute.history import Moment, Summary, last_summary, moments, note_summary, read_summary, way_to
from app.compute.labels import (
    LabelCount,
    Labels,
    bring_labels,
    drop_labels,
    few_labels,
    label_classes,
    label_count,
    label_of,
    label_plan,
    target_labels,
)
from app.compute.mapping import (
    DrawnMap,
    described,
    map_run,
    map_scores,
    map_weights,
    row_map,
    start_map,
)
from app.compute.offers import ground, offers, rows_inside, scale, stretch_rule, word_counts
from app.compute.reading import forget, plain_samples, samples, table_at
from app.compute.reporting import report_html
from app.compute.suggesting import (
    accepting,
    previewed,
    refused,
    spread,
    start_suggesting,
    suggest_run,
    suggestions,
)
from app.compute.takeaway import estimate_json, weights_csv
from app.compute.tracking import Tracked, ask_track, check_table, start_track, track_json, track_run, tracked
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
from app.compute.trying import Tried, tried
from app.compute.working import WorkingError, go_on
