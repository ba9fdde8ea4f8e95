"""What is known of the truth behind slices, from gold columns and from audits, and corrections measured on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mandoline_core.arrays import CodeArray
from mandoline_core.errors import SliceError
from mandoline_core.slices import Correction, Noise, Side, Slice, SliceAudit
from mandoline_core.weighting import Audit, GoldTable, gold_table, make_audit

if TYPE_CHECKING:
    from mandoline_core.pipeline.cells import Cells


@dataclass(frozen=True, eq=False)
class Truths:
    """Hold, slice by slice, what is known of the truth of the rows of one sample.

    Parameters
    ----------
    tables : dict of str to GoldTable
        What the slice says, against the truth.
    answers : dict of str to array of int8, shape (n_rows,)
        The truth of each row, 0 where unknown: scored rows in the source, all rows in the target.
    given, lost : dict of str to int
        Audited rows, and those that are no longer in the sample.
    """

    tables: dict[str, GoldTable] = field(default_factory=dict)
    answers: dict[str, CodeArray] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)

    def audit(self, measured: Sequence[str], names: Sequence[str], target: Audit | None = None) -> Audit | None:
        """Collect the rows that some of the slices were measured on."""
        return make_audit(names, self.tables, {name: self.answers[name] for name in measured}, target)


def no_truths() -> dict[Side, Truths]:
    """Know nothing."""
    return {"source": Truths(), "target": Truths()}


def known_truths(cells: Cells, rules: Sequence[Slice]) -> dict[Side, Truths]:
    """Combine audits with gold columns; an audit takes precedence."""
    known = no_truths() | {"source": Truths(dict(cells.gold), dict(cells.gold_answers))}
    audits = {rule.name: rule.audit for rule in rules if rule.audit is not None}
    for place, name in enumerate(cells.count.patterns.names):
        audit = audits.get(cells.origins.get(name, name))
        if audit is not None and cells.rows is not None:
            for side, truths in known.items():
                _add(truths, side, place, name, audit, cells)
    return known


def _add(truths: Truths, side: Side, place: int, name: str, audit: SliceAudit, cells: Cells) -> None:
    """Look one slice's answers up among the rows of a sample, where there are any."""
    answers, rows, count = audit.side(side), cells.rows, cells.count
    if not len(answers) or rows is None:
        return
    sample, index = (rows.source, count.source_index) if side == "source" else (rows.target, count.target_index)
    truth = audit.truth(side, sample)
    scores = np.zeros(len(index))
    if side == "source":
        truth, scores = truth[cells.scored], cells.statistics[:, 0]
        truth = np.where(truth == 0, truths.answers.get(name, truth), truth).astype(np.int8)
    truths.answers[name] = truth
    counted = count.source_rows if side == "source" else count.target_rows
    truths.tables[name] = gold_table(count.patterns.codes[index, place], truth, scores, counted)
    truths.given[name], truths.lost[name] = len(answers), audit.lost(side, sample)


def measured_noise(name: str, noise: Noise | None, known: dict[Side, Truths]) -> Noise | None:
    """Measure the corrections that are to be measured."""
    if noise is None or not (noise.measured or noise.target_measured):
        return noise
    return Noise(
        source=_measure(name, "source", known) if noise.measured else noise.source,
        target=_measure(name, "target", known) if noise.target_measured else noise.target,
        same=noise.same,
    )


def _measure(name: str, side: Side, known: dict[Side, Truths]) -> Correction:
    table = known[side].tables.get(name)
    if table is None:
        raise SliceError(
            f"Slice {name!r} has no gold labels on {'new' if side == 'target' else 'labelled'} rows, so its "
            "reliability cannot be measured. Add a gold column, or audit some rows."
        )
    return table.measure(name, side)
