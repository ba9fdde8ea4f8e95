"""How far every method is from the truth on a case with labels, in points, and which way it went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mandoline_core.comparison import Comparison, compare
from mandoline_core.errors import MandolineError
from mandoline_core.paper.learners import Case
from mandoline_core.project import MethodSettings
from mandoline_core.slices import Slice

TOLD = 0.2  # points: a smaller true change is none that a method could be asked to see
_REDRAWS = 10  # the fewest there may be: kernel matching's intervals are not looked at


def judge(
    case: Case,
    slices: Sequence[Slice],
    methods: Sequence[str],
    *,
    features: Sequence[str] = (),
    max_rows: int = 10_000,
    **asked: Any,
) -> Comparison:
    """Ask methods about every model of a case; one that finds no estimate is an error.

    Parameters
    ----------
    features : sequence of str
        The columns that methods on columns look at.
    **asked
        What `compare` takes: edges, metric, seed and others.
    """
    settings = MethodSettings(features=tuple(features), max_rows=max_rows, redraws=_REDRAWS)
    found = compare(*case.samples(), slices, estimators=methods, methods=settings, **asked)
    for model in found.models.values():
        for name, entry in model.entries.items():
            if entry.estimate is None:
                raise MandolineError(f"{name} found no estimate for {model.model}: {entry.reason}")
    return found


def errors(found: Comparison, method: str) -> dict[str, float]:
    """List estimate minus truth for every model, in points."""
    return {
        name: 100 * (float(model.entries[method].estimate or 0.0) - float(model.truth or 0.0))
        for name, model in found.models.items()
    }


def mean_error(values: Iterable[float]) -> float:
    """Average the sizes of errors."""
    return float(np.mean(np.abs(list(values))))


def directions(found: Comparison, method: str) -> list[bool]:
    """Say for every model whose score truly changed whether the method moved the source score the same way."""
    before, after = errors(found, "source"), errors(found, method)
    return [(after[name] - off) * -off > 0 for name, off in before.items() if abs(off) >= TOLD]


def share(answers: Sequence[bool]) -> float:
    """Give the share of yes in percent."""
    return 100 * float(np.mean(answers))
