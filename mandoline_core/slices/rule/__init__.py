"""The rule: what kinds of slice are built from."""

from __future__ import annotations

from mandoline_core.slices.expression.tree import Predicate
from mandoline_core.slices.rule.base import Bound, Slice, free_name
from mandoline_core.slices.rule.bases import BoundedRule, OfColumn, bound_of, either, plain, say_bounds, written_bound
from mandoline_core.slices.rule.codes import (
    Measure,
    abstain,
    code,
    compares,
    is_class,
    row_code,
    text_of,
    with_measures,
)
from mandoline_core.slices.rule.needs import (
    ANYTHING,
    CLASSES,
    DATES,
    NEEDS,
    NUMBERS,
    ORDERED,
    TEXT,
    TRUTH,
    WRITTEN,
    Control,
    Schema,
    fitting_columns,
    serves,
    shown,
)
from mandoline_core.slices.rule.survey import (
    Scalar,
    Scale,
    Survey,
    column_scale,
    date_at,
    find_name,
    middle,
    round_step,
    survey_samples,
)
