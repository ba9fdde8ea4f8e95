"""Codes: for each row and each rule, in, out or abstained."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import numpy as np

from mandoline_core.data import Sample
from mandoline_core.errors import SliceError
from mandoline_core.slices.kinds import Flag
from mandoline_core.slices.resolution import check_columns
from mandoline_core.slices.rule import Slice, with_measures


def codes(sample: Sample, slices: Sequence[Slice]) -> np.ndarray:
    """Return the code of every row in every slice.

    Parameters
    ----------
    sample : Sample
        The rows.
    slices : sequence of Slice
        Resolved slices: see `resolve`.

    Returns
    -------
    ndarray of int8, shape (n_rows, n_slices), in column order
        1 in the slice, -1 not in it, 0 abstained.

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
    slices = [settle(rule, sample) for rule in slices]
    # In column order: what counts and multiplies reads one slice after another.
    out = np.empty((sample.n_rows, len(slices)), dtype=np.int8, order="F")
    if not slices:
        return out
    leaves = [leaf for rule in slices for leaf in rule.leaves]
    measures = (leaf.measure(sample.schema) for leaf in leaves)
    frame, schema = with_measures(sample, [measure for measure in measures if measure is not None])
    # One select for all: Polars runs its expressions side by side.
    answers = frame.select(
        rule.compile_codes(schema).cast(nw.Int8).alias(str(number)) for number, rule in enumerate(slices)
    )
    for number in range(len(slices)):
        out[:, number] = answers[str(number)].to_numpy()
    return out


def slice_codes(sample: Sample, rule: Slice) -> np.ndarray:
    """Return the code of every row in one resolved slice.

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
    """Read a slice's gold column: 1 truly in, -1 truly out, 0 unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Threshold
    >>> sample = Sample(pd.DataFrame({"age": [70, 80], "old": [True, None]}))
    >>> gold_codes(sample, Threshold("senior", column="age", above=65, gold="old")).tolist()
    [1, 0]
    """
    if rule.gold is None:
        raise SliceError(f"Slice {rule.name!r} has no gold column. Set gold to the column of its gold labels.")
    return slice_codes(sample, Flag(rule.name, column=rule.gold))


def settle(rule: Slice, sample: Sample) -> Slice:
    """Check a rule against the sample, and decide what depends on its values."""
    if not isinstance(rule, Slice):
        raise SliceError(f"Expected a slice, such as Keyword or Threshold. Got {rule!r}.")
    if rule.is_family:
        raise SliceError(f"Slice {rule.name!r} is not resolved. Call resolve() on the rules first.")
    check_columns(rule, sample.schema, sample.name, sample)
    parts = tuple(settle(part, sample) for part in rule.parts)
    return (rule.made_again(parts) if parts else rule).settle(sample)
