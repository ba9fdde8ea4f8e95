"""Corrections: how often a row that a slice puts inside, outside or nowhere is truly inside."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mandoline_core.errors import ProjectError


@dataclass(frozen=True)
class Correction:
    """State p(truly in | what the slice says) for one slice in one sample.

    Parameters
    ----------
    inside, outside : float
        p(truly in | the slice says in), p(truly in | the slice says out).
    abstain : float, optional
        p(truly in | the slice abstains). Left out, abstention is taken to say nothing: the rate
        among the rows where the slice does speak.

    Examples
    --------
    >>> Correction(inside=0.95, outside=0.02)
    Correction(inside=0.95, outside=0.02, abstain=None)
    """

    inside: float = 1.0
    outside: float = 0.0
    abstain: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is not a probability, and a slice that says nothing."""
        for name in ("inside", "outside", "abstain"):
            value = getattr(self, name)
            if value is None and name == "abstain":
                continue
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or not 0 <= value <= 1:
                hint = f" Did you mean {value / 100:g}?" if is_number and 1 < value <= 100 else ""
                raise ProjectError(f"Correction {name!r} must be between 0 and 1. Got {value!r}.{hint}")
        # Then what the slice says tells nothing of what is true, and its matrix cannot be inverted.
        if math.isclose(self.inside, self.outside, abs_tol=1e-9):
            raise ProjectError(
                f"Corrections inside = outside = {self.inside:g} say that the slice carries no information. "
                "Remove the slice, or set inside above outside."
            )

    @property
    def is_identity(self) -> bool:
        """Tell whether the slice is taken at its word."""
        return self.inside == 1.0 and self.outside == 0.0 and self.abstain is None


@dataclass(frozen=True)
class Noise:
    """Hold a slice's corrections: the source's, and what to do for the target's.

    Parameters
    ----------
    source : Correction, optional
        The source's corrections; identity when left out.
    target : Correction, optional
        The target's own corrections. Left out, they are derived from the source's error rates.
    same : bool
        Use the source's matrix for the target as it stands.
    measured : bool
        Measure the source's corrections against the slice's gold column and audit.
    target_measured : bool
        Measure the target's own on the answers about target rows.
    """

    source: Correction | None = None
    target: Correction | None = None
    same: bool = False
    measured: bool = False
    target_measured: bool = False

    def __post_init__(self) -> None:
        """Refuse settings that contradict each other."""
        # Two statements of one thing: neither could be told to win without surprising somebody.
        if self.same and self.target is not None:
            raise ProjectError("Target corrections are either the same as the source's or their own, not both.")
        if self.target_measured and (self.same or self.target is not None):
            raise ProjectError("Target corrections are either measured or given, not both.")
        if self.measured and self.source is not None:
            raise ProjectError("Source corrections are either measured or given, not both.")

    @property
    def is_identity(self) -> bool:
        """Tell whether nothing is corrected."""
        if self.measured or self.target_measured:
            return False
        return all(side is None or side.is_identity for side in (self.source, self.target))
