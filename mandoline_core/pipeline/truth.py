"""The truth beside an estimate: the metric on labels that the target turns out to have. Nothing else ever uses them."""

from __future__ import annotations

from mandoline_core.data import Sample
from mandoline_core.errors import MandolineError
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.metrics import evaluate, score_rows
from mandoline_core.patterns import one_each
from mandoline_core.pipeline.cells import Cells

NOT_DEFINED = FindingKind(
    "labels",
    "truth_not_defined",
    "The {target}'s own labels give no truth to compare with",
    "Nothing to do: the estimate does not use them.",
    ": {why}",
)


def score_truth(cells: Cells, labelled: Sample) -> tuple[float | None, tuple[Finding, ...]]:
    """Score the target's own labels; None where it has none, with why where the metric is not defined on them.

    Parameters
    ----------
    labelled : Sample
        The target's rows, with their labels where these are known.
    """
    try:
        return _score(cells, labelled), ()
    except MandolineError as error:
        return None, (NOT_DEFINED.found("info", why=error.sentence),)


def _score(cells: Cells, labelled: Sample) -> float | None:
    rows = cells.rows
    if rows is None:  # only codes are known
        return None
    needed = rows.metric.column if rows.metric.column is not None else rows.source.label
    if needed is None or needed not in labelled.columns or labelled.series(needed).is_null().any():
        return None
    if cells.tables is None:
        scores = score_rows(rows.metric, labelled, label=needed, model=rows.model, known=cells.classes)
        counts = one_each(len(scores.statistics))
    else:
        scores, counts = cells.tables[1].score(rows.metric, rows.model, cells.classes), cells.tables[1].rows
    if not scores.known.all():  # a truth with gaps would be the truth of another population
        return None
    return evaluate(scores.metric, scores.statistics, counts / counts.sum()).value
