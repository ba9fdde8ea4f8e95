"""The rule: what kinds of slice are written with, and the words for what they need, measure, answer and show."""

from __future__ import annotations

from mandoline_core.slices.expression.tree import Predicate
from mandoline_core.slices.rule.base import Slice, free_name
from mandoline_core.slices.rule.bases import BoundedRule, OfColumn, either, plain
from mandoline_core.slices.rule.codes import Measure, abstain, code, compares, is_class, row_code, with_measures
from mandoline_core.slices.rule.needs import (
    ANYTHING,
    CLASSES,
    NEEDS,
    NUMBERS,
    TEXT,
    TRUTH,
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
    find_name,
    middle,
    round_step,
    survey_samples,
)
