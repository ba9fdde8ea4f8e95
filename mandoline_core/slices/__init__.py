"""Slices: rules go in, and with a sample the code of every row in every slice comes out.

Each kind of rule is a file in `kinds`: what it needs, compiles to, how it is described and edited.
"""

from __future__ import annotations

from mandoline_core.slices.audit import ANSWERS, Answer, AuditAnswers, Side, SliceAudit
from mandoline_core.slices.codes import codes, gold_codes, settle, slice_codes
from mandoline_core.slices.expression.compiler import compile_expression_code
from mandoline_core.slices.expression.syntax import ExpressionError
from mandoline_core.slices.expression.tree import FUNCTIONS, written_column
from mandoline_core.slices.kinds import (
    KINDS,
    All,
    Any,
    Category,
    Classifier,
    Confidence,
    Entropy,
    Expression,
    Flag,
    Keyword,
    Length,
    Missing,
    Not,
    Overlap,
    Prediction,
    Range,
    Regex,
    Threshold,
    slicing_function,
)
from mandoline_core.slices.kinds.flag import VoteSlices, slices_from_votes
from mandoline_core.slices.line import default_name, example_line, read_line
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.slices.reading import SliceLike, read_slices
from mandoline_core.slices.resolution import resolve, resolve_with_origins
from mandoline_core.slices.rule import (
    DATES,
    NUMBERS,
    ORDERED,
    TEXT,
    WRITTEN,
    Bound,
    Control,
    Scale,
    Slice,
    Survey,
    column_scale,
    fitting_columns,
    free_name,
    serves,
    survey_samples,
)
from mandoline_core.slices.templates import conjoin, offer, rule_between
from mandoline_core.slices.text import count_words
