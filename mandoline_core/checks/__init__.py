"""Checks: a model's report goes in; the same report comes out with what every check found, and a verdict.

One file a check; sensitivity to hidden change is here too.
"""

from __future__ import annotations

from mandoline_core.checks.balance import BalanceLine, columns_of, times_by_size, unmodelled_balance
from mandoline_core.checks.check import LABELS, CheckRule, NotRun
from mandoline_core.checks.checks import (
    CHECKS,
    add_labels,
    check,
    find_all,
    light_of_mandoline,
    method_for,
    report_model,
)
from mandoline_core.checks.corrections import MISTAKE_Z
from mandoline_core.checks.domain_classifier import DomainTest
from mandoline_core.checks.drift import Drift, SliceCalibration
from mandoline_core.checks.evidence import Evidence, ModelReport
from mandoline_core.checks.experience import Band, Experience, blind_spot, experience_of, known_of, measure_bands
from mandoline_core.checks.impact import Impact
from mandoline_core.checks.means import (
    CellWeights,
    compare_means,
    cross_products,
    regress_on_slices,
    sampling_threshold,
    weigh,
)
from mandoline_core.checks.second_opinion import SecondOpinionOn, second_opinion_on
from mandoline_core.checks.sensitivity import (
    Sensitivity,
    SensitivityPoint,
    SliceStrength,
    crossing,
    sensitivity_bounds,
    sensitivity_curve,
    slice_strengths,
)
from mandoline_core.checks.support import Support
from mandoline_core.checks.tail import FINITE_MEAN, FINITE_VARIANCE, USABLE, Tail
from mandoline_core.checks.theory import TheoremBound, noisy_slices, theorem_bound
from mandoline_core.checks.trimming import Trimming, caps, trim, weights_can_change
from mandoline_core.checks.verdict import NOT_RUN
from mandoline_core.checks.weights import NOT_CONVERGED
