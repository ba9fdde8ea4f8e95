"""Corrections of a slice: from an audit, from a second rule, or from published precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np

from mandoline_core.arrays import CodeArray, Index, Interval
from mandoline_core.data import Sample, profile_column
from mandoline_core.errors import MandolineError, ProjectError
from mandoline_core.estimators import exact_interval
from mandoline_core.formatting import show_percent
from mandoline_core.pipeline import Cells
from mandoline_core.slices import Correction, Side, Slice, SliceAudit
from mandoline_core.weighting import gold_table

ENOUGH = 0.15  # an interval that reaches no further than this to either side, on average, is enough for now
MOST_COLUMNS = 12  # of a row are shown, and tell it from others
_LEAST_ABSTAINED = 0.05  # of a sample's rows: fewer abstentions are not worth auditing
_CODES = (1, -1, 0)  # the order of strata: inside, outside, abstained


@dataclass(frozen=True)
class Stratum:
    """Hold the rows of one sample with the same code, and the audit answers about some of them.

    Parameters
    ----------
    code : int
        The slice's code: 1 inside, -1 outside, 0 abstained.
    n_rows, asked, answered, truly_in : int
        Rows, rows shown, rows with an answer, and those answered to be truly inside.
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
class AuditRow:
    """Hold a row to ask about: its place in its sample, and its key there."""

    side: Side
    row: int
    key: str


@dataclass(frozen=True)
class AuditState:
    """Hold how far an audit is, and the row to ask about next; None where none is left."""

    strata: tuple[Stratum, ...]
    question: AuditRow | None

    @property
    def is_enough(self) -> bool:
        """Whether every correction is known well enough for now."""
        return all(stratum.is_enough for stratum in self.strata)

    @property
    def progress(self) -> float:
        """How much of what is needed is done, from 0 to 1."""
        parts = [1.0 if one.is_enough else min((ENOUGH / one.reach) ** 2, 1.0) for one in self.strata if one.answered]
        return sum(parts) / max(len(self.strata), 1)

    def has(self, side: Side) -> bool:
        """Tell whether a sample's corrections can be measured: rows inside and outside have an answer."""
        return all(
            any(one.answered and (one.side, one.code) == (side, code) for one in self.strata) for code in (1, -1)
        )


