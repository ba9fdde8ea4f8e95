"""A line of the balance: how far something that no slice stands for is off, before and after weighting."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from typing import Any, Literal

from mandoline_core.slices import Slice

KOLMOGOROV = "largest gap between shares above a value (Kolmogorov-Smirnov)"
TOTAL_VARIATION = "share of rows to move to another value (total variation)"
WORD_GAP = "largest gap between shares of rows with a word"
AGREEMENT = "gap between shares of rows on which the two agree"

Edge = tuple[str, str]


@dataclass(frozen=True)
class WordShift:
    """Hold the share of rows with a word in the source, the reweighted source and the target, as in `BalanceLine`."""

    word: str
    source: float
    weighted: float
    target: float
    before: float
    after: float
    z: float


@dataclass(frozen=True)
class BalanceLine:
    """Hold how far something that no slice stands for is off, before and after weighting.

    Parameters
    ----------
    column : str
        A column, or a pair of slices as "a + b".
    kind : {"number", "date", "category", "flag", "text", "pair"}
    detail : str
        What is compared: "mean", "above 34.5", "missing", "= red", "true", "contains not", "agree".
    source, weighted, target : float
        The mean, or the share of rows, in the source, the reweighted source and the target. A date's mean is in
        days since 1970.
    before, after : float
        Target minus source, and target minus reweighted source, over the pooled standard deviation.
    distance : str
        The name of the distance between distributions.
    spread_before, spread_after : float or None
        Of numbers: the target's standard deviation over that of the source, and of the reweighted source.
    z : float
        What remains over its standard error, from both samples and the weights.
    threshold : float
        The |z| beyond which one of all the comparisons made would stand out from luck.
    words : tuple of WordShift
        Of text: the words that are furthest off after weighting.
    suggestion : Slice, pair of slice names (an edge), or None
        What would model it.
    read_by : tuple of str
        The slices that read the column, and do not catch what remains.
    """

    column: str
    kind: Literal["number", "date", "category", "flag", "text", "pair"]
    detail: str
    source: float
    weighted: float
    target: float
    before: float
    after: float
    distance: str
    distance_before: float
    distance_after: float
    z: float
    threshold: float
    spread_before: float | None = None
    spread_after: float | None = None
    words: tuple[WordShift, ...] = ()
    suggestion: Slice | Edge | None = None
    read_by: tuple[str, ...] = ()

    @property
    def stands_out(self) -> bool:
        """Whether luck does not explain what remains, with all that was compared."""
        return abs(self.z) > self.threshold

    @property
    def name(self) -> str:
        """What is compared, in a few words."""
        return self.column if self.detail in ("mean", "agree", "true") else f"{self.column} {self.detail}"

    def show(self, value: float) -> str:
        """Write a mean or a share."""
        if self.detail != "mean":
            return f"{value:.1%}"
        return show_day(value) if self.kind == "date" else f"{value:.4g}"

    def as_dict(self) -> dict[str, Any]:
        """Return the line as plain data; a slice as its rule in words."""
        rule = self.suggestion
        words = rule.describe() if isinstance(rule, Slice) else rule
        plain = asdict(replace(self, suggestion=None))
        return {**plain, "suggestion": words, "stands_out": self.stands_out}


def show_day(days: float) -> str:
    """Write days since 1970 as a date.

    >>> show_day(20000.4)
    '2024-10-04'
    """
    return str(date(1970, 1, 1) + timedelta(days=int(days // 1)))
