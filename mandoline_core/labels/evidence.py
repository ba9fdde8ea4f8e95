"""Corrections from what is known elsewhere: a second rule for the same thing, published precision and recall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Codes
from mandoline_core.errors import ProjectError
from mandoline_core.formatting import show_percent
from mandoline_core.slices import Correction
from mandoline_core.weighting import gold_table


@dataclass(frozen=True)
class Agreement:
    """Hold how a slice agrees with a rule that is taken for the truth, and the corrections that follow.

    Parameters
    ----------
    n_inside, n_outside, n_abstained : int
        Rows that the slice puts inside, outside and nowhere, and of which the other rule says something.
    """

    correction: Correction
    n_inside: int
    n_outside: int
    n_abstained: int

    @property
    def n(self) -> int:
        """The rows behind it."""
        return self.n_inside + self.n_outside + self.n_abstained


def agreement_with(name: str, codes: Codes, reference: Codes, sample: str = "source") -> Agreement:
    """Measure a slice against a second rule for the same thing, on the rows of one sample.

    Parameters
    ----------
    name : str
        The slice's name, for messages.
    codes, reference : array of int8, shape (n_rows,)
        What the slice says; what the other rule says, 0 where it abstains.
    sample : {"source", "target"}
        Whose rows these are.

    Examples
    --------
    >>> codes = np.array([1] * 10 + [-1] * 40, dtype=np.int8)
    >>> reference = np.array([1] * 9 + [-1] * 39 + [1, 0], dtype=np.int8)
    >>> found = agreement_with("negation", codes, reference)
    >>> found.n_inside, found.n_outside, found.correction.inside, round(found.correction.outside, 3)
    (10, 39, 0.9, 0.026)
    """
    table = gold_table(codes, reference, np.zeros(len(codes)))
    known = table.counts[:, [0, 2]].sum(axis=1)
    return Agreement(table.measure(name, sample), *(round(known[row]) for row in (2, 0, 1)))


def published_correction(precision: float, recall: float, rate: float) -> Correction:
    """Turn a slice's precision and recall, known from elsewhere, into corrections where it fires at some rate.

    Precision is p(truly in | says in). With the rate r of rows that the slice puts inside, r x precision / recall of
    all rows are truly inside (Bayes), and those that it misses are among the ones that it puts outside.

    Parameters
    ----------
    precision, recall, rate : float
        Rate: the share of rows that the slice puts inside, among those where it speaks.

    Examples
    --------
    A slice that fires for 20% of the rows, right 9 times of 10, and finds 3 in 4: 24% are truly inside.

    >>> found = published_correction(precision=0.9, recall=0.75, rate=0.2)
    >>> found.inside, round(found.outside, 3)
    (0.9, 0.075)
    >>> published_correction(precision=0.9, recall=0.1, rate=0.2)
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: A precision of 90% with a recall of 10% cannot be where the slice says in for
    20% of the rows: it would miss 162% of all rows and leaves out only 80%. Check the numbers, or whether they are of
    other data.
    """
    for word, share in {"precision": precision, "recall": recall, "rate": rate}.items():
        if not 0 <= share <= 1:
            hint = f" Did you mean {share / 100:g}?" if 1 < share <= 100 else ""
            raise ProjectError(f"{word} must be between 0 and 1. Got {share:g}.{hint}")
    if not 0 < rate < 1:
        raise ProjectError(
            f"The slice says in for {show_percent(rate)} of the rows, so precision and recall cannot tell what it "
            "misses. Change the slice, or state its corrections."
        )
    if not recall or not precision:
        raise ProjectError(
            "A slice with a precision or a recall of 0 finds nothing of what it is for. Change its rule, or take the "
            "opposite."
        )
    missed = rate * precision * (1 / recall - 1)
    if missed > 1 - rate:
        said = f"A precision of {show_percent(precision)} with a recall of {show_percent(recall)}"
        raise ProjectError(
            f"{said} cannot be where the slice says in for {show_percent(rate)} of the rows: it would miss "
            f"{show_percent(missed)} of all rows and leaves out only {show_percent(1 - rate)}. Check the numbers, or "
            "whether they are of other data."
        )
    return Correction(inside=precision, outside=missed / (1 - rate))
