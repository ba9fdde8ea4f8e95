"""Flag: a column of true/false or 1/0, such as the votes of slicing or labelling functions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import narwhals as nw
import numpy as np
import pandas as pd

from mandoline_core.data import Sample
from mandoline_core.errors import SliceError
from mandoline_core.formatting import listed
from mandoline_core.slices.rule import TRUTH, OfColumn, Predicate, Schema, Slice, Survey, row_code
from mandoline_core.slices.text import SPACES

_INSIDE = ("true", "yes", "1", "1.0")
_OUTSIDE = ("false", "no")
_ZERO = ("0", "0.0")
_MINUS = ("-1", "-1.0")
_ANSWERS = (_INSIDE, _OUTSIDE + _MINUS, _ZERO)
_LOOKED_AT = 2000  # rows, to tell whether a column holds answers


@dataclass(frozen=True, kw_only=True)
class Flag(OfColumn, kind="flag", title="Yes/no column", purpose="a column of true/false, yes/no or 1/0", need=TRUTH):
    """Match the rows where a column is true: true/false, yes/no, 1/0, or 1/-1 with 0 to abstain.

    Parameters
    ----------
    signed : bool, optional
        Whether 0 abstains. By default, it does if the column has a -1.

    Examples
    --------
    >>> Flag("wife", column="is_wife").describe()
    'is_wife is true'
    """

    functions = ("",)

    signed: bool | None = None

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} is true"

    def members(self, source: Sample, target: Sample) -> Sequence[Slice]:
        """Let -1 in either sample decide what 0 means to both."""
        if self.signed is not None:
            return [self]
        return [replace(self, signed=any(self._has_minus_one(sample) for sample in (source, target)))]

    def _has_minus_one(self, sample: Sample) -> bool:
        dtype = sample.schema.get(self.column, nw.Unknown())
        if dtype == nw.String:
            return bool(sample.values(self.column).str.strip_chars().is_in(_MINUS).any())
        return bool(dtype.is_numeric() and (sample.values(self.column) == -1).any())

    def settle(self, sample: Sample) -> Self:
        """Refuse other values, and decide what 0 means if not set."""
        dtype = sample.schema[self.column]
        if dtype in (nw.Unknown, nw.Boolean):
            return replace(self, signed=bool(self.signed))
        values = sample.values(self.column).to_list()
        valid = {*_INSIDE, *_OUTSIDE, *_MINUS, *_ZERO, ""} if dtype == nw.String else {1, 0, -1}
        plain = {value.strip().lower() if isinstance(value, str) else value: value for value in values}
        strange = sorted(str(value) for key, value in plain.items() if key not in valid)
        if strange:
            raise SliceError(
                f"Slice {self.name!r} reads {strange[0]!r} in column {self.column!r} of {sample.name}. Expected "
                "true/false, yes/no, 1/0, or 1/-1 with 0 to abstain."
            )
        minus = any(key == -1 or key in _MINUS for key in plain)
        return replace(self, signed=minus if self.signed is None else self.signed)

    def _codes(self, column: nw.Expr, schema: Schema) -> nw.Expr:
        dtype = schema[self.column]
        if dtype == nw.Boolean:
            return row_code(column.is_null(), column)
        if dtype == nw.String:
            inside, outside, zero = (column.str.contains(_written(words)) for words in _ANSWERS)
        else:
            inside, outside, zero = column == 1, column == -1, column == 0
        if not self.signed:
            outside = outside | zero
        return row_code(~((inside | outside) & ~column.is_null()), inside)

    @classmethod
    def _settings(cls, predicate: Predicate, survey: Survey) -> dict[str, Any] | None:
        """Take a column of true/false or 1/0, without bounds."""
        with suppress(SliceError):
            if not predicate.bounds:
                cls("flag", column=predicate.columns[0]).settle(survey.source)
                return {}
        return None

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Take the first column of true/false or 1/0."""
        # A wrong guess costs a person one click, a look at every value of a large table seconds.
        first = Sample(survey.source.frame.head(_LOOKED_AT))
        for column in survey.free:
            with suppress(SliceError):
                return replace(cls("flag", column=column).settle(first), signed=None)
        return None


def _written(words: tuple[str, ...]) -> str:
    r"""Build the pattern of a whole text that is one of some words, in any case, with white space of any kind around.

    >>> _written(("no",)).replace(SPACES, " ")
    '\\A[ ]*(?:[nN][oO])[ ]*\\z'
    """
    # Both cases written out: what "any case" means beyond ASCII differs between engines.
    spellings = ("".join(f"[{c}{c.upper()}]" if c.isalpha() else f"[{c}]" for c in word) for word in words)
    return rf"\A[{SPACES}]*(?:{'|'.join(spellings)})[{SPACES}]*\z"


class VoteSlices(NamedTuple):
    """Hold votes as columns of 1 (in), -1 (out) and 0 (abstains), and the slices that read them.

    Parameters
    ----------
    frame : DataFrame
        The votes, one row for each row voted on, with the same index. Add its columns to your data.
    """

    frame: pd.DataFrame
    slices: tuple[Flag, ...]


def slices_from_votes(votes: Any, names: Sequence[str] | None = None, *, abstain: int = 0) -> VoteSlices:
    """Turn a matrix of votes into columns and slices. Call it once for each sample.

    Parameters
    ----------
    votes : array or frame, shape (n_rows, n_slices)
        1 in the slice, -1 not in it, 0 abstains; see `abstain`.
    names : sequence of str, optional
        The slices' names. By default, a frame's columns, or vote_1, vote_2 and so on.
    abstain : {0, -1}
        The vote that abstains. With -1, as in Snorkel's label matrices, 0 means not in the slice.

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
        raise SliceError(
            f"votes must have a row for each example and a column for each slice. Got shape {table.shape}."
        )
    strange = pd.unique(table[~np.isin(table, (-1, 0, 1))].ravel())
    if len(strange):
        raise SliceError(f"votes must be -1, 0 or 1. Got {listed(strange, 5)}.")
    default = list(frame) if frame is not None else [f"vote_{i + 1}" for i in range(table.shape[1])]
    called = [str(name) for name in (default if names is None else names)]
    if len(called) != table.shape[1] or len(set(called)) != len(called):
        raise SliceError(
            f"votes has {table.shape[1]} columns but {len(set(called))} different names. Give each column its own name."
        )
    codes = table.astype(np.int8)
    if abstain == -1:
        codes = np.where(codes == 1, 1, np.where(codes == 0, -1, 0)).astype(np.int8)
    columns = pd.DataFrame(codes, columns=called, index=None if frame is None else frame.index)
    return VoteSlices(columns, tuple(Flag(name, column=name, signed=True) for name in called))
