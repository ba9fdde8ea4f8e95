"""Gold columns: how well a slice agrees with the truth, and whether its mistakes have to do with the score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mandoline_core.errors import SliceError
from mandoline_core.noise import Correction
from mandoline_core.patterns import Codes, Floats, add_up

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

    def measure(self, name: str) -> Correction:
        """Measure the slice's corrections.

        Examples
        --------
        >>> codes = np.repeat(np.array([1, 1, -1, -1], dtype=np.int8), [45, 5, 10, 90])
        >>> truth = np.repeat(np.array([1, -1, 1, -1], dtype=np.int8), [45, 5, 10, 90])
        >>> gold_table(codes, truth, np.zeros(150)).measure("blurry")
        Correction(inside=0.9, outside=0.1, abstain=None)
        """
        known = self.counts[:, OUT] + self.counts[:, IN]
        for row, side in ((IN, "inside"), (OUT, "outside")):
            if not known[row]:
                raise SliceError(
                    f"Corrections of slice {name!r} cannot be measured: no source row with a gold answer is {side} it. "
                    "State the corrections, or change the slice."
                )
        share = self.counts[:, IN] / np.maximum(known, 1)
        abstain = float(share[UNKNOWN]) if known[UNKNOWN] else None
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


def gold_table(codes: Codes, truth: Codes, scores: Floats) -> GoldTable:
    """Cross-tabulate a slice with its gold column.

    Parameters
    ----------
    codes, truth : array of int8, shape (n_rows,)
        What the slice says; the gold column, 0 where unknown.
    scores : array of float, shape (n_rows,)
    """
    cells = (codes.astype(np.intp) + 1) * 3 + truth + 1
    counts, sums, squares = (add_up(cells, values, 9) for values in (np.ones(len(scores)), scores, scores**2))
    return GoldTable(counts.reshape(3, 3), sums.reshape(3, 3), squares.reshape(3, 3))
