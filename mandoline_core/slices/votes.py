"""Votes of slicing or labelling functions, as Snorkel keeps them, as slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mandoline_core.errors import SliceError
from mandoline_core.formatting import listed
from mandoline_core.slices.kinds import Flag


class VoteSlices(NamedTuple):
    """Hold votes as columns of 1 (inside), -1 (outside) and 0 (abstained), and the slices that read them.

    Parameters
    ----------
    frame : DataFrame
        A row for each row voted on, with its index if it had one: put it beside them.
    """

    frame: pd.DataFrame
    slices: tuple[Flag, ...]


def slices_from_votes(votes: Any, names: Sequence[str] | None = None, *, abstain: int = 0) -> VoteSlices:
    """Turn a matrix of votes into columns and slices; once for the source's votes, once for the target's.

    Parameters
    ----------
    votes : array or frame, shape (n_rows, n_slices)
        1 inside; -1 outside and 0 abstained, or what `abstain` says.
    names : sequence of str, optional
        The slices' names; a frame's columns, or vote_1, vote_2 and so on, when left out.
    abstain : {0, -1}
        What a function says that abstains. With -1, as in Snorkel's label matrices, 0 is outside.

    Examples
    --------
    >>> found = slices_from_votes([[1, -1], [0, 1]], ["a", "b"], abstain=-1)
    >>> found.frame.to_numpy().tolist(), [rule.describe() for rule in found.slices]
    ([[1, 0], [-1, 1]], ['a is true', 'b is true'])
    """
    if abstain not in (0, -1):
        raise SliceError(f"abstain must be 0 or -1. Got {abstain!r}.")
    frame = votes if isinstance(votes, pd.DataFrame) else None
    table = np.asarray(votes)
    if table.ndim != 2 or not table.shape[1]:
        raise SliceError(f"votes must have a row for each example and a column for each slice. Got {table.shape}.")
    strange = pd.unique(table[~np.isin(table, (-1, 0, 1))].ravel())
    if len(strange):
        raise SliceError(f"votes must be -1, 0 or 1. Got {listed(strange, 5)}.")
    default = list(frame) if frame is not None else [f"vote_{i + 1}" for i in range(table.shape[1])]
    called = [str(name) for name in (default if names is None else names)]
    if len(called) != table.shape[1] or len(set(called)) != len(called):
        raise SliceError(
            f"There are {table.shape[1]} columns of votes and {len(set(called))} different names. Give each its own."
        )
    codes = table.astype(np.int8)
    if abstain == -1:
        codes = np.where(codes == 1, 1, np.where(codes == 0, -1, 0)).astype(np.int8)
    columns = pd.DataFrame(codes, columns=called, index=None if frame is None else frame.index)
    return VoteSlices(columns, tuple(Flag(name, column=name, signed=True) for name in called))
