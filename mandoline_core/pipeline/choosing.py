"""Choose the pairs of slices that move together, where no person does: three ways, one answer."""

from __future__ import annotations

import numpy as np

from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Mandoline
from mandoline_core.project import GRAPHICAL_LASSO, INVERSE_COVARIANCE, read_edge_choice
from mandoline_core.weighting import (
    LearnedEdges,
    Problem,
    graphical_lasso_edges,
    inverse_covariance_edges,
    learn_edges,
)

# Of the standard error. Leaving out something of this size makes the error of the estimate 3% larger.
EFFECT_THAT_COUNTS = 0.25


def choose_edges(problem: Problem, how: str) -> LearnedEdges:
    """Choose edges for a problem that has none.

    Parameters
    ----------
    how : str
        As in the project file: "auto" for score tests, "inverse-covariance", perhaps with how many, or
        "graphical-lasso". Only tests give z-values.
    """
    choice = read_edge_choice(how)
    if choice.name == INVERSE_COVARIANCE:
        return LearnedEdges(inverse_covariance_edges(problem, choice.most), ())
    if choice.name == GRAPHICAL_LASSO:
        return LearnedEdges(graphical_lasso_edges(problem, np.random.default_rng(problem.seed)), ())
    return learn_edges(problem, enough=_enough(problem))


def _enough(problem: Problem) -> float:
    """Say what a pair must do to the estimate to count; 0 where no effect is known, and tests alone decide."""
    if problem.metric.ranked:
        return 0.0
    try:
        return EFFECT_THAT_COUNTS * Mandoline().estimate(problem).influence.standard_error()
    except MandolineError:  # whoever asks for the estimate will be told
        return 0.0
