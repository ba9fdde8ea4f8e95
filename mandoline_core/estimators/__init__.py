"""The estimators and their registry."""

from __future__ import annotations

from mandoline_core.errors import ProjectError, did_you_mean, listed
from mandoline_core.estimators.base import Estimator, Outcome, Problem
from mandoline_core.estimators.denoised import Denoised
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.estimators.simple import Simple
from mandoline_core.estimators.source import Source

__all__ = ["ESTIMATORS", "Estimator", "Outcome", "Problem", "get_estimator"]

_ALL: tuple[Estimator, ...] = (Mandoline(), Denoised(), Simple(), Source())
ESTIMATORS: dict[str, Estimator] = {estimator.name: estimator for estimator in _ALL}


def get_estimator(name: str) -> Estimator:
    """Look an estimator up by name.

    >>> get_estimator("mandoline").title
    "Mandoline (the paper's weights)"
    """
    if name not in ESTIMATORS:
        raise ProjectError(
            f"Estimator {name!r} is not known. Estimators: {listed(ESTIMATORS)}.{did_you_mean(name, ESTIMATORS)}"
        )
    return ESTIMATORS[name]
