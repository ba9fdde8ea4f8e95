"""Edits of corrections and pairs: how sure a person is of a slice, by what it is measured, and what moves together."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from app.project.edits import find_slice, put_slice, set_edges, set_noise
from app.words import pair_choices
from mandoline_core import Correction, Noise, Project, ProjectError, Slice, SliceAudit
from mandoline_core.slices import Answer, Side

PRESETS = {
    "exact": Correction(),
    "rather sure": Correction(inside=0.9, outside=0.05),
    "unsure": Correction(inside=0.75, outside=0.15),
}
MEASURED, OWN = "measured", "own"
DERIVED, SAME, SEPARATE = ("derived", "same", "separate")


def sureness(rule: Slice) -> str:
    """Say how sure a person is of a slice: the name of a preset, "measured", or "own" for numbers of their own.

    >>> from mandoline_core import Missing
    >>> rule = Missing("no_age", column="age")
    >>> sureness(rule), sureness(replace(rule, noise=Noise(Correction(0.8))))
    ('exact', 'own')
    """
    noise = rule.noise or Noise()
    if noise.measured:
        return MEASURED
    stated = noise.source or Correction()
    return next((name for name, preset in PRESETS.items() if preset == stated), OWN)


def set_sureness(project: Project, name: str, sure: str, start: Correction) -> Project:
    """Take a preset for the labelled data, measure, or go on from `start`; what was said of the new data stays."""
    noise = find_slice(project, name).noise or Noise()
    source = None if sure == MEASURED else PRESETS.get(sure, start)
    return set_noise(project, name, replace(noise, source=source, measured=sure == MEASURED))


def set_share(project: Project, name: str, side: str, says: str, share: float) -> Project:
    """Say how often a row is truly in: in one sample ("source", "target"), for one answer of the slice ("inside" ...).

    The other answers stay as they are.
    """
    noise = find_slice(project, name).noise or Noise()
    stated: dict[str, Any] = {side: replace(getattr(noise, side) or Correction(), **{says: share})}
    if side == "target":
        stated["target_measured"] = False
    return set_noise(project, name, replace(noise, **stated))


def way(rule: Slice) -> str:
    """Say where the new data's corrections come from: derived, the same, separate or measured."""
    noise = rule.noise or Noise()
    if noise.target_measured:
        return MEASURED
    return SEPARATE if noise.target is not None else SAME if noise.same else DERIVED


def set_way(project: Project, name: str, chosen: str, start: Correction) -> Project:
    """Let the new data's corrections be derived, the same, measured, or set separately, from `start`."""
    noise = find_slice(project, name).noise or Noise()
    own = start if chosen == SEPARATE else None
    return set_noise(project, name, replace(noise, target=own, same=chosen == SAME, target_measured=chosen == MEASURED))


def copy_corrections(project: Project, name: str, others: Collection[str]) -> Project:
    """Correct other slices as one is; one that has been removed in the meantime is passed over."""
    noise = find_slice(project, name).noise
    if noise is not None and (noise.measured or noise.target_measured):
        raise ProjectError(f"Corrections of {name!r} are measured on its own true answers, so they cannot be copied.")
    for other in [rule.name for rule in project.slices if rule.name in others]:
        project = set_noise(project, other, noise)
    return project


def set_gold(project: Project, name: str, column: str | None) -> Project:
    """Name the column that holds a slice's true answers; without one, what was measured on it goes too."""
    rule = find_slice(project, name)
    measured = rule.noise is not None and rule.noise.measured and rule.audit is None
    noise = None if column is None and measured else rule.noise
    return put_slice(project, name, replace(rule, gold=column, noise=noise))


def answer_row(
    project: Project, name: str, columns: tuple[str, ...], side: Side, key: str, answer: Answer | None
) -> Project:
    """Write down what a person says of a row; None takes it back.

    Parameters
    ----------
    columns : tuple of str
        What rows are known by, for the first answer about the slice.
    """
    rule = find_slice(project, name)
    audit = (rule.audit or SliceAudit(columns)).put(side, key, answer)
    return put_slice(project, name, replace(rule, audit=audit))


def use_audit(project: Project, name: str, sides: Collection[Side]) -> Project:
    """Measure the corrections of some samples on what was answered; what was said of the others stays."""
    noise = find_slice(project, name).noise or Noise()
    if "source" in sides:
        noise = replace(noise, source=None, measured=True)
    if "target" in sides:
        noise = replace(noise, target=None, same=False, target_measured=True)
    return set_noise(project, name, noise)


def state_corrections(project: Project, name: str, source: Correction, target: Correction | None = None) -> Project:
    """Take corrections that are known from elsewhere; without the new data's own, these are derived."""
    return set_noise(project, name, Noise(_rounded(source), None if target is None else _rounded(target)))


def _rounded(correction: Correction) -> Correction:
    abstain = None if correction.abstain is None else round(correction.abstain, 4)
    return Correction(round(correction.inside, 4), round(correction.outside, 4), abstain)


def join(project: Project, first: str, second: str) -> Project:
    """Let two slices move together, beside the pairs that do so now."""
    return set_edges(project, (*_other_pairs(project, first, second), (first, second)))


def part(project: Project, first: str, second: str) -> Project:
    """Let two slices no longer move together; all other pairs stay."""
    return set_edges(project, _other_pairs(project, first, second))


def _other_pairs(project: Project, first: str, second: str) -> tuple[tuple[str, str], ...]:
    if isinstance(project.edges, str):
        raise ProjectError(
            f"The pairs of this project are {pair_choices.chosen_how(project.edges)}. Choose them by hand first."
        )
    return tuple(pair for pair in project.edges if {*pair} != {first, second})
