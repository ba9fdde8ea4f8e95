"""The audit of a slice: your answers whether single rows truly belong to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from mandoline_core.arrays import CodeArray
from mandoline_core.data import Sample
from mandoline_core.errors import ProjectError

Answer = Literal["truly_in", "truly_out", "skipped"]
Side = Literal["source", "target"]
ANSWERS: tuple[Answer, ...] = ("truly_in", "truly_out", "skipped")


@dataclass(frozen=True)
class AuditAnswers:
    """Hold the audited rows of one sample, by their keys; their order is irrelevant.

    Parameters
    ----------
    truly_in, truly_out, skipped : tuple of str
        Rows that belong to the slice, that do not, and that were skipped.
    """

    truly_in: tuple[str, ...] = ()
    truly_out: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Sort the keys, and refuse two answers for one row."""
        seen: dict[str, str] = {}
        for answer in ANSWERS:
            keys = getattr(self, answer)
            if isinstance(keys, str) or not all(isinstance(key, str) for key in keys):
                raise ProjectError(f"{answer} of an audit must be a list of row keys. Got {keys!r}.")
            object.__setattr__(self, answer, tuple(sorted(set(keys))))
            for key in getattr(self, answer):
                # A file that was merged by hand may hold both.
                if key in seen:
                    raise ProjectError(f"Row {key!r} is both {seen[key]} and {answer} in an audit. Keep one.")
                seen[key] = answer

    def __len__(self) -> int:
        """Count the answers, without skipped rows."""
        return len(self.truly_in) + len(self.truly_out)

    @property
    def asked(self) -> frozenset[str]:
        """All rows that were shown."""
        return frozenset((*self.truly_in, *self.truly_out, *self.skipped))

    def put(self, key: str, answer: Answer | None) -> AuditAnswers:
        """Set the answer for a row; None removes it.

        >>> AuditAnswers(truly_in=("a",)).put("a", "truly_out").put("b", "skipped")
        AuditAnswers(truly_in=(), truly_out=('a',), skipped=('b',))
        """
        kept = {name: tuple(other for other in getattr(self, name) if other != key) for name in ANSWERS}
        if answer is not None:
            kept[answer] = (*kept[answer], key)
        return AuditAnswers(**kept)


@dataclass(frozen=True)
class SliceAudit:
    """Hold the answers about rows of both samples.

    An answer is about the row, not the rule: it stays when the rule changes.

    Parameters
    ----------
    columns : tuple of str
        The columns that were shown, which identify a row.
    source, target : AuditAnswers

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"text": ["not bad", "bad", "fine"]}))
    >>> name = sample.row_keys(("text",)).name
    >>> audit = SliceAudit(("text",)).put("source", name(0), "truly_in").put("source", name(2), "truly_out")
    >>> audit.truth("source", sample).tolist()
    [1, 0, -1]
    """

    columns: tuple[str, ...]
    source: AuditAnswers = field(default_factory=AuditAnswers)
    target: AuditAnswers = field(default_factory=AuditAnswers)

    def __post_init__(self) -> None:
        """Refuse an audit that no rows could be found by."""
        columns: object = self.columns
        if not isinstance(columns, (list, tuple)) or not columns or not all(isinstance(name, str) for name in columns):
            raise ProjectError(f"columns of an audit must be a list of column names. Got {columns!r}.")
        object.__setattr__(self, "columns", tuple(columns))

    def side(self, side: Side) -> AuditAnswers:
        """Return the answers about one sample."""
        return self.source if side == "source" else self.target

    def put(self, side: Side, key: str, answer: Answer | None) -> SliceAudit:
        """Set the answer for a row of one sample; None removes it."""
        answers = self.side(side).put(key, answer)
        return replace(self, source=answers) if side == "source" else replace(self, target=answers)

    def truth(self, side: Side, sample: Sample) -> CodeArray:
        """Return the answer for each row: 1 truly in, -1 truly out, 0 unknown; shape (n_rows,)."""
        truth = np.zeros(sample.n_rows, dtype=np.int8)
        for answer, code in (("truly_in", 1), ("truly_out", -1)):
            truth[self._rows(sample, getattr(self.side(side), answer))] = code
        return truth

    def asked(self, side: Side, sample: Sample) -> np.ndarray:
        """Return which rows of a sample were shown, shape (n_rows,)."""
        seen = np.zeros(sample.n_rows, dtype=bool)
        seen[self._rows(sample, self.side(side).asked)] = True
        return seen

    def lost(self, side: Side, sample: Sample) -> int:
        """Count the answers about rows that are no longer in a sample."""
        answers = self.side(side)
        return len(answers) - len(self._rows(sample, (*answers.truly_in, *answers.truly_out)))

    def _rows(self, sample: Sample, keys: Iterable[str]) -> np.ndarray:
        rows = sample.row_keys(self.columns).find(keys)
        # -1: a row that is not in the sample (any more), which another file may have replaced.
        return rows[rows >= 0]
