"""Who chooses the pairs of slices that move together, where no person does."""

from __future__ import annotations

from typing import NamedTuple

from mandoline_core.errors import ProjectError, did_you_mean

TESTS, INVERSE_COVARIANCE, GRAPHICAL_LASSO = EDGE_CHOICES = ("auto", "inverse-covariance", "graphical-lasso")
MOST_ENTRIES = 4  # pairs taken by inverse covariance, as in the paper, where nobody says how many


class EdgeChoice(NamedTuple):
    """Hold what chooses the pairs, one of `EDGE_CHOICES`, and how many of them at most, where that is for it to say."""

    name: str
    most: int = MOST_ENTRIES


def read_edge_choice(edges: object) -> EdgeChoice:
    """Read what chooses the pairs, as the project file has it.

    Examples
    --------
    >>> read_edge_choice("inverse-covariance:6")
    EdgeChoice(name='inverse-covariance', most=6)
    >>> read_edge_choice("graphical lasso")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: edges must be a list of pairs of slice names, "auto", "inverse-covariance" (the
    4 largest entries; more or fewer as in "inverse-covariance:6") or "graphical-lasso". Got 'graphical lasso'. Did you
    mean 'graphical-lasso'?
    """
    name, colon, most = edges.partition(":") if isinstance(edges, str) else ("", "", "")
    if name in EDGE_CHOICES and not colon:
        return EdgeChoice(name)
    if name == INVERSE_COVARIANCE and most.isdecimal() and int(most) > 0:
        return EdgeChoice(name, int(most))
    hint = did_you_mean(edges, EDGE_CHOICES) if isinstance(edges, str) else ""
    raise ProjectError(
        f'edges must be a list of pairs of slice names, "auto", "inverse-covariance" (the {MOST_ENTRIES} largest '
        'entries; more or fewer as in "inverse-covariance:6") or "graphical-lasso". '
        f"Got {edges!r}.{hint}"
    )
