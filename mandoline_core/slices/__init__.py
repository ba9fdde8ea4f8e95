"""Slices: rules that a person writes go in, and with a sample the code of every row in every slice comes out.

A kind of rule is data: it says what it needs, what it compiles to and how it reads.
"""

from __future__ import annotations

from mandoline_core.slices.codes import codes, gold_codes, slice_codes
from mandoline_core.slices.column_rules import (
    Category,
    Flag,
    Keyword,
    Length,
    Missing,
    Overlap,
    Range,
    Regex,
    Threshold,
)
from mandoline_core.slices.expression.compiling import compile_expression_code
from mandoline_core.slices.expression.syntax import ExpressionError
from mandoline_core.slices.expression.tree import FUNCTIONS, expression_columns
from mandoline_core.slices.measures import measure
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.slices.resolving import resolve, resolve_with_origins
from mandoline_core.slices.rule import Slice
from mandoline_core.slices.rules import (
    KINDS,
    All,
    Any,
    Combination,
    Confidence,
    Entropy,
    Expression,
    FunctionSlice,
    Not,
    Prediction,
    slicing_function,
)
from mandoline_core.slices.text import LETTERS