def audit_columns(rule: Slice, source: Sample, target: Sample) -> tuple[str, ...]:
    """Choose the columns to show of a row, which also identify it: what the rule reads, then texts, then the rest.

    Labels, predictions and columns that only number the rows are left out: another model, or another numbering,
    changes no row's key.

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
    cells: Cells, name: str, audit: SliceAudit, *, sides: Sequence[Side] = ("source", "target"), seed: int = 0
) -> AuditState:
    """Say how far the audit of a slice is, and draw the next row.

    Rows of a stratum come in one random order, so that those asked about are a random draw of it whenever you stop and
    go on. The stratum with the fewest answers that is not known well enough comes next.

    Parameters
    ----------
    cells : Cells
        Rows counted under the slice as it is.
    sides : sequence of {"source", "target"}
        The samples to ask about; both are described.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Flag, Sample, prepare
    >>> frame = pd.DataFrame({"f": [1, 1, 0, 0], "id": list("abcd"), "y": 1, "p": [1, 0, 1, 1]})
    >>> known = Sample(frame, label="y", prediction="p")
    >>> cells = prepare(known, Sample(frame), [Flag("f", column="f")], model=known.models[0]).cells
    >>> audit = SliceAudit(("f", "id")).put("source", known.row_keys(("f", "id")).name(0), "truly_in")
    >>> found = audit_state(cells, "f", audit)
    >>> [(one.side, one.code, one.n_rows, one.answered) for one in found.strata][:2]
    [('source', 1, 2, 1), ('source', -1, 2, 0)]
    >>> found.question.side, found.question.row in (2, 3)
    ('source', True)
    """
    strata, free = [], []
    place = cells.count.patterns.names.index(name)
    for side in ("source", "target"):
        sample, rows, codes = _rows(cells, side, place)
        truth, asked = audit.truth(side, sample)[rows], audit.asked(side, sample)[rows]
        # One order a sample, whatever was asked so far: the rows shown are a random draw at any time.
        order = np.random.default_rng([seed, side == "target"]).permutation(len(rows))
        for code in _CODES:
            of_stratum = codes == code
            if not of_stratum.any() or (
                code == 0 and of_stratum.mean() < _LEAST_ABSTAINED and not asked[of_stratum].any()
            ):
                continue
            answers = truth[of_stratum]
            n_asked, n_answered = int(asked[of_stratum].sum()), int((answers != 0).sum())
            strata.append(Stratum(side, code, len(answers), n_asked, n_answered, int((answers == 1).sum())))
            left = order[(of_stratum & ~asked)[order]]
            free.append(int(rows[left[0]]) if len(left) and side in sides else -1)
    with_rows = [number for number, row in enumerate(free) if row >= 0]
    question = None
    if with_rows:
        # In turn, so that no correction waits for another to be known well.
        number = min(with_rows, key=lambda i: (strata[i].is_enough, strata[i].asked))
        side, row = strata[number].side, free[number]
        question = AuditRow(side, row, _rows(cells, side, place)[0].row_keys(audit.columns).name(row))
    return AuditState(tuple(strata), question)


def _rows(cells: Cells, side: Side, place: int) -> tuple[Sample, Index, CodeArray]:
    """Return a sample, the rows of it that may be asked about, and what the slice says of these."""
    rows, count = cells.rows, cells.count
    if rows is None:
        raise ValueError("An audit needs rows, and only slice codes are available.")
    if cells.drawn_members is not None:
        raise MandolineError(
            "Rows in a table cannot be audited one by one. Draw some of them into a file, and audit that."
        )
    codes = count.patterns.codes[:, place]
    if side == "source":
        return rows.source, np.flatnonzero(cells.scored), codes[count.source_index]
    return rows.target, np.arange(rows.target.n_rows), codes[count.target_index]


@dataclass(frozen=True)
class Agreement:
    """Hold how a slice agrees with a rule that is assumed to be right, and the corrections that follow.

    Parameters
    ----------
    n_inside, n_outside, n_abstained : int
        Rows inside, outside and abstained, among those where the other rule does not abstain.
    """

    correction: Correction
    n_inside: int
    n_outside: int
    n_abstained: int

    @property
    def n(self) -> int:
        """The rows behind it."""
        return self.n_inside + self.n_outside + self.n_abstained


def agreement_with(name: str, codes: CodeArray, reference: CodeArray, sample: str = "source") -> Agreement:
    """Measure a slice against a second rule for the same thing, on the rows of one sample.

    Parameters
    ----------
    name : str
        The slice's name, for messages.
    codes, reference : array of int8, shape (n_rows,)
        Of the slice, and of the other rule; 0 where it abstains.
    sample : {"source", "target"}
        Whose rows these are.

    Examples
    --------
    >>> codes = np.array([1] * 10 + [-1] * 40, dtype=np.int8)
    >>> reference = np.array([1] * 9 + [-1] * 39 + [1, 0], dtype=np.int8)
    >>> found = agreement_with("negation", codes, reference)
    >>> found.n_inside, found.n_outside, found.correction.inside, round(found.correction.outside, 3)
    (10, 39, 0.9, 0.026)
    """
    table = gold_table(codes, reference, np.zeros(len(codes)))
    known = table.counts[:, [0, 2]].sum(axis=1)
    return Agreement(table.measure(name, sample), *(round(known[row]) for row in (2, 0, 1)))


def published_correction(precision: float, recall: float, rate: float) -> Correction:
    """Turn a slice's precision and recall, known from elsewhere, into corrections.

    Precision is p(truly in | says in). With the rate r of rows that the slice puts inside, r x precision / recall of
    all rows are truly inside (Bayes), and those that it misses are among the ones that it puts outside.

    Parameters
    ----------
    precision, recall, rate : float
        Rate: the share of rows that the slice contains, among those where it does not abstain.

    Examples
    --------
    A slice that fires for 20% of the rows, right 9 times of 10, and finds 3 in 4: 24% are truly inside.

    >>> found = published_correction(precision=0.9, recall=0.75, rate=0.2)
    >>> found.inside, round(found.outside, 3)
    (0.9, 0.075)
    >>> published_correction(precision=0.9, recall=0.1, rate=0.2)
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: A precision of 90.0% and a recall of 10.0% are impossible for a slice that
    contains 20.0% of the rows. Check the numbers, and which data they are from.
    """
    for word, share in {"precision": precision, "recall": recall, "rate": rate}.items():
        if not 0 <= share <= 1:
            hint = f" Did you mean {share / 100:g}?" if 1 < share <= 100 else ""
            raise ProjectError(f"{word} must be between 0 and 1. Got {share:g}.{hint}")
    if not 0 < rate < 1:
        raise ProjectError(
            f"The slice contains {show_percent(rate)} of the rows, so precision and recall do not show what it misses. "
            "Change the slice, or set its corrections."
        )
    if not recall or not precision:
        raise ProjectError("A slice with a precision or a recall of 0 is never right. Change its rule, or invert it.")
    # Of all rows, rate x precision are found, which is the recall of those truly inside; the others are missed.
    missed = rate * precision * (1 / recall - 1)
    if missed > 1 - rate:
        raise ProjectError(
            f"A precision of {show_percent(precision)} and a recall of {show_percent(recall)} are impossible for a "
            f"slice that contains {show_percent(rate)} of the rows. Check the numbers, and which data they are from."
        )
    return Correction(inside=precision, outside=missed / (1 - rate))
