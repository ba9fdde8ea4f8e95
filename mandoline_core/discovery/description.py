"""Describe a selection: the simplest rules that match the selected rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from mandoline_core.arrays import Bools, Index
from mandoline_core.data import Sample
from mandoline_core.discovery.column_rules import ColumnCondition, RuleFamily, rule_families
from mandoline_core.discovery.cuts import agreement
from mandoline_core.domain_classifier import default_columns, encode_column
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.slices import Slice, conjoin, slice_codes

FEWEST = 5  # selected rows that a rule must hold, and a selection have
_SUPPORT = 0.1  # of the selection that a rule must hold: less describes an exception, not the selection
_MOST_CONDITIONS = 3
_BEAM = 10  # rules that are carried on with one more condition; the best first condition need not lead to the best pair
_CONDITION = 0.03  # agreement that a condition must add to be worth its words
_ALIKE = 0.95  # of the rows of two rules: they are one
_AS_GOOD = 0.8  # of what the first rule is worth: others that come close are worth a look
_NAME = 80  # characters


@dataclass(frozen=True, eq=False)
class Description:
    """Hold a rule and how well it describes a selection.

    Parameters
    ----------
    rule : Slice
        Ready to be one of a project's.
    precision : float
        The share of the rows inside the rule that are selected.
    recall : float
        The share of the selected rows that are inside the rule.
    inside : int
        Rows inside the rule, of those it was judged on.
    hits : int
        Selected rows inside the rule.
    conditions : int
    """

    rule: Slice
    precision: float
    recall: float
    inside: int
    hits: int
    conditions: int

    @property
    def agreement(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / (self.precision + self.recall) if self.hits else 0.0


def describe_selection(
    sample: Sample,
    selected: ArrayLike,
    *,
    among: ArrayLike | None = None,
    columns: Sequence[str] | None = None,
    most: int = 3,
) -> tuple[Description, ...]:
    """Find the simplest rules that describe some rows of a sample.

    A rule is a list of words, a cut or a range, some values, a missing value, or up to three of these at once. It is
    chosen by the harmonic mean of precision and recall, less a little for every further word and condition.

    Parameters
    ----------
    selected : array of int
        The rows to describe.
    among : array of int, optional
        The rows to compare them with, such as those on a map; all by default.
    columns : sequence of str, optional
        Columns for rules; by default all but labels, predictions, identifiers and constants.
    most : int
        Rules at most, the best first; no two of them on the same columns or rows, and none far worse.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"age": [20 + row % 60 for row in range(120)], "place": list("aabbbb") * 20}))
    >>> found = describe_selection(sample, [row for row in range(120) if row % 60 >= 30 and row % 6 < 2])[0]
    >>> found.rule.describe(), found.precision, found.recall
    ('place is a and age at least 50', 1.0, 1.0)
    """
    rows, chosen = _rows(sample, selected, among)
    if columns is None:
        columns, _ = default_columns(sample, sample)
    n = len(chosen)
    wanted = np.arange(len(rows)) < n
    parts = Sample(sample.frame[rows[:n].tolist()]), Sample(sample.frame[rows[n:].tolist()])
    everything = np.arange(n), np.arange(len(rows) - n)
    families = [
        family
        for column in columns
        for family in rule_families(column, encode_column(column, parts, everything), parts)
    ]
    fewest = max(FEWEST, round(_SUPPORT * n))
    rules = sorted(_search(families, wanted, fewest), key=lambda rule: -rule.value)
    judged = Sample(sample.frame[rows.tolist()])
    best: list[tuple[_Rule, Description]] = []
    for rule in rules:
        if len(best) == most:
            break
        # A rule that only adds words to a better one, or finds its rows in other words, says nothing new.
        if any(rule.columns >= better.columns or rule.alike(better) > _ALIKE for better, _ in best):
            continue
        if best and rule.value < _AS_GOOD * best[0][0].value:
            break
        description = _judge(rule, judged, wanted)
        if description is not None and description.hits >= fewest:
            best.append((rule, description))
    return tuple(description for _, description in best)


@dataclass(frozen=True, eq=False)
class _Rule:
    """Hold conditions that hold together, the rows inside all of them, and what the rule is worth."""

    conditions: tuple[ColumnCondition, ...]
    families: tuple[int, ...]  # that they come from
    inside: Bools
    value: float

    @property
    def columns(self) -> frozenset[str]:
        """The columns that it reads."""
        return frozenset(condition.rule.reads[0] for condition in self.conditions)

    def alike(self, other: _Rule) -> float:
        """Compute the share of the rows of either rule that are inside both."""
        return float((self.inside & other.inside).sum() / (self.inside | other.inside).sum())


def _rows(sample: Sample, selected: ArrayLike, among: ArrayLike | None) -> tuple[Index, Index]:
    """Check a selection; return the rows to look at, the selected ones first, and these."""
    chosen = np.unique(np.asarray(selected, dtype=np.intp))
    every = np.arange(sample.n_rows) if among is None else np.unique(np.asarray(among, dtype=np.intp))
    for rows in (chosen, every):
        if len(rows) and not 0 <= rows[0] <= rows[-1] < sample.n_rows:
            raise DataError(f"{sample.name} has no row {rows[-1] if rows[0] >= 0 else rows[0]}: the first row is 0.")
    if len(chosen) < FEWEST:
        raise MandolineError(f"Select at least {FEWEST} rows. Got {len(chosen)}.")
    others = np.setdiff1d(every, chosen)
    if not len(others):
        raise MandolineError("Every row is selected, so there is nothing to compare them with. Select fewer.")
    return np.concatenate([chosen, others]), chosen


def _search(families: Sequence[RuleFamily], selected: Bools, fewest: int) -> Iterator[_Rule]:
    """Yield rules of one condition, then the best of them with one more, and once again (a beam search)."""
    everything, n = np.ones(len(selected), dtype=bool), int(selected.sum())
    # To say nothing agrees with a large selection, too: a rule must do better.
    beam = [_Rule((), (), everything, float(agreement(n, len(selected), n, fewest)))]
    for _ in range(_MOST_CONDITIONS):
        longer: dict[frozenset[int], _Rule] = {}
        for rule in beam:
            for number, family in enumerate(families):
                key = frozenset((*rule.families, number))
                if number in rule.families or key in longer:
                    continue
                condition = family.best(selected, rule.inside, fewest)
                if condition is not None:
                    conditions = (*rule.conditions, condition)
                    refined = _refine(families, conditions, (*rule.families, number), selected, fewest)
                    if refined.value > rule.value:
                        longer[key] = refined
        beam = sorted(longer.values(), key=lambda rule: -rule.value)[:_BEAM]
        yield from longer.values()


def _refine(
    families: Sequence[RuleFamily],
    conditions: tuple[ColumnCondition, ...],
    numbers: tuple[int, ...],
    selected: Bools,
    fewest: int,
) -> _Rule:
    """Choose every condition but the last again, given the others."""
    rule = _rule(conditions, numbers, selected, fewest)
    for i in range(len(conditions) - 1):
        others = np.logical_and.reduce([other.inside for j, other in enumerate(rule.conditions) if j != i])
        again = families[numbers[i]].best(selected, others, fewest)
        if again is not None:
            changed = (*rule.conditions[:i], again, *rule.conditions[i + 1 :])
            rule = max(rule, _rule(changed, numbers, selected, fewest), key=lambda either: either.value)
    return rule


def _rule(conditions: tuple[ColumnCondition, ...], numbers: tuple[int, ...], selected: Bools, fewest: int) -> _Rule:
    inside = np.logical_and.reduce([condition.inside for condition in conditions])
    agreed = float(agreement((inside & selected).sum(), inside.sum(), int(selected.sum()), fewest))
    cost = sum(condition.cost for condition in conditions) + _CONDITION * len(conditions)
    return _Rule(conditions, numbers, inside, agreed - cost)


def _judge(rule: _Rule, sample: Sample, selected: Bools) -> Description | None:
    """Make a slice of a rule, and count what the slice itself finds: nothing is said that it would not do."""
    rules = [condition.rule for condition in rule.conditions]
    made = rules[0] if len(rules) == 1 else conjoin("rule", rules)
    if made is None:
        return None
    made = replace(made, name=made.describe()[:_NAME])
    inside = slice_codes(sample, made) == 1
    hits, n = int((inside & selected).sum()), int(inside.sum())
    return Description(made, hits / max(n, 1), hits / int(selected.sum()), n, hits, len(rules))
