"""Corrections: how often a slice is right when it says in, out, or abstains."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mandoline_core.errors import ProjectError


@dataclass(frozen=True)
class Correction:
    """Hold how reliable a slice is in one sample: p(truly in | what the slice says).

    Parameters
    ----------
    inside, outside : float
        The probability that a row is truly in when the slice says in, and when it says out.
    abstain : float, optional
        The probability that a row is truly in when the slice abstains. By default, the rate among rows where it does
        not abstain.

    Examples
    --------
    >>> Correction(inside=0.95, outside=0.02)
    Correction(inside=0.95, outside=0.02, abstain=None)
    """

    inside: float = 1.0
    outside: float = 0.0
    abstain: float | None = None

    def __post_init__(self) -> None:
        """Refuse values that are not probabilities, and a slice without information."""
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
                f"Corrections inside = outside = {self.inside:g} mean that the slice carries no information. "
                "Remove the slice, or set inside above outside."
            )

    @property
    def is_identity(self) -> bool:
        """Tell whether the slice is always right."""
        return self.inside == 1.0 and self.outside == 0.0 and self.abstain is None


@dataclass(frozen=True)
class Noise:
    """Hold a slice's corrections in both samples.

    Parameters
    ----------
    source : Correction, optional
        The corrections in the source. By default, none.
    target : Correction, optional
        The corrections in the target. By default, derived from the source's error rates.
    same : bool
        Use the source's corrections for the target, unchanged.
    measured : bool
        Measure the source's corrections with the slice's gold column and audit.
    target_measured : bool
        Measure the target's corrections with the audit of target rows.
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
            raise ProjectError("[slices.noise.target] takes either same or its own corrections. Got both. Remove one.")
        if self.target_measured and (self.same or self.target is not None):
            raise ProjectError(
                "[slices.noise.target] takes either measured or its own corrections. Got both. Remove one."
            )
        if self.measured and self.source is not None:
            raise ProjectError(
                "[slices.noise] takes either measured or corrections in [slices.noise.source]. Got both. Remove one."
            )

    @property
    def is_identity(self) -> bool:
        """Tell whether nothing is corrected."""
        if self.measured or self.target_measured:
            return False
        return all(side is None or side.is_identity for side in (self.source, self.target))
