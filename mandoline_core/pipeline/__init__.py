"""The pipeline: samples and what is asked for go in; for each model an estimate comes out, step by step.

    code      slices on rows                    -> Codes
    count     codes and what the metric needs   -> Cells      (from here on no rows)
    fit       corrections, edges, overlap       -> Fit
    estimate  a method and its interval         -> Estimate

Reading samples comes before (`data`), checking the estimate after (`checks`), and `report` walks all of them. The slice
table, the ablation curve and the attribution are functions of a fit.
"""

from __future__ import annotations

from mandoline_core.pipeline.ablation import Ablation, AblationPoint, ablation, estimate_with, steps
from mandoline_core.pipeline.attribution import ROWS_LEFT_OUT, Attribution, AttributionPart, attribute
from mandoline_core.pipeline.balance import (
    FARTHEST,
    NO_VARIANCE,
    HeavyPattern,
    MeanShift,
    heaviest_patterns,
    slice_balance,
    standardise,
)
from mandoline_core.pipeline.cells import Cells, SampleCells, count, count_tables
from mandoline_core.pipeline.codes import Codes, Memo, check_countable, code, evaluate_slices, no_memo, stay_in_tables
from mandoline_core.pipeline.columns import (
    HARMLESS,
    ColumnTable,
    DrawnColumns,
    Quantity,
    RowCells,
    ScoredColumns,
    SumTable,
    Tally,
    cell_marks,
    column_table,
    draw_rows,
    row_cells,
    score_columns,
)
from mandoline_core.pipeline.diagnostics import Diagnostics, diagnose, hull, interval_of, prediction_interval_of, widen
from mandoline_core.pipeline.drawn_rows import DrawnRows, read_predictions, restate
from mandoline_core.pipeline.elasticity import CorrectionSlope, correction_slopes
from mandoline_core.pipeline.estimates import (
    Estimate,
    Progress,
    about_draw,
    estimate,
    fit_for,
    interval_by_settings,
    is_share,
)
from mandoline_core.pipeline.fits import EdgeNames, Fit, choose_edges, fit, make_problem
from mandoline_core.pipeline.group_columns import MOST_GROUPED, SampleGroups
from mandoline_core.pipeline.labels import score_labels, score_truth
from mandoline_core.pipeline.options import Options, option_defaults, with_options
from mandoline_core.pipeline.predictions import tally_predictions
from mandoline_core.pipeline.request import Request, part_of, prepare, request_of, revealed, state, state_project
from mandoline_core.pipeline.sample_design import design_cells, design_rows
from mandoline_core.pipeline.self_test import SelfTest, self_test
from mandoline_core.pipeline.slice_table import SlicePart, SliceRow, SliceTable, slice_table
from mandoline_core.pipeline.value_rules import cut_rule, item_rule, keyword_rule, missing_rule
