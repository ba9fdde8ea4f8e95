"""Audits: which row to ask a person about next, and how far the answers so far pin a slice's corrections down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np

from mandoline_core.arrays import Codes, Index, Interval
from mandoline_core.data import Sample, profile_column
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import exact_interval
from mandoline_core.pipeline import Cells
from mandoline_core.slices import Side, Slice, SliceAudit

ENOUGH = 0.15  # an interval that reaches no further than this to either side, on average, is enough for now
MOST_COLUMNS = 12  # of a row are shown, and tell it from others
_LEAST_ABSTAINED = 0.05  # of a sample's rows: fewer abstentions are not worth a person's time
_CODES = (1, -1, 0)  # the order of strata: inside, outside, abstained


@dataclass(frozen=True)
class Stratum:
    """Hold the rows of one sample that a slice says the same of, and what a person answered about some of them.

    Parameters
    ----------
    code : int
        What the slice says: 1 inside, -1 outside, 0 abstained.
    n_rows, asked, answered, truly_in : int
        Rows, rows that the person has seen, those answered for, and those said to be truly inside.
    """

    side: Side
    code: int
    n_rows: int
    asked: int
    answered: int
    truly_in: int

    def interval(self, confidence: float = 0.95) -> Interval:
        """Compute the exact binomial interval of the share that is truly inside; from 0 to 1 without an answer."""
        if not self.answered:
            return 0.0, 1.0
        return exact_interval(self.truly_in / self.answered, self.answered, confidence)

    @property
    def reach(self) -> float:
        """Half the width of the interval; 0 once every row has an answer."""
        low, high = self.interval()
        return 0.0 if self.answered == self.n_rows else (high - low) / 2

    @property
    def is_enough(self) -> bool:
        """Whether more answers can wait: the interval is narrow, or there are no more rows to ask about."""
        return self.reach <= ENOUGH or self.asked == self.n_rows


@dataclass(frozen=True)
class Question:
    """Hold a row to ask about: its place in its sample, and its key there."""

    side: Side
    row: int
    key: str


@dataclass(frozen=True)
class AuditState:
    """Hold how far an audit is, and the row to ask about next; None where none is left."""

    strata: tuple[Stratum, ...]
    question: Question | None

    @property
    def is_enough(self) -> bool:
        """Whether every correction is known well enough for now."""
        return all(stratum.is_enough for stratum in self.strata)

    @property
    def progress(self) -> float:
        """How far it is from nothing to enough, from 0 to 1; answers count alike, as variance goes by their number."""
        parts = [1.0 if one.is_enough else min((ENOUGH / one.reach) ** 2, 1.0) for one in self.strata if one.answered]
        return sum(parts) / max(len(self.strata), 1)

    def has(self, side: Side) -> bool:
        """Tell whether a sample's corrections can be measured: rows inside and outside have an answer."""
        return all(
            any(one.answered and (one.side, one.code) == (side, code) for one in self.strata) for code in (1, -1)
        )


def audit_columns(rule: Slice, source: Sample, target: Sample) -> tuple[str, ...]:
    """Choose what a person sees of a row, by which it is then known: what the rule reads, then texts, then the rest.

    Labels, the models' answers and columns that only number the rows have no part in it: another model, or another
    numbering, changes no row's key.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Threshold
    >>> frame = pd.DataFrame({"id": range(100), "place": ["a", "b"] * 50, "n": [1, 2, 1, 3] * 25, "y": 0})
    >>> audit_columns(Threshold("long", column="n", above=2), Sample(frame, label="y"), Sample(frame))
    ('n', 'place')
    """
    shared = [column for column in source.columns if column in target.columns and column not in source.roles]
    read = [column for leaf in rule.leaves for column in leaf.reads if column in shared]
    content = [column for column in shared if profile_column(column, source, target).kind != "identifier"]
    texts = [column for column in content if source.schema[column] == nw.String]
    return tuple(dict.fromkeys([*read, *texts, *content]))[:MOST_COLUMNS] or tuple(shared)


def audit_state(
    counted: Cells, name: str, audit: SliceAudit, *, sides: Sequence[Side] = ("source", "target"), seed: int = 0
) -> AuditState:
    """Say how far the audit of a slice is, and draw the next row.

    Rows of a stratum come in one random order, so that those asked about are a random draw of it however often one
    stops and goes on. The stratum with the fewest answers that is not known well enough comes next.

    Parameters
    ----------
    counted : ModelCount
        Rows counted under the slice as it is.
    sides : sequence of {"source", "target"}
        The samples to ask about; both are described.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Flag, Sample, prepare
    >>> frame = pd.DataFrame({"f": [1, 1, 0, 0], "id": list("abcd"), "y": 1, "p": [1, 0, 1, 1]})
    >>> known = Sample(frame, label="y", prediction="p")
    >>> counted = prepare(known, Sample(frame), [Flag("f", column="f")], model=known.models[0]).cells
    >>> audit = SliceAudit(("f", "id")).put("source", known.row_keys(("f", "id")).name(0), "truly_in")
    >>> found = audit_state(counted, "f", audit)
    >>> [(one.side, one.code, one.n_rows, one.answered) for one in found.strata][:2]
    [('source', 1, 2, 1), ('source', -1, 2, 0)]
    >>> found.question.side, found.question.row in (2, 3)
    ('source', True)
    """
    strata, free = [], []
    place = counted.count.patterns.names.index(name)
    for side in ("source", "target"):
        sample, rows, codes = _rows(counted, side, place)
        truth, asked = audit.truth(side, sample)[rows], audit.asked(side, sample)[rows]
        order = np.random.default_rng([seed, side == "target"]).permutation(len(rows))
        for code in _CODES:
            here = codes == code
            if not here.any() or (code == 0 and here.mean() < _LEAST_ABSTAINED and not asked[here].any()):
                continue
            known, said = truth[here], asked[here]
            strata.append(
                Stratum(side, code, len(known), int(said.sum()), int((known != 0).sum()), int((known == 1).sum()))
            )
            left = order[(here & ~asked)[order]]
            free.append(int(rows[left[0]]) if len(left) and side in sides else -1)
    open_ = [number for number, row in enumerate(free) if row >= 0]
    question = None
    if open_:
        number = min(open_, key=lambda one: (strata[one].is_enough, strata[one].asked))
        side, row = strata[number].side, free[number]
        question = Question(side, row, _rows(counted, side, place)[0].row_keys(audit.columns).name(row))
    return AuditState(tuple(strata), question)


def _rows(counted: Cells, side: Side, place: int) -> tuple[Sample, Index, Codes]:
    """Return a sample, the rows of it that may be asked about, and what the slice says of these."""
    rows, count = counted.rows, counted.count
    if rows is None:
        raise ValueError("Only codes are known here, and a person is asked about rows.")
    if counted.drawn_members is not None:
        raise MandolineError("Rows that stay in a table cannot be audited one by one. Audit a file drawn from it.")
    codes = count.patterns.codes[:, place]
    if side == "source":
        return rows.source, np.flatnonzero(counted.scored), codes[count.source_index]
    return rows.target, np.arange(rows.target.n_rows), codes[count.target_index]
