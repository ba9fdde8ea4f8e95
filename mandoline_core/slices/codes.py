"""Slices: the kinds of rule, and the codes that rules give to the rows of a sample."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.errors import SliceError
from mandoline_core.samples import Sample
from mandoline_core.slices.checking import check_columns
from mandoline_core.slices.column_rules import (
    Flag,
)
from mandoline_core.slices.compiling import (
    INSIDE_WORDS,
    MINUS_WORDS,
    OUTSIDE_WORDS,
    ZERO_WORDS,
    codes_of,
    function_column,
)
from mandoline_core.slices.measures import as_series, with_measures
from mandoline_core.slices.rule import Slice
from mandoline_core.slices.rules import (
    Combination,
    FunctionSlice,
)


def codes(sample: Sample, slices: Sequence[Slice]) -> np.ndarray:
    """Give every row of a sample its code in every slice.

    Parameters
    ----------
    sample : Sample
        The rows.
    slices : sequence of Slice
        Resolved slices: see `resolve`.

    Returns
    -------
    ndarray of int8, shape (n_rows, n_slices), in column order
        1 inside, -1 outside, 0 abstained.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Keyword, Threshold
    >>> sample = Sample(pd.DataFrame({"text": ["not bad", None, "fine"], "n": [2, 7, 1]}))
    >>> codes(sample, [Keyword("negation", column="text", words=("not",)), Threshold("long", column="n", above=5)])
    array([[ 1, -1],
           [ 0,  1],
           [-1, -1]], dtype=int8)
    """
    slices = [_settled(rule, sample) for rule in slices]
    out = np.empty((sample.n_rows, len(slices)), dtype=np.int8, order="F")
    if not slices:
        return out
    frame, schema = _with_helpers(sample, slices)
    # One select for all: Polars runs its expressions side by side.
    answers = frame.select(
        codes_of(rule, schema).cast(nw.Int8).alias(str(number)) for number, rule in enumerate(slices)
    )
    for number in range(len(slices)):
        out[:, number] = answers[str(number)].to_numpy()
    return out


def slice_codes(sample: Sample, rule: Slice) -> np.ndarray:
    """Give every row of a sample its code in one resolved slice.

    Returns
    -------
    ndarray of int8, shape (n_rows,)

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Missing
    >>> slice_codes(Sample(pd.DataFrame({"age": [30, None]})), Missing("no_age", column="age")).tolist()
    [-1, 1]
    """
    column: np.ndarray = codes(sample, [rule])[:, 0]
    return column


def gold_codes(sample: Sample, rule: Slice) -> np.ndarray:
    """Read a slice's gold column: 1 truly inside, -1 truly outside, 0 unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Threshold
    >>> sample = Sample(pd.DataFrame({"age": [70, 80], "old": [True, None]}))
    >>> gold_codes(sample, Threshold("senior", column="age", above=65, gold="old")).tolist()
    [1, 0]
    """
    if rule.gold is None:
        raise SliceError(f"Slice {rule.name!r} has no gold column. Add gold, the column that holds the true answer.")
    return slice_codes(sample, Flag(rule.name, column=rule.gold))


def _settled(rule: Slice, sample: Sample) -> Slice:
    """Check a rule against the sample, and decide what 0 means to a flag that has not been told."""
    if not isinstance(rule, Slice):
        raise SliceError(f"A slice was expected, such as Keyword or Threshold. Got {rule!r}.")
    if rule.is_family:
        raise SliceError(f"Slice {rule.name!r} is not resolved. Call resolve() on the rules first.")
    check_columns(rule, sample.schema, sample.name, sample)
    if isinstance(rule, Flag):
        return _settled_flag(rule, sample)
    if isinstance(rule, Combination):
        return replace(rule, of=tuple(_settled(other, sample) for other in rule.parts))
    return rule


def _settled_flag(rule: Flag, sample: Sample) -> Flag:
    dtype = sample.schema[rule.column]
    if dtype in (nw.Unknown, nw.Boolean):
        return replace(rule, signed=bool(rule.signed))
    values = sample.frame[rule.column].unique().drop_nulls().to_list()
    known = {*INSIDE_WORDS, *OUTSIDE_WORDS, *MINUS_WORDS, *ZERO_WORDS, ""} if dtype == nw.String else {1, 0, -1}
    plain = {value.strip().lower() if isinstance(value, str) else value: value for value in values}
    strange = sorted(str(value) for key, value in plain.items() if key not in known)
    if strange:
        raise SliceError(
            f"Slice {rule.name!r} reads column {rule.column!r} of {sample.name} as its answer, and {strange[0]!r} is "
            "none. Expected true/false, yes/no, 1/0, or 1/-1 with 0 for abstaining."
        )
    minus = any(key == -1 or key in MINUS_WORDS for key in plain)
    return replace(rule, signed=minus if rule.signed is None else rule.signed)


def _with_helpers(
    sample: Sample, slices: Iterable[Slice]
) -> tuple[nw.DataFrame[typing.Any], dict[str, nw.dtypes.DType]]:
    """Add the columns that expressions do not compute: measures, and what functions say."""
    rules = [leaf for rule in slices for leaf in _leaves(rule)]
    frame, schema = with_measures(sample, rules)
    functions = {function_column(rule): rule for rule in rules if isinstance(rule, FunctionSlice)}
    said = [as_series(_function_codes(rule, sample), sample).alias(name) for name, rule in functions.items()]
    return (frame.with_columns(*said) if said else frame), schema


def _leaves(rule: Slice) -> Iterator[Slice]:
    if isinstance(rule, Combination):
        for other in rule.parts:
            yield from _leaves(other)
    else:
        yield rule


def _function_codes(rule: FunctionSlice, sample: Sample) -> pa.Array:
    """Ask a function and check its answer."""
    answer = rule.function(nw.to_native(sample.frame))
    answer = nw.from_native(answer, series_only=True, pass_through=True)
    try:
        array = answer.to_arrow() if isinstance(answer, nw.Series) else pa.array(answer, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        raise SliceError(
            f"Slicing function {rule.name!r} returned {type(answer).__name__}. Expected one answer for each row."
        ) from None
    if len(array) != sample.n_rows:
        raise SliceError(
            f"Slicing function {rule.name!r} returned {len(array)} answers for {sample.n_rows} rows of {sample.name}. "
            "Return one answer for each row, in the order of the rows."
        )
    return _as_codes(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array, rule)


def _as_codes(answers: pa.Array, rule: FunctionSlice) -> pa.Array:
    """Turn true and false into codes, and refuse what is neither these nor codes."""
    if pa.types.is_boolean(answers.type):
        answers = pc.if_else(answers, pa.scalar(1, pa.int8()), pa.scalar(-1, pa.int8()))
    if pa.types.is_floating(answers.type):
        answers = pc.if_else(pc.is_nan(answers), None, answers)
    if pa.types.is_integer(answers.type) or pa.types.is_floating(answers.type):
        strange = set(answers.unique().to_pylist()) - {1, -1, 0, None}
    else:
        strange = {str(value.as_py()) for value in answers.drop_null()[:1]}
    if strange:
        raise SliceError(
            f"Slicing function {rule.name!r} returned {min(map(str, strange))!r}. "
            "Expected true or false, or 1, -1 and 0, for each row."
        )
    return answers.cast(pa.int8()).fill_null(0)
