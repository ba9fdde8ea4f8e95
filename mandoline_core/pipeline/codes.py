"""The second step, code: slices on the rows of both samples; 1 inside, -1 outside, 0 abstained."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from mandoline_core.arrays import CodeArray
from mandoline_core.data import SAMPLE_CACHE, Model, Sample
from mandoline_core.errors import SliceError
from mandoline_core.slices import Slice, codes, gold_codes, resolve_with_origins, slice_codes

T = TypeVar("T")


class Memo(Protocol):
    """The caller's hook into the pipeline: return what was made for a key before, or make it.

    A key holds what the result depends on, samples and settings themselves: who keeps results decides how to name them.
    """

    def __call__(self, key: tuple[Hashable, ...], make: Callable[[], T], /) -> T:
        """Return what is kept for the key, or make it."""
        ...


def no_memo(key: tuple[Hashable, ...], make: Callable[[], T], /) -> T:  # noqa: ARG001 - keeps nothing
    """Make everything: what the library and the command line pass."""
    return make()


@dataclass(frozen=True, eq=False, repr=False)
class Codes:
    """Hold the slice codes of both samples, for one model.

    Parameters
    ----------
    slices : tuple of Slice
        Resolved for this model.
    origins : dict of str to str
        The rule each slice comes from.
    source_codes, target_codes : array of int8, shape (n_rows, n_slices), or None
        None where rows stay in a table: an engine codes and counts them in one pass, in the next step.
    gold : dict of str to array of int8, shape (n_source_rows,)
        The true answers, for slices with a gold column.
    every_slice : tuple of Slice
        The slices of all models, where rows stay in a table: one pass counts them all.
    """

    source: Sample
    target: Sample
    model: Model | None
    slices: tuple[Slice, ...]
    origins: dict[str, str]
    source_codes: CodeArray | None
    target_codes: CodeArray | None
    gold: dict[str, CodeArray]
    every_slice: tuple[Slice, ...] = ()


def code(source: Sample, target: Sample, rules: Sequence[Slice], model: Model | None, memo: Memo = no_memo) -> Codes:
    """Resolve rules for a model, and evaluate them on the rows of both samples.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Threshold
    >>> sample = Sample(pd.DataFrame({"n": [1, 3]}))
    >>> code(sample, sample, [Threshold("big", column="n", above=2)], None).source_codes.ravel().tolist()
    [-1, 1]
    """
    slices, origins = resolve_with_origins(rules, source, target, model)
    if stay_in_tables(source, target):
        models = [other for other in source.models if other != model]
        others = [rule for other in models for rule in resolve_with_origins(rules, source, target, other)[0]]
        every = tuple({rule.key: rule for rule in (*slices, *others)}.values())
        check_countable(source, target, every)
        return Codes(source, target, model, slices, origins, None, None, {}, every)
    gold = {rule.name: gold_codes(source, rule) for rule in slices if rule.gold is not None}
    source_codes, target_codes = (evaluate_slices(sample, slices, memo) for sample in (source, target))
    return Codes(source, target, model, slices, origins, source_codes, target_codes, gold)


def evaluate_slices(sample: Sample, slices: Sequence[Slice], memo: Memo = no_memo) -> CodeArray:
    """Evaluate slices on a sample in memory, each once however many models or callers ask."""
    if not slices:
        return np.zeros((sample.n_rows, 0), dtype=np.int8)
    if memo is no_memo and len(sample.models) < 2:
        return codes(sample, slices)  # in one pass over the frame
    columns = []
    for rule in slices:
        key, make = ("codes", rule.key), partial(slice_codes, sample, rule)
        # Several models ask for the same slices: without a caller's memory, they are kept with the sample.
        columns.append(SAMPLE_CACHE.of((sample,), key, make) if memo is no_memo else memo((*key, sample), make))
    return np.asfortranarray(np.column_stack(columns))


def stay_in_tables(source: Sample, target: Sample) -> bool:
    """Tell whether rows of either sample stay in a table."""
    return source.table is not None or target.table is not None


def check_countable(source: Sample, target: Sample, slices: Sequence[Slice]) -> None:
    """Refuse slices that need rows in memory if rows stay in a table."""
    if not stay_in_tables(source, target):
        return
    for rule in slices:
        if any(leaf.learns for leaf in rule.leaves):
            raise SliceError(
                f"Slice {rule.name!r} works on rows in memory only. The rows of "
                f"{(source if source.table is not None else target).name} stay in a table. "
                "Write its score to a column, and use kind 'threshold', or set engine to 'pandas'."
            )
        if rule.audit is not None:
            raise SliceError(
                f"Slice {rule.name!r} has an audit, which needs rows in memory. Here rows stay in a table. "
                "Measure its corrections on a gold column, or set engine to 'pandas'."
            )
