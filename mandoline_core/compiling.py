"""Compiling: from a resolved rule to a Narwhals expression of codes 1 (inside), -1 (outside), 0 (abstains)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch

import narwhals as nw

from mandoline_core.classes import matching_values
from mandoline_core.data import Model, Sample, kind_of
from mandoline_core.errors import SliceError, did_you_mean, listed
from mandoline_core.expression import compile_expression_code
from mandoline_core.rules import (
    ANYTHING,
    CLASSES,
    NUMBERS,
    TEXT,
    TRUTH,
    All,
    Any,
    Bounded,
    Category,
    Combination,
    Confidence,
    Entropy,
    Expression,
    Flag,
    FunctionSlice,
    Keyword,
    Length,
    Missing,
    Not,
    OfModel,
    Overlap,
    Prediction,
    Range,
    Regex,
    Slice,
    Threshold,
)
from mandoline_core.text import count_words, keyword_pattern, portable_regex

Schema = Mapping[str, nw.dtypes.DType]

INSIDE_WORDS = ("true", "yes", "1", "1.0")
OUTSIDE_WORDS = ("false", "no")
ZERO_WORDS = ("0", "0.0")
MINUS_WORDS = ("-1", "-1.0")
_TINY = 1e-300  # stands in for 0 in a logarithm; 0 times it is still 0


def compile_slice(rule: Slice, schema: Schema) -> nw.Expr:
    """Turn a resolved rule into an expression of codes for frames with this schema.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from mandoline_core.rules import Threshold
    >>> frame = nw.from_native(pa.table({"n": [1, None, 3]}))
    >>> frame.select(compile_slice(Threshold("big", column="n", above=2), frame.schema).alias("big"))["big"].to_list()
    [-1, 0, 1]
    """
    check_columns(rule, schema, "the data")
    return codes_of(rule, schema)


def check_columns(rule: Slice, schema: Schema, where: str, sample: Sample | None = None) -> None:
    """Refuse a rule that reads a column that is not there or does not hold what the rule needs."""
    if isinstance(rule, Combination):
        for other in rule.of:
            check_columns(_resolved(other), schema, where, sample)
    for column, need in rule.needs.items():
        if column not in schema:
            raise SliceError(
                f"Slice {rule.name!r} reads column {column!r}, which is not in {where}. "
                f"Columns: {listed(schema)}.{did_you_mean(column, schema)}"
            )
        dtype = schema[column]
        if not _serves(dtype, need):
            example = f", such as {_example(sample, column, need)!r}" if sample is not None else ""
            raise SliceError(
                f"Slice {rule.name!r} needs {_NEEDS[need]} in column {column!r}, which holds {kind_of(dtype)} in {where}"
                f"{example}. {_remedy(rule, dtype)}"
            )


def share_column(rule: Overlap) -> str:
    """Name the column that holds the share of words in common, computed before the expressions run."""
    return "\0".join(("share", *rule.columns))


def function_column(rule: FunctionSlice) -> str:
    """Name the column that holds a function's codes, computed before the expressions run."""
    return f"function\0{rule.name}\0{id(rule.function)}"


def measure_column(rule: Entropy | Confidence) -> str:
    """Name the column that may hold a model's entropy or confidence, to compute it once for several slices."""
    return "\0".join((rule.kind, *_model(rule).probabilities.values()))


def measure(rule: Entropy | Confidence, schema: Schema) -> nw.Expr:
    """Compute the model's entropy or confidence, or take it where it has been computed."""
    if measure_column(rule) in schema:
        return nw.col(measure_column(rule))
    columns = [nw.col(column).cast(nw.Float64) for column in _model(rule).probabilities.values()]
    missing = nw.any_horizontal(*(column.is_null() for column in columns), ignore_nulls=False)
    if isinstance(rule, Confidence):
        value = nw.max_horizontal(*columns)
    else:
        # Rounded probabilities may add up to a little over 1 and give an entropy just below 0.
        value = nw.sum_horizontal(*(column * column.clip(_TINY, None).log() * -1.0 for column in columns)).clip(
            0.0, None
        )
    return nw.when(~missing).then(value)


