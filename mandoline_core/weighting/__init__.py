"""Weighting: a problem on patterns goes in, and weights that match the source's slices to the target come out.

Corrections become numbers here, edges are learned or chosen, and target rows without overlap are found.
"""

from __future__ import annotations

from mandoline_core.weighting.corrections import (
    ABSTAIN,
    IN,
    OUT,
    CorrectionRule,
    Corrections,
    correction_rule,
    fixed_rule,
)
from mandoline_core.weighting.edge_selection import (
    LearnedEdges,
    graphical_lasso_edges,
    inverse_covariance_edges,
    learn_edges,
)
from mandoline_core.weighting.edges import (
    MAX_UNCERTAIN,
    check_edges,
    count_uncertain,
    edges_by_name,
    has_rows,
    pair_gaps,
)
from mandoline_core.weighting.gold import Audit, GoldTable, gold_table, make_audit
from mandoline_core.weighting.kliep import GRADIENT_TOLERANCE, KliepSolution, solve, varying_directions
from mandoline_core.weighting.pair_tests import ProductPairs, edge_threshold, score_tests
from mandoline_core.weighting.potentials import Tilt, TiltValue, build_tilt, expected_potentials
from mandoline_core.weighting.problem import ClassProbabilities, Problem, Rows
from mandoline_core.weighting.weights import NOT_FITTED, WeightFit, fit, potential_names
