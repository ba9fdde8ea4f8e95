"""How the rows of a sample were drawn: how much each counts, and which belong together, as cells take them over."""

from __future__ import annotations

from mandoline_core.arrays import Bools, Floats
from mandoline_core.data import Sample
from mandoline_core.patterns import SampleDesign, average_one
from mandoline_core.pipeline.table_cells import TableCells


def design_rows(sample: Sample, scored: Bools | None = None) -> tuple[Floats | None, SampleDesign]:
    """Say how much every row in memory counts, None where all count alike, and how it was drawn.

    Parameters
    ----------
    scored : array of bool, shape (n_rows,), optional
        The rows that count. By default, all.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> rows, design = design_rows(Sample(pd.DataFrame({"w": [1, 3, 9]}), weight="w"), np.array([True, True, False]))
    >>> rows.tolist(), design.squares.tolist()
    ([0.5, 1.5], [0.25, 2.25])
    """
    clusters, weights = sample.clusters, sample.design_weights
    if scored is not None and not scored.all():
        clusters = None if clusters is None else clusters[scored]
        weights = None if weights is None else weights[scored]
    if weights is None:
        return None, SampleDesign(clusters)
    rows, squares = average_one(weights)
    return rows, SampleDesign(clusters, squares)


def design_cells(cells: TableCells, scored: Bools | None = None) -> tuple[Floats, SampleDesign]:
    """Say the same of cells that an engine counted."""
    design = SampleDesign(cells.clusters, cells.squares, cells.counts)
    rows = cells.rows
    if scored is not None:
        rows, design = rows[scored], design.take(scored)
    if design.squares is None:
        return rows, design
    rows, squares = average_one(rows, design.counts, design.squares)
    return rows, design._replace(squares=squares)