@singledispatch
def codes_of(rule: Slice, schema: Schema) -> nw.Expr:
    """Compile one kind of rule whose columns have been checked."""
    raise TypeError(f"no way to compile {type(rule).__name__}")


@codes_of.register
def _(rule: Keyword, schema: Schema) -> nw.Expr:
    return _contains(rule.column, keyword_pattern(rule.words, case=rule.case, whole_words=rule.whole_words), schema)


@codes_of.register
def _(rule: Regex, schema: Schema) -> nw.Expr:
    return _contains(rule.column, portable_regex(rule.pattern), schema)


@codes_of.register
def _(rule: Threshold, schema: Schema) -> nw.Expr:
    return _abstain(rule.column) if _is_empty(rule.column, schema) else _bounded(rule, nw.col(rule.column))


@codes_of.register
def _(rule: Range, schema: Schema) -> nw.Expr:
    column = nw.col(rule.column)
    if _is_empty(rule.column, schema):
        return _abstain(rule.column)
    return _answer(column.is_null(), (column >= rule.low) & (column <= rule.high))


@codes_of.register
def _(rule: Category, schema: Schema) -> nw.Expr:
    return _is_class(rule.column, rule.values or (), schema)


@codes_of.register
def _(rule: Prediction, schema: Schema) -> nw.Expr:
    column = _model(rule).prediction
    assert column is not None and rule.value is not None, "resolve() sees to both"
    return _is_class(column, (rule.value,), schema)


@codes_of.register
def _(rule: Flag, schema: Schema) -> nw.Expr:
    column, dtype = nw.col(rule.column), schema[rule.column]
    if _is_empty(rule.column, schema):
        return _abstain(rule.column)
    if dtype == nw.Boolean:
        return _answer(column.is_null(), column)
    if dtype == nw.String:
        word = column.str.strip_chars().str.to_lowercase()
        inside, outside, zero = (
            word.is_in(INSIDE_WORDS),
            word.is_in(OUTSIDE_WORDS + MINUS_WORDS),
            word.is_in(ZERO_WORDS),
        )
    else:
        inside, outside, zero = column == 1, column == -1, column == 0
    if not rule.signed:
        outside = outside | zero
    speaks = (inside | outside) & ~column.is_null()
    return _answer(~speaks, inside)


@codes_of.register
def _(rule: Missing, schema: Schema) -> nw.Expr:
    return nw.when(nw.col(rule.column).is_null()).then(_code(1)).otherwise(_code(-1))


@codes_of.register
def _(rule: Length, schema: Schema) -> nw.Expr:
    column = nw.col(rule.column)
    if _is_empty(rule.column, schema):
        return _abstain(rule.column)
    return _bounded(rule, count_words(column) if rule.unit == "words" else column.str.len_chars(), column.is_null())


@codes_of.register
def _(rule: Overlap, schema: Schema) -> nw.Expr:
    return _bounded(rule, nw.col(share_column(rule)))


@codes_of.register
def _(rule: Entropy, schema: Schema) -> nw.Expr:
    value = measure(rule, schema)
    inside = value >= (rule.low or 0.0)
    return _answer(value.is_null(), inside if rule.high is None else inside & (value < rule.high))


@codes_of.register
def _(rule: Confidence, schema: Schema) -> nw.Expr:
    return _bounded(rule, measure(rule, schema))


@codes_of.register
def _(rule: Expression, schema: Schema) -> nw.Expr:
    try:
        return compile_expression_code(rule.text, schema)
    except SliceError as error:
        raise SliceError(f"Slice {rule.name!r}: {error}") from None


@codes_of.register
def _(rule: All, schema: Schema) -> nw.Expr:
    return nw.min_horizontal(*(codes_of(_resolved(other), schema) for other in rule.of))


@codes_of.register
def _(rule: Any, schema: Schema) -> nw.Expr:
    return nw.max_horizontal(*(codes_of(_resolved(other), schema) for other in rule.of))


