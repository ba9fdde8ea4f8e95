"""Candidates: a rule with what it would do to the estimate, to first order; and which of them say nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csc_matrix

from mandoline_core.arrays import Floats
from mandoline_core.discovery.standing import Edge, rule_key, rule_name
from mandoline_core.slices import Keyword, Slice

CLEARLY_MORE = 1.25  # times the z of its parts, and of what it comes before: then a conjunction is worth its length
ALIKE, ALIKE_OF_ONE = 0.8, 0.5  # correlation from which two slices say nearly the same, or two on the same columns


@dataclass(frozen=True, eq=False)
class Candidate:
    """Hold one candidate and what it would do to one model's estimate, to first order.

    Parameters
    ----------
    rule : Slice or pair of slice names
    tables : pair of csc_matrix
        What candidates say of the drawn rows, of both samples.
    column : int
        This candidate's, in both.
    last : bool
        Whether it is on function words, which come last.
    joined : bool
        Whether it joins two others.
    """

    model: str
    rule: Slice | Edge
    source: float
    target: float
    gap: float
    gap_z: float
    difference: float
    z: float
    tables: tuple[csc_matrix, csc_matrix]
    column: int
    last: bool = False
    joined: bool = False

    @cached_property
    def inside(self) -> Floats:
        """The drawn rows inside, of both samples, one after the other."""
        return np.concatenate([table[:, [self.column]].toarray().ravel() for table in self.tables])

    @property
    def merit(self) -> float:
        """What it is ranked by: |z|, less for a conjunction, which may stand for what two slices say better."""
        return abs(self.z) / (CLEARLY_MORE if self.joined else 1.0)

    @property
    def key(self) -> object:
        """What tells it from other candidates."""
        return rule_key(self.rule)

    @property
    def name(self) -> str:
        """What a project calls the slice, or the two slices of an edge."""
        return rule_name(self.rule)


def distinct(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """Take the first candidates that do not say nearly the same as one before."""
    found: list[Candidate] = []
    for one in candidates:
        if len(found) == most:
            break
        if not any(_alike(one, other) for other in found):
            found.append(one)
    return found


def _alike(one: Candidate, other: Candidate) -> bool:
    if len(one.inside) != len(other.inside):  # of models that score other rows
        return False
    bound = ALIKE
    if isinstance(one.rule, Slice) and isinstance(other.rule, Slice) and set(one.rule.reads) == set(other.rule.reads):
        if isinstance(one.rule, Keyword):  # a phrase with a word that comes before it
            return float(one.inside @ other.inside) >= ALIKE * one.inside.sum()
        bound = ALIKE_OF_ONE
    return _correlation(one, other) >= bound


def _correlation(one: Candidate, other: Candidate) -> float:
    left, right = one.inside - one.inside.mean(), other.inside - other.inside.mean()
    scale = float(np.sqrt((left @ left) * (right @ right)))
    return abs(float(left @ right)) / scale if scale > 0 else 0.0
