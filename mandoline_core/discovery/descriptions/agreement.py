"""Agreement: how well a rule and a selection are the same rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mandoline_core.arrays import Floats


def agreement(hits: ArrayLike, inside: ArrayLike, selected: int, fewest: int) -> Floats:
    """Return the harmonic mean of precision and recall; 0 with fewer hits than asked for.

    Parameters
    ----------
    hits, inside : array of int
        Selected rows inside a rule, and all rows inside it.
    selected : int
        Selected rows.
    fewest : int
        Hits that a rule needs.

    Examples
    --------
    >>> agreement([10, 5, 1], [10, 20, 1], selected=20, fewest=2).round(3).tolist()
    [0.667, 0.25, 0.0]
    """
    enough = np.asarray(hits) >= fewest
    return np.where(enough, 2.0 * np.asarray(hits) / np.maximum(np.asarray(inside) + selected, 1), 0.0)
