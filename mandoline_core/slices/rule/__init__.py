"""The rule: what kinds of slice are written with, and the words for what they need, measure, answer and show."""

from __future__ import annotations

from mandoline_core.slices.rule.answers import abstain, answer, code, compares, is_class
from mandoline_core.slices.rule.base import Slice, free_name
from mandoline_core.slices.rule.control import Control, shown
from mandoline_core.slices.rule.measures import Measure, with_measures
from mandoline_core.slices.rule.needs import (
    ANYTHING,
    CLASSES,
    NEEDS,
    NUMBERS,
    TEXT,
    TRUTH,
    Schema,
    fitting_columns,
    serves,
)
from mandoline_core.slices.rule.scales import Scale, column_scale, middle, round_step
from mandoline_core.slices.rule.shared import BoundedRule, OfColumn, OfModel, either, plain
from mandoline_core.slices.rule.survey import Scalar, Survey, find_name, survey_samples
