"""Gold columns: how well a slice agrees with the truth, how surely that is known, whether mistakes move the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mandoline_core.arrays import CodeArray, Floats, Index
from mandoline_core.errors import SliceError
from mandoline_core.patterns import add_up
from mandoline_core.slices import Correction

OUT, UNKNOWN, IN = 0, 1, 2  # rows: what the slice says; columns: the truth


@dataclass(frozen=True, eq=False)
class GoldTable:
    """Hold source rows by what a slice says (rows: -1, 0, 1) and by the truth (columns: -1, unknown, 1).

    Parameters
    ----------
    counts, sums, squares : array of float, shape (3, 3)
        Rows, and the sums of their scores and squared scores.
    """

    counts: Floats
    sums: Floats
    squares: Floats

    def measure(self, name: str, sample: str = "source") -> Correction:
        """Measure the slice's corrections in one sample.

        Examples
        --------
        >>> codes = np.repeat(np.array([1, 1, -1, -1], dtype=np.int8), [45, 5, 10, 90])
        >>> truth = np.repeat(np.array([1, -1, 1, -1], dtype=np.int8), [45, 5, 10, 90])
        >>> gold_table(codes, truth, np.zeros(150)).measure("blurry")
        Correction(inside=0.9, outside=0.1, abstain=None)
        """
        n_known = self.counts[:, OUT] + self.counts[:, IN]
        for row, side in ((IN, "inside"), (OUT, "outside")):
            if not n_known[row]:
                rows = "new" if sample == "target" else "labelled"
                raise SliceError(
                    f"The reliability of slice {name!r} cannot be measured: no {rows} row with a gold label is "
                    f"{side} it. Set the corrections, or change the slice."
                )
        share = self.counts[:, IN] / np.maximum(n_known, 1)
        abstain = float(share[UNKNOWN]) if n_known[UNKNOWN] else None
        return Correction(inside=float(share[IN]), outside=float(share[OUT]), abstain=abstain)

    def mistake_z(self) -> float | None:
        """Test whether the score depends on what the slice says once the truth is known.

        The difference in mean score between rows the slice puts in and rows it puts out, within each truth,
        pooled with inverse-variance weights, over its standard error. None where it cannot be computed.

        Examples
        --------
        A slice whose mistakes are scored like its hits:

        >>> codes = np.tile(np.array([1, -1], dtype=np.int8), 200)
        >>> truth = np.repeat(np.array([1, -1], dtype=np.int8), 200)
        >>> scores = np.tile([1.0, 1.0, 0.0, 0.0], 100)
        >>> gold_table(codes, truth, scores).mistake_z()
        0.0
        """
        total, weight = 0.0, 0.0
        for truth in (OUT, IN):
            n = self.counts[[OUT, IN], truth]
            if (n < 2).any():
                continue
            sums = self.sums[[OUT, IN], truth]
            mean = sums / n
            # Under the hypothesis both groups share one spread; a tiny group that happens to agree has none of its own.
            variance = self.squares[[OUT, IN], truth].sum() / n.sum() - (sums.sum() / n.sum()) ** 2
            error = float(variance * (1 / n).sum())
            if error > 0:
                total += float(mean[1] - mean[0]) / error
                weight += 1 / error
        return total / float(np.sqrt(weight)) if weight else None


@dataclass(frozen=True, eq=False)
class Audit:
    """Hold the rows of a sample that corrections were measured on: each of them had a say in the corrections.

    Parameters
    ----------
    answers : array of int8, shape (n_scored, n_slices)
        The truth of each scored source row, 0 where unknown; all 0 for slices whose corrections were not measured.
    counts : array of float, shape (n_slices, 3, 2)
        Rows with a known truth by what the slice says (-1, 0, 1) and by the truth (-1, 1).
    target : Audit, optional
        The same of the target's rows, where its own corrections were measured.
    """

    answers: CodeArray
    counts: Floats
    target: Audit | None = None

    @property
    def sizes(self) -> Floats:
        """Count the rows behind each correction, shape (n_slices, 3)."""
        return np.asarray(self.counts.sum(axis=2))

    @property
    def shares(self) -> Floats:
        """Compute the corrections as measured, shape (n_slices, 3); NaN where there was nothing to measure on."""
        return np.where(self.sizes > 0, self.counts[..., 1] / np.maximum(self.sizes, 1), np.nan)

    @property
    def rows(self) -> Index:
        """Number the scored rows with a known truth."""
        return np.flatnonzero(self.answers.any(axis=1))

    def moves(self, codes: CodeArray, slopes: Floats) -> Floats:
        """Say how far each audited row moves an estimate through the corrections it helped to measure.

        A correction is the share of truly inside rows among those audited: one row moves it by its distance from
        that share, over their number.

        Parameters
        ----------
        codes : array of int8, shape (n_audited, n_slices)
            Of the rows in `rows`.
        slopes : array of float, shape (n_slices, 3)
            Change of the estimate per unit of each correction.

        Returns
        -------
        array of float, shape (n_audited,)

        Examples
        --------
        >>> codes = np.array([[1], [1], [-1], [-1]], dtype=np.int8)
        >>> truth = np.array([[1], [-1], [-1], [0]], dtype=np.int8)
        >>> audit = make_audit(["x"], {"x": gold_table(codes[:, 0], truth[:, 0], np.zeros(4))}, {"x": truth[:, 0]})
        >>> audit.moves(codes[:3], np.array([[2.0, 0.0, 1.0]])).tolist()
        [0.25, -0.25, 0.0]
        """
        truth = self.answers[self.rows]
        columns = np.arange(truth.shape[1])
        per_row = np.nan_to_num(slopes / np.where(self.sizes > 0, self.sizes, np.inf))[columns, codes + 1]
        apart = (truth == 1) - np.nan_to_num(self.shares)[columns, codes + 1]
        return np.asarray(np.where(truth != 0, per_row * apart, 0.0).sum(axis=1))

    @property
    def unseen_errors(self) -> Floats:
        """Return how far each correction may be off beyond what its rows show, shape (n_slices, 3).

        A handful of rows that agree show no sampling error at all. With half a row more on either side (Jeffreys'
        prior) they do; this is what that adds to the variance p (1 - p) / n, as a standard deviation.
        """
        share, steadied = np.nan_to_num(self.shares), (self.counts[..., 1] + 0.5) / (self.sizes + 1)
        more = steadied * (1 - steadied) - share * (1 - share)
        return np.sqrt(np.where(self.sizes > 0, np.maximum(more, 0.0) / np.maximum(self.sizes, 1), 0.0))

    def redraw(self, rng: np.random.Generator) -> Floats:
        """Draw corrections that the audited rows leave possible (by Jeffreys' prior); shape as `shares`."""
        drawn = rng.beta(self.counts[..., 1] + 0.5, self.counts[..., 0] + 0.5)
        return np.where(self.sizes > 0, drawn, np.nan)

    def repeat(self, times: int) -> Audit:
        """Say the same of rows that occur several times, as split cells do."""
        return replace(self, answers=np.tile(self.answers, (times, 1)))

    def select(self, slices: Sequence[int]) -> Audit:
        """Keep some slices."""
        index = list(slices)
        target = None if self.target is None else self.target.select(index)
        return Audit(self.answers[:, index], self.counts[index], target)


def make_audit(
    names: Sequence[str],
    tables: Mapping[str, GoldTable],
    answers: Mapping[str, CodeArray],
    target: Audit | None = None,
) -> Audit | None:
    """Collect what corrections were measured on, slice by slice; None where none were measured.

    Parameters
    ----------
    names : sequence of str
        All slices, in order.
    tables, answers : mapping of str to GoldTable and to array of int8, shape (n_scored,)
        Of the slices whose corrections were measured.
    target : Audit, optional
        Of the target, made in the same way.
    """
    measured = [name for name in names if name in answers]
    if not measured and target is None:
        return None
    nobody = np.zeros(len(answers[measured[0]]) if measured else 0, dtype=np.int8)
    counts = [tables[name].counts[:, [OUT, IN]] if name in answers else np.zeros((3, 2)) for name in names]
    return Audit(np.column_stack([answers.get(name, nobody) for name in names]), np.array(counts), target)


def gold_table(codes: CodeArray, truth: CodeArray, scores: Floats, rows: Floats | None = None) -> GoldTable:
    """Cross-tabulate a slice with its gold column.

    Parameters
    ----------
    codes, truth : array of int8, shape (n_rows,)
        What the slice says; the gold column, 0 where unknown.
    scores : array of float, shape (n_rows,)
    rows : array of float, shape (n_rows,), optional
        Rows of each line; default 1.
    """
    cells = (codes.astype(np.intp) + 1) * 3 + truth + 1
    ones = np.ones(len(scores)) if rows is None else rows
    counts, sums, squares = (add_up(cells, ones * values, 9) for values in (1.0, scores, scores**2))
    return GoldTable(counts.reshape(3, 3), sums.reshape(3, 3), squares.reshape(3, 3))
