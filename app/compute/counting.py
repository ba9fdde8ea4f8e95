"""Counting rows that stay in tables: in the background, all slices and models together, and each question once.

Counts by more slices answer for fewer, too: switching slices off, deleting or ordering them counts nothing again.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import cast

import streamlit as st

from app.compute import keys
from app.compute.data import samples
from app.compute.jobs import WorkingError, ask_for
from app.project import Workspace, state, visit
from mandoline_core import Flag, MandolineError, Sample, Slice
from mandoline_core.data import Cache, current_progress, progress_to
from mandoline_core.pipeline import SampleCells, count_tables, stay_in_tables
from mandoline_core.slices import resolve

MOST_BYTES = 300_000_000


@st.cache_resource(show_spinner=False)
def _kept() -> Cache[SampleCells]:
    """Return both samples as cells, by what they are of and the rules that distinguish their rows."""
    return Cache(MOST_BYTES)


def in_tables(workspace: Workspace) -> bool:
    """Tell whether rows of either sample stay in a table, and are looked at there."""
    return stay_in_tables(*samples(workspace))


def n_rows(workspace: Workspace) -> tuple[int, int]:
    """Count all rows of both samples, wherever they are."""
    source, target = samples(workspace.on_all_rows)
    return source.n_all, target.n_all


def n_looked_at(workspace: Workspace) -> tuple[int, int]:
    """Count the rows of both samples that can be looked at one by one: all, or those that were drawn."""
    source, target = samples(workspace.on_all_rows)
    return source.n_rows, target.n_rows


def current() -> Workspace:
    """Return the visitor's project, looked at on all rows once these are counted, and on a draw of them until then."""
    try:
        return settled(state.workspace())
    except WorkingError:
        if visit.is_part_of_a_page():  # a file has changed: only the whole page can show that it is opened again
            st.rerun()
        raise


def wait_for_tables() -> None:
    """Raise what says that the visitor's tables are being opened; whatever else is wrong, pages say."""
    try:
        in_tables(state.workspace())
    except WorkingError:
        raise
    except MandolineError:
        return


def settled(workspace: Workspace) -> Workspace:
    """Look at a project on all rows if these are counted; else count them, and look at the draw until then."""
    if not in_tables(workspace):
        return workspace
    try:
        sample_cells(workspace)
    except WorkingError:
        return workspace.on_draw
    except MandolineError:  # said where the estimate is asked for
        return workspace
    return workspace


def known_or_drawn(workspace: Workspace) -> Workspace:
    """Look at a project on all rows where these happen to be counted, else at the draw: nothing is counted for it."""
    try:
        if not in_tables(workspace) or find_cells(workspace) is not None:
            return workspace
    except MandolineError:
        return workspace
    return workspace.on_draw


def is_known(workspace: Workspace) -> bool:
    """Tell whether nothing need be counted for an estimate on all rows."""
    try:
        return not known_or_drawn(workspace).drawn
    except MandolineError:
        return False


def still_counting(workspace: Workspace) -> WorkingError | None:
    """Return what counts all rows of a project at the moment, or was stopped doing so."""
    try:
        if in_tables(workspace.on_all_rows):
            sample_cells(workspace.on_all_rows)
    except WorkingError as error:
        return error
    except MandolineError:
        return None
    return None


def sample_cells(workspace: Workspace) -> SampleCells:
    """Return all rows as cells, if they are counted; else have that done, and raise what says so."""
    found = find_cells(workspace)
    if found is not None:
        return found
    everything = resolved(workspace)
    source, target = samples(workspace)
    rows = f"{source.n_all + target.n_all:,} rows"
    of = keys.counted(workspace)
    ask_for(
        ("count", workspace.id),
        (of, tuple(rule.key for rule in everything)),
        f"Counting {rows}",
        partial(_count, workspace, of, (source, target), everything),
        lambda: find_cells(workspace) is not None,
    )
    found = find_cells(workspace)
    if found is None:
        raise MandolineError("The counts do not fit in memory. Use fewer slices.")
    return found


def find_cells(workspace: Workspace) -> SampleCells | None:
    """Return all rows as cells, if they have been counted by every slice in use."""
    of, rules = keys.counted(workspace), _in_use(workspace)
    golds = (Flag(rule.name, column=rule.gold) for rule in rules if rule.gold is not None)
    wanted = {rule.key for rule in (*rules, *golds)}
    known = cast("list[tuple[keys.Key, frozenset[object]]]", _kept().keys())
    fits = [key for key in known if key[0] == of and wanted <= key[1]]
    return _kept().get(min(fits, key=lambda key: len(key[1]))) if fits else None  # fewer rules, fewer cells


def _count(workspace: Workspace, of: keys.Key, both: tuple[Sample, Sample], rules: tuple[Slice, ...]) -> None:
    project = workspace.project
    with progress_to(_BothSides(both)):
        found = count_tables(*both, rules, both[0].models or (None,), project.metric)
    _kept().put((of, frozenset(found[0].codes)), found)


class _BothSides:
    """Combine the progress of counting two samples in turn."""

    def __init__(self, both: tuple[Sample, Sample]) -> None:
        source, target = (sample.n_all for sample in both)
        self._first, self._say = source / (source + target), current_progress()
        self._last, self._done = 0.0, 0.0

    def __call__(self, what: str, share: float) -> None:
        if share < self._last:  # the second has begun
            self._done = self._first
        self._last = share
        part = 1 - self._first if self._done else self._first
        if self._say is not None:
            self._say(what, self._done + part * share)


@keys.kept(by=keys.rules)
def resolved(workspace: Workspace) -> tuple[Slice, ...]:
    """Resolve every slice for every model, also those switched off; only those in use, where others cannot be."""
    everything = [replace(rule, enabled=True) for rule in workspace.project.slices]
    for rules in (everything, workspace.project.slices):
        try:
            return _for_models(workspace, tuple(rules))
        except MandolineError:
            continue
    return _in_use(workspace)


@keys.kept(by=keys.rules)
def _in_use(workspace: Workspace) -> tuple[Slice, ...]:
    return _for_models(workspace, workspace.project.slices)


def _for_models(workspace: Workspace, rules: tuple[Slice, ...]) -> tuple[Slice, ...]:
    source, target = samples(workspace)
    plain = [replace(rule, noise=None, audit=None) for rule in rules]
    found = (rule for model in source.models or (None,) for rule in resolve(plain, source, target, model))
    return tuple({rule.key: rule for rule in found}.values())
