"""Audits and other evidence for corrections: the next row to ask about, what the answers do, what other rules say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from app.compute import keys
from app.compute.corrections import CorrectionRow, correction_rows
from app.compute.data import samples
from app.compute.estimates import cells, fit, trial, with_every_slice
from app.compute.keys import kept
from app.project import Workspace, edits
from mandoline_core import Correction, Slice, SliceAudit
from mandoline_core.arrays import Interval
from mandoline_core.estimators import normal_reach
from mandoline_core.labels import (
    Agreement,
    AuditState,
    agreement_with,
    audit_columns,
    audit_state,
    published_correction,
)
from mandoline_core.pipeline import Cells
from mandoline_core.slices import Side

BOTH: tuple[Side, ...] = ("source", "target")


@dataclass(frozen=True, eq=False)
class AuditTurn:
    """Hold how far the audit of a slice is, and the row to ask about.

    Parameters
    ----------
    rule : Slice
        Resolved, so that its parts can mark what they match.
    columns : tuple of str
        What is shown of the row, and what rows are known by.
    row : dict of str to object
        The row's values; empty where no row is left.
    """

    rule: Slice
    columns: tuple[str, ...]
    state: AuditState
    row: dict[str, Any]


def audit_turn(workspace: Workspace, name: str, sides: tuple[Side, ...] = BOTH) -> AuditTurn:
    """Draw the next row of a slice to ask about."""
    table, (source, target) = _everything(workspace), samples(workspace)
    rule = next(rule for rule in table.slices if rule.name == name)
    kept_answers = edits.find_slice(workspace.project, name).audit
    audit = kept_answers or SliceAudit(audit_columns(rule, source, target))
    state = audit_state(table, name, audit, sides=sides, seed=workspace.project.estimator.seed)
    row: dict[str, Any] = {}
    if state.question is not None:
        sample = source if state.question.side == "source" else target
        row = {column: sample.frame[column][state.question.row] for column in audit.columns}
    return AuditTurn(rule, audit.columns, state, row)


def with_audit(workspace: Workspace, name: str, state: AuditState) -> Workspace:
    """Use the answers so far, without saving that: of each sample that can be measured."""
    sides = [side for side in BOTH if state.has(side)]
    return replace(workspace, project=edits.use_audit(workspace.project, name, sides))


def audited_row(workspace: Workspace, name: str, state: AuditState) -> CorrectionRow:
    """Look up a slice's corrections with the answers so far in use."""
    return correction_rows(with_audit(workspace, name, state))[name]


def audit_effect(workspace: Workspace, name: str, state: AuditState) -> tuple[float, Interval, float, float] | None:
    """Estimate with the answers so far; None where the method knows no corrections.

    Returns
    -------
    tuple of float, pair of floats, float, float
        The estimate, its interval, half the width of that before bounds, and half the width that it would have if what
        was measured were known exactly.
    """
    found = trial(with_audit(workspace, name, state))
    if found.outcome.error_if_known is None:
        return None
    z = normal_reach(found.settings.confidence)
    return found.estimate, found.interval, z * found.standard_error, z * found.outcome.error_if_known


@kept(by=keys.solution)
def mistake_tests(workspace: Workspace) -> dict[str, tuple[float | None, int]]:
    """Test whether the score depends on what a slice says once the truth is known, for each slice with true answers.

    The denoised estimator assumes that it does not. Returned are z and the labelled rows that tell.
    """
    tables = fit(workspace).truths["source"].tables
    return {name: (table.mistake_z(), round(table.counts[[0, 2]][:, [0, 2]].sum())) for name, table in tables.items()}


@kept(by=keys.every_slice)
def agreements(workspace: Workspace, name: str, other: str) -> dict[Side, Agreement]:
    """Compare a slice with a second rule that is taken for the truth, in both samples; of tables in the draw."""
    table = _everything(workspace.on_draw)
    patterns, count = table.count.patterns, table.count
    codes = patterns.codes[:, [patterns.names.index(name), patterns.names.index(other)]]
    rows = {"source": codes[count.source_index], "target": codes[count.target_index]}
    return {side: agreement_with(name, rows[side][:, 0], rows[side][:, 1], side) for side in BOTH}


def second_rules(workspace: Workspace, name: str) -> list[str]:
    """List the slices that a slice could be compared with."""
    return [other for other in _everything(workspace).count.patterns.names if other != name]


def from_published(workspace: Workspace, name: str, precision: float, recall: float) -> Correction:
    """Turn published precision and recall into corrections, at the slice's rate among labelled rows."""
    patterns = _everything(workspace).count.patterns
    out, _, inside = patterns.rates("source")[patterns.names.index(name)]
    return published_correction(precision, recall, float(inside / (inside + out)) if inside + out else 0.0)


def _everything(workspace: Workspace) -> Cells:
    return cells(with_every_slice(workspace), need_slices=False)
