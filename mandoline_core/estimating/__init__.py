"""Estimating: what is asked for goes in; for each model a report on its solved problem comes out.

Request, count, solve, report; the slice table, the ablation curve and the attribution stand on the same problem.
"""

from __future__ import annotations

from mandoline_core.estimating.ablation import Ablation, AblationPoint, ablation, estimate_with, estimate_without, steps
from mandoline_core.estimating.answers import AnswerTally, tally_answers
from mandoline_core.estimating.assemble import (
    EdgeNames,
    ModelProblem,
    Prepared,
    make_problem,
    prepare,
    state_problem,
)
from mandoline_core.estimating.attribution import METHODS, ROWS_LEFT_OUT, Attribution, AttributionPart, attribute
from mandoline_core.estimating.balance import HeavyPattern, SliceBalance, heaviest_patterns, slice_balance
from mandoline_core.estimating.choosing import choose_edges
from mandoline_core.estimating.columns.rules import cut_rule, item_rule, keyword_rule, missing_rule
from mandoline_core.estimating.columns.stacks import Quantity
from mandoline_core.estimating.columns.table import HARMLESS, ColumnTable, DrawnColumns, column_table
from mandoline_core.estimating.columns.tally import CellRows, ColumnTally, SumTable, Tally
from mandoline_core.estimating.counting import (
    CodesOf,
    ModelCount,
    SampleCells,
    check_countable,
    count_rows,
    count_tables,
    stay_in_tables,
)
from mandoline_core.estimating.diagnostics import Diagnostics, diagnose, hull, interval_of
from mandoline_core.estimating.elasticity import CorrectionSlope, correction_slopes
from mandoline_core.estimating.labels import TargetLabels, score_labels
from mandoline_core.estimating.model_report import (
    ModelReport,
    Progress,
    about_draw,
    interval_by_settings,
    is_share,
    solve_model,
)
from mandoline_core.estimating.request import Asked, Request, state, state_project
from mandoline_core.estimating.slice_table import Part as SlicePart
from mandoline_core.estimating.slice_table import SliceRow, SliceTable, slice_table
