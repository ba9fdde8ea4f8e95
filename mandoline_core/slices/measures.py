"""Measures: the numbers that some rules compare with bounds, computed once for a sample and kept with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import narwhals as nw
import pyarrow as pa

from mandoline_core.samples import Memory, Sample
from mandoline_core.slices.column_rules import Length, Overlap
from mandoline_core.slices.rule import Slice
from mandoline_core.slices.rules import Confidence, Entropy
from mandoline_core.slices.shared_words import words_in_common
from mandoline_core.slices.text import count_words

Schema = Mapping[str, nw.dtypes.DType]
Measured = Length | Overlap | Entropy | Confidence

_MEASURED: Memory[nw.Series[Any]] = Memory(most=64)
_TINY = 1e-300  # stands in for 0 in a logarithm; 0 times it is still 0


def measure_column(rule: Measured) -> str:
    r"""Name the column that holds a measure; no column of a person's own is called so.

    Examples
    --------
    >>> measure_column(Length("long", column="text", above=9)).split("\0")
    ['', 'words', 'text']
    """
    if isinstance(rule, Length):
        return "\0".join(("", rule.unit, rule.column))
    columns = rule.columns if isinstance(rule, Overlap) else rule.resolved_model.probabilities.values()
    return "\0".join(("", rule.kind, *columns))


def measure(rule: Measured, schema: Schema) -> nw.Expr:
    """Take a measure where it has been computed, else compute it; the words in common are always computed before.

    Examples
    --------
    >>> frame = nw.from_native(pa.table({"text": ["one two", None]}))
    >>> frame.select(measure(Length("long", column="text", above=9), frame.schema).alias("n"))["n"].to_list()
    [2, None]
    """
    if measure_column(rule) in schema or isinstance(rule, Overlap):
        return nw.col(measure_column(rule))
    if isinstance(rule, Length):
        text = nw.col(rule.column)
        return count_words(text) if rule.unit == "words" else text.str.len_chars()
    columns = [nw.col(column).cast(nw.Float64) for column in rule.resolved_model.probabilities.values()]
    missing = nw.any_horizontal(*(column.is_null() for column in columns), ignore_nulls=False)
    if isinstance(rule, Confidence):
        value = nw.max_horizontal(*columns)
    else:
        terms = (column * column.clip(_TINY, None).log() * -1.0 for column in columns)
        # Rounded probabilities may add up to a little over 1 and give an entropy just below 0.
        value = nw.sum_horizontal(*terms).clip(0.0, None)
    return nw.when(~missing).then(value)


def with_measures(sample: Sample, rules: Iterable[Slice]) -> tuple[nw.DataFrame[Any], dict[str, nw.dtypes.DType]]:
    """Add the measures that rules need to a sample's frame, and to its schema.

    A measure does not depend on the bounds: it stays with the sample, so that moving a bound costs a comparison.

    Examples
    --------
    >>> sample = Sample(pa.table({"text": ["one two", None]}))
    >>> frame, _ = with_measures(sample, [Length("long", column="text", above=9)])
    >>> frame[frame.columns[-1]].to_list()
    [2, None]
    """
    needed = {measure_column(rule): rule for rule in rules if isinstance(rule, Measured)}
    # A text column without a single text has no length; the compiler abstains on it.
    needed = {
        name: rule
        for name, rule in needed.items()
        if not (isinstance(rule, Length) and sample.schema[rule.column] == nw.Unknown)
    }
    kept = {
        name: _MEASURED.once((sample,), name, partial(_computed, name, rule, sample)) for name, rule in needed.items()
    }
    if not needed:
        return sample.frame, dict(sample.schema)
    frame = sample.frame.with_columns(*(kept[name].alias(name) for name in needed))
    return frame, {**sample.schema, **{name: kept[name].dtype for name in needed}}


def _computed(name: str, rule: Measured, sample: Sample) -> nw.Series[Any]:
    if isinstance(rule, Overlap):
        return as_series(words_in_common(*(sample.frame[column].to_arrow() for column in rule.columns)), sample)
    return sample.frame.select(measure(rule, sample.schema).alias(name))[name]


def as_series(values: pa.Array, sample: Sample) -> nw.Series[Any]:
    """Hand an Arrow array to the sample's own engine."""
    backend = sample.frame.implementation
    if backend.is_pyarrow():
        return nw.from_native(pa.chunked_array([values]), series_only=True)
    plain = values.to_numpy(zero_copy_only=False) if backend.is_pandas() else values
    return nw.new_series("values", plain, backend=backend)