@codes_of.register
def _(rule: Not, schema: Schema) -> nw.Expr:
    return codes_of(_resolved(rule.of[0]), schema) * -1


@codes_of.register
def _(rule: FunctionSlice, schema: Schema) -> nw.Expr:
    return nw.col(function_column(rule))


def _answer(missing: nw.Expr, inside: nw.Expr) -> nw.Expr:
    # Missing goes first: what a comparison with a missing value gives differs between engines.
    return nw.when(missing).then(_code(0)).otherwise(nw.when(inside).then(_code(1)).otherwise(_code(-1)))


def _bounded(rule: Bounded, value: nw.Expr, missing: nw.Expr | None = None) -> nw.Expr:
    missing = value.is_null() if missing is None else missing
    if rule.above is None:
        return _answer(missing, value < rule.below)
    if rule.below is None:
        return _answer(missing, value > rule.above)
    return _answer(missing | ((value >= rule.below) & (value <= rule.above)), value > rule.above)


def _contains(column: str, pattern: str, schema: Schema) -> nw.Expr:
    if _is_empty(column, schema):
        return _abstain(column)
    return _answer(nw.col(column).is_null(), nw.col(column).str.contains(pattern))


def _is_class(column: str, values: tuple[object, ...], schema: Schema) -> nw.Expr:
    if _is_empty(column, schema):
        return _abstain(column)
    matching = matching_values(values, schema[column])
    if not matching:
        return nw.when(nw.col(column).is_null()).then(_code(0)).otherwise(_code(-1))
    if len(matching) == 1:
        return _answer(nw.col(column).is_null(), nw.col(column) == matching[0])
    return _answer(nw.col(column).is_null(), nw.col(column).is_in(matching))


def _abstain(column: str) -> nw.Expr:
    return nw.when(nw.col(column).is_null()).then(_code(0)).otherwise(_code(0))


def _code(code: int) -> nw.Expr:
    return nw.lit(code, dtype=nw.Int8)


def _is_empty(column: str, schema: Schema) -> bool:
    return schema[column] == nw.Unknown


def _resolved(rule: str | Slice) -> Slice:
    assert isinstance(rule, Slice), "resolve() puts slices in the place of names"
    return rule


def _model(rule: OfModel) -> Model:
    assert isinstance(rule.model, Model), "resolve() puts the model in the place of its name"
    return rule.model


_NEEDS = {
    TEXT: "text",
    NUMBERS: "numbers",
    CLASSES: "text, numbers or true/false",
    TRUTH: "true/false, 1/0 or 1/-1",
    ANYTHING: "anything",
}


def _serves(dtype: nw.dtypes.DType, need: str) -> bool:
    if dtype == nw.Unknown or need == ANYTHING:
        return True
    if need == TEXT:
        return dtype == nw.String
    if need == NUMBERS:
        return dtype.is_numeric()
    return dtype.is_numeric() or dtype == nw.String or dtype == nw.Boolean


def _example(sample: Sample, column: str, need: str) -> object:
    values = sample.frame[column].drop_nulls()
    if need == NUMBERS and values.dtype == nw.String:
        # The first text that is no number is what keeps the column from being numbers.
        words = values.filter(~values.str.contains(r"^\s*[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?\s*$"))
        values = words if len(words) else values
    value = values[0]
    return value if not isinstance(value, str) or len(value) <= 40 else value[:37] + "..."


def _remedy(rule: Slice, dtype: nw.dtypes.DType) -> str:
    if isinstance(rule, (Threshold, Range)) and dtype == nw.String:
        return "For the length of a text use kind 'length'; else make the column numbers."
    if isinstance(rule, (Threshold, Range)) and dtype == nw.Boolean:
        return "For true/false use kind 'flag'."
    if TEXT in rule.needs.values() and dtype.is_numeric():
        return "For numbers use kind 'threshold', 'range' or 'category'."
    return "Choose another column or another kind."
