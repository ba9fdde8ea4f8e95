"""Computing for the pages: the only package that caches. Keys are our own fingerprints and settings, never rows."""

from __future__ import annotations

from app.compute.audits import (
    BOTH,
    AuditTurn,
    agreements,
    audit_effect,
    audit_turn,
    audited_row,
    from_published,
    mistake_tests,
    second_rules,
)
from app.compute.columns import (
    class_shares,
    classes,
    column_kind,
    column_table,
    column_values,
    feature_columns,
    group_columns,
    guessed_roles,
    identifiers,
    predicted_classes,
    row_scores,
    source_classes,
    type_guesses,
    value_counts,
)
from app.compute.comparisons import (
    DRAWS,
    Pace,
    ask_quick,
    backtest,
    backtest_job,
    compare_model,
    compare_models,
    comparison_job,
    expected_seconds,
    n_coming,
    not_run,
    pace_of,
    start_backtest,
    start_comparison,
)
from app.compute.corrections import (
    CorrectionInUse,
    CorrectionRow,
    PairTest,
    PairTests,
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
from app.compute.data import forget, labels_at, new_labels, plain_samples, samples, table_at, untyped_columns
from app.compute.edits import EditEffect, attempt, change, dry_run, edit_effect
from app.compute.estimates import (
    LastEdit,
    ask_spread,
    curves,
    effects,
    effects_in_order,
    experience,
    last_edit,
    members,
    quick_effects,
    report,
    reports,
    second_opinion,
    shown_model,
    slice_notes,
    source_scores,
    table,
)
from app.compute.experiments import experiment_job, experiment_project, reproduction, start_experiment
from app.compute.history import Moment, Summary, last_estimate, moments, newest, note_summary, read_summary, way_to
from app.compute.jobs import Job, WorkingError, go_on
from app.compute.labels import (
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
from app.compute.matched import MatchedRows, labelled_answers, matched_rows
from app.compute.offers import holds_dates, offers, rows_inside, scale, stretch_rule, survey, word_counts
from app.compute.reporting import estimate_json, groups, report_html, weights_csv
from app.compute.row_maps import (
    DrawnMap,
    described,
    map_job,
    map_scores,
    map_weights,
    row_map,
    start_map,
)
from app.compute.slice_suggestions import (
    accepting,
    is_accepted,
    previewed,
    refused,
    start_suggestions,
    suggestion_job,
    suggestions,
)
from app.compute.slides import AUDIENCES, EXAMPLES, example_rows, slides
from app.compute.spreads import spread, spread_job
from app.compute.track import TrackState, ask_track, check_table, start_track, track_job, track_json, track_state
from app.compute.trust import (
    MOST_GAMMA,
    hidden_shift,
    hidden_shift_curve,
    slopes,
    strengths,
    trimmings,
    weighted,
)
