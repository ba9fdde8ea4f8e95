"""Measures: what some rules compute of a row before they compare, once for a sample and kept with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import narwhals as nw
import pyarrow as pa

from mandoline_core.data import SAMPLE_CACHE, Sample
from mandoline_core.slices.rule.needs import Schema


@dataclass(frozen=True, eq=False)
class Measure:
    r"""Say what a rule computes of a row before it compares.

    Parameters
    ----------
    name : str
        The column that holds it; it starts with "\0", as no column of a person's own does.
    how : narwhals.Expr or function
        An expression; where there is none, a function from a sample to one value for each row.
    keep : bool
        Keep it with the sample: it depends on the sample and its name alone.
    """

    name: str
    how: nw.Expr | Callable[[Sample], pa.Array]
    keep: bool = True

    def value(self, schema: Schema) -> nw.Expr:
        """Take the measure where it has been computed, else compute it; what is no expression always has been."""
        return self.how if isinstance(self.how, nw.Expr) and self.name not in schema else nw.col(self.name)


def with_measures(sample: Sample, measures: Iterable[Measure]) -> tuple[nw.DataFrame[Any], Schema]:
    r"""Add measures to a sample's frame, and to its schema.

    A measure does not depend on bounds: it stays with the sample, so that moving a bound costs a comparison.

    Examples
    --------
    >>> sample = Sample(pa.table({"text": ["one two", None]}))
    >>> frame, _ = with_measures(sample, [Measure("\0characters", nw.col("text").str.len_chars())])
    >>> frame[frame.columns[-1]].to_list()
    [7, None]
    """
    needed = {measure.name: measure for measure in measures}
    if not needed:
        return sample.frame, sample.schema
    found = {
        name: SAMPLE_CACHE.of((sample,), ("measure", name), partial(_computed, measure, sample))
        if measure.keep
        else _computed(measure, sample)
        for name, measure in needed.items()
    }
    frame = sample.frame.with_columns(*(found[name].alias(name) for name in needed))
    return frame, {**sample.schema, **{name: found[name].dtype for name in needed}}


def _computed(measure: Measure, sample: Sample) -> nw.Series[Any]:
    if isinstance(measure.how, nw.Expr):
        return sample.frame.select(measure.how.alias(measure.name))[measure.name]
    return _series(measure.how(sample), sample)


def _series(values: pa.Array, sample: Sample) -> nw.Series[Any]:
    """Hand an Arrow array to the sample's own engine."""
    backend = sample.frame.implementation
    if backend.is_pyarrow():
        return nw.from_native(pa.chunked_array([values]), series_only=True)
    plain = values.to_numpy(zero_copy_only=False) if backend.is_pandas() else values
    return nw.new_series("values", plain, backend=backend)
