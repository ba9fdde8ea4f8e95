"""Who chooses the pairs of slices that move together, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from mandoline_core.project import GRAPHICAL_LASSO, INVERSE_COVARIANCE, TESTS, read_edge_choice

BY_HAND = "hand"
CHOICES = {
    BY_HAND: "By hand",
    TESTS: "By tests",
    INVERSE_COVARIANCE: "Strongest ties",
    GRAPHICAL_LASSO: "Stable ties",
}
HELP = (
    "By hand: you join and part pairs below. By tests: joins a pair when its joint frequency is still off after "
    "weighting and joining it would move the estimate (score tests). Strongest ties: the slices that go together most "
    "in the labelled data, all others held fixed (largest entries of the inverse covariance, as in the paper). Stable "
    "ties: those found in nearly every half of the labelled data (graphical lasso with stability selection)."
)


def choice_of(edges: object) -> str:
    """Name who chooses the pairs of a project.

    >>> choice_of((("a", "b"),)), choice_of("inverse-covariance:6")
    ('hand', 'inverse-covariance')
    """
    return read_edge_choice(edges).name if isinstance(edges, str) else BY_HAND


def chosen_how(edges: object) -> str:
    """Say how the pairs of a project are chosen.

    >>> chosen_how(()), chosen_how("auto"), chosen_how("inverse-covariance:6")
    ('chosen by hand', 'chosen by tests', 'the 6 strongest ties')
    """
    if not isinstance(edges, str):
        return "chosen by hand"
    choice = read_edge_choice(edges)
    if choice.name == TESTS:
        return "chosen by tests"
    return f"the {choice.most} strongest ties" if choice.name == INVERSE_COVARIANCE else "the stable ties"


def chosen_by(ways: Sequence[str]) -> str:
    """Say which ways of choosing would take a pair.

    >>> chosen_by(["auto", "graphical-lasso"]), chosen_by(["inverse-covariance"]), chosen_by([])
    ('Chosen by tests and by stable ties', 'Chosen by strongest ties', 'Chosen by none')
    """
    said = [f"by {CHOICES[way].lower().removeprefix('by ')}" for way in ways]
    return f"Chosen {' and '.join(said) or 'by none'}"
