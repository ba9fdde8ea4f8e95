"""What a new slice can be, and what its controls can hold: kinds that fit, round numbers, and the rows of each word."""

from __future__ import annotations

from dataclasses import replace

from app.compute import keys
from app.compute.columns import column_values, identifiers
from app.compute.data import model_of, plain_samples, samples
from app.compute.estimates import codes_of
from app.compute.keys import kept
from app.project import Workspace
from mandoline_core import Keyword, Sample, Slice, SliceError
from mandoline_core.slices import (
    DATES,
    KINDS,
    NUMBERS,
    Scale,
    Survey,
    column_scale,
    fitting_columns,
    offer,
    resolve,
    rule_between,
    slice_codes,
    survey_samples,
)


def survey(workspace: Workspace) -> Survey:
    """Look at what the data offer to a new slice."""
    return replace(_survey(workspace), slices=_names(workspace))


def offers(workspace: Workspace) -> dict[str, Slice | SliceError]:
    """List the kinds that the data allow, each with a rule to start from, or with what is to be done before."""
    return _offers(workspace, _names(workspace), tuple(KINDS))


@kept(by=keys.samples)
def _survey(workspace: Workspace) -> Survey:
    return survey_samples(*samples(workspace), identifiers(workspace))


@kept(by=keys.samples)
def _offers(workspace: Workspace, names: tuple[str, ...], _kinds: tuple[str, ...]) -> dict[str, Slice | SliceError]:
    return offer(replace(_survey(workspace), slices=names))


def _names(workspace: Workspace) -> tuple[str, ...]:
    return tuple(rule.name for rule in workspace.project.slices if not rule.is_family)


def holds_dates(workspace: Workspace, column: str) -> bool:
    """Tell whether a column holds dates in both samples."""
    return column in fitting_columns(*samples(workspace), DATES)


def scale(workspace: Workspace, column: str) -> Scale | None:
    """Choose round numbers for a column that holds numbers in both samples."""
    return _scale(workspace, column) if column in fitting_columns(*samples(workspace), NUMBERS) else None


@kept(by=keys.tables)
def _scale(workspace: Workspace, column: str) -> Scale | None:
    return column_scale(*plain_samples(workspace), column)


def stretch_rule(workspace: Workspace, column: str, ends: tuple[float, float]) -> Slice | None:
    """Make a rule of a stretch of a column, with round ends; None where no row is inside, or every row."""
    found = scale(workspace, column)
    if found is None and not holds_dates(workspace, column):
        return None
    rule = rule_between(column, ends, found, column_values(workspace, column)[2:])
    return rule if rule is not None and any(rows_inside(workspace, rule)) else None


def rows_inside(workspace: Workspace, rule: Slice) -> tuple[int, int]:
    """Count the labelled and the new rows inside a rule."""
    rules = resolve([rule], *samples(workspace), model_of(workspace))
    here, there = (int((codes_of(sample, rules) == 1).sum()) for sample in samples(workspace))
    return here, there


def word_counts(workspace: Workspace, rule: Keyword, most: int = 40) -> dict[str, tuple[int, int]]:
    """Count the labelled and the new rows that have each of the first words of a rule."""
    source, target = samples(workspace)
    return {
        word: (_rows_with((source, rule.alone(word), rule)), _rows_with((target, rule.alone(word), rule)))
        for word in rule.words[:most]
    }


@kept(by=keys.word)
def _rows_with(found: tuple[Sample, Slice, Slice]) -> int:
    sample, word, rule = found
    # A row that has the word is inside the whole rule, so that only these need be looked at.
    inside = codes_of(sample, [rule])[:, 0] == 1
    if not inside.any():
        return 0
    return int((slice_codes(Sample(sample.frame.select(*rule.reads).filter(inside.tolist())), word) == 1).sum())
