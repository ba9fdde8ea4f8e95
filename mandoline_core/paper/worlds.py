"""Worlds with a known answer, drawn from the paper's graphical model: for experiments and for tests."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from mandoline_core.arrays import CodeArray, Floats

Edges = tuple[tuple[int, int], ...]


class WorldRows(NamedTuple):
    """Hold rows drawn from a world: what the slices say, the truth behind them, and whether the model was right."""

    codes: CodeArray
    truth: CodeArray
    scores: Floats


@dataclass(frozen=True, eq=False)
class World:
    """Hold a source and a target that differ in their true slices, seen through noisy ones.

    Each side follows p(g, t) ~ exp(sum a_i g_i + sum c g_i t_i + sum_E e_ij t_i t_j), the paper's model:
    given what the slices say (t), the true slices (g) are independent of each other.
    The probability that the model is right is linear in phi(g), or in phi(t) where it follows what the slices say.

    Parameters
    ----------
    edges : tuple of pairs of slice numbers
    fields : pair of arrays, shape (n_slices,)
        a_i, source and target.
    couplings : pair of arrays, shape (n_edges,)
        e_ij, source and target.
    link : float
        c, how closely slices follow the truth.
    intercept, slope : float, array of shape (n_slices + n_edges,)
        p(right | g) = intercept + slope . phi(g).
    follows_codes : bool
        Whether the probability of being right follows t instead of g.
    """

    edges: Edges
    fields: tuple[Floats, Floats]
    couplings: tuple[Floats, Floats]
    link: float
    intercept: float
    slope: Floats
    follows_codes: bool = False

    @property
    def n_slices(self) -> int:
        """Count the slices."""
        return len(self.fields[0])

    def table(self, side: str) -> tuple[CodeArray, CodeArray, Floats]:
        """List every (g, t) with its probability.

        Returns
        -------
        truth, codes : array of int8, shape (4 ** n_slices, n_slices)
        probabilities : array of float, shape (4 ** n_slices,)
        """
        corners = np.array(list(itertools.product((-1, 1), repeat=self.n_slices)), dtype=np.int8)
        truth = np.repeat(corners, len(corners), axis=0)
        codes = np.tile(corners, (len(corners), 1))
        i = 0 if side == "source" else 1
        energy = truth @ self.fields[i] + self.link * (truth * codes).sum(axis=1)
        energy = energy + potentials(codes, self.edges)[:, self.n_slices :] @ self.couplings[i]
        probability = np.exp(energy - energy.max())
        return truth, codes, probability / probability.sum()

    def corrections(self, side: str) -> Floats:
        """Compute the true p(g_i = 1 | t_i), shape (n_slices, 3); abstentions do not occur and get 1/2."""
        truth, codes, probability = self.table(side)
        found = np.full((self.n_slices, 3), 0.5)
        for i, code in itertools.product(range(self.n_slices), (-1, 1)):
            said = codes[:, i] == code
            found[i, code + 1] = probability[said & (truth[:, i] == 1)].sum() / probability[said].sum()
        return found

    def slice_accuracy(self, side: str) -> float:
        """Compute how often slices are right, averaged over slices."""
        truth, codes, probability = self.table(side)
        return float(probability @ (truth == codes).mean(axis=1))

    def score(self, side: str) -> float:
        """Compute the true share of right predictions."""
        truth, codes, probability = self.table(side)
        return float(probability @ self.probability_of_right(truth, codes))

    def probability_of_right(self, truth: CodeArray, codes: CodeArray) -> Floats:
        """Compute how likely the model is to be right on each row."""
        phi = potentials(codes if self.follows_codes else truth, self.edges)
        return np.asarray(self.intercept + phi @ self.slope)

    def draw(self, side: str, n: int, rng: np.random.Generator) -> WorldRows:
        """Draw rows.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> world = random_world(rng, n_slices=2, edges=((0, 1),), accuracy=0.8)
        >>> world.draw("source", 1000, rng).codes.shape
        (1000, 2)
        """
        truth, codes, probability = self.table(side)
        rows = rng.choice(len(probability), size=n, p=probability)
        right = rng.random(n) < self.probability_of_right(truth[rows], codes[rows])
        return WorldRows(codes[rows], truth[rows], right.astype(float))


def random_world(rng: np.random.Generator, *, n_slices: int, edges: Edges = (), accuracy: float = 1.0) -> World:
    """Make a random world whose slices are right with the given frequency in the labelled data.

    Parameters
    ----------
    rng : numpy Generator
    n_slices : int
    edges : tuple of pairs of slice numbers
    accuracy : float
        Between 0.5 and 1; at 1 slices are never wrong.

    Examples
    --------
    >>> world = random_world(np.random.default_rng(0), n_slices=4, edges=((0, 1),), accuracy=0.8)
    >>> round(world.slice_accuracy("source"), 6)
    0.8
    """
    fields = (rng.uniform(-0.6, 0.2, n_slices), rng.uniform(0.0, 0.8, n_slices))
    couplings = (rng.uniform(0.0, 0.4, len(edges)), rng.uniform(0.0, 0.8, len(edges)))
    slope = rng.uniform(0.5, 1.0, n_slices + len(edges)) * rng.choice([-1, 1], n_slices + len(edges), p=[0.8, 0.2])
    slope *= 0.3 / np.abs(slope).sum()  # with 0.65 in the middle, every probability is between 0.35 and 0.95

    def build(link: float) -> World:
        return World(edges, fields, couplings, link, 0.65, slope)

    if accuracy >= 1.0:
        return build(30.0)  # a wrong code has a probability of about exp(-60)
    return build(brentq(lambda link: build(link).slice_accuracy("source") - accuracy, 0.0, 10.0))


def potentials(truth: CodeArray | NDArray[np.int8], edges: Edges) -> Floats:
    """Compute phi(g) = [g_1 .. g_k, g_i g_j for each edge]."""
    pairs = [truth[:, i] * truth[:, j] for i, j in edges]
    return np.column_stack([truth, *pairs]).astype(float)
