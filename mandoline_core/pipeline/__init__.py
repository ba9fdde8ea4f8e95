"""Estimating: what is asked for goes in; for each model a report on its solved problem comes out.

Request, count, solve, report; the slice table, the ablation curve and the attribution stand on the same problem.
"""

from __future__ import annotations

from mandoline_core.pipeline.ablation import Ablation, AblationPoint, ablation, estimate_with, estimate_without, steps
from mandoline_core.pipeline.assemble import (
    EdgeNames,
    Fit,
    make_problem,
    prepare,
    state_problem,
)
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
from mandoline_core.pipeline.choosing import choose_edges
from mandoline_core.pipeline.columns import (
    HARMLESS,
    ColumnTable,
    DrawnColumns,
    Quantity,
    RowCells,
    SumTable,
    Tally,
    cell_marks,
    column_table,
    cut_rule,
    draw_rows,
    item_rule,
    keyword_rule,
    missing_rule,
    row_cells,
)
from mandoline_core.pipeline.counting import (
    Cells,
    CodesOf,
    SampleCells,
    check_countable,
    count_rows,
    count_tables,
    stay_in_tables,
)
from mandoline_core.pipeline.diagnostics import Diagnostics, diagnose, hull, interval_of
from mandoline_core.pipeline.elasticity import CorrectionSlope, correction_slopes
from mandoline_core.pipeline.labels import TargetLabels, score_labels
from mandoline_core.pipeline.model_report import (
    Estimate,
    Progress,
    about_draw,
    interval_by_settings,
    is_share,
    solve_model,
)
from mandoline_core.pipeline.predictions import PredictionTally, tally_predictions
from mandoline_core.pipeline.request import Asked, Request, state, state_project
from mandoline_core.pipeline.slice_table import Part as SlicePart
from mandoline_core.pipeline.slice_table import SliceRow, SliceTable, slice_table
