"""The registry of methods: those of the paper first, then newer ones."""

from __future__ import annotations

from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.estimators.base import Estimator
from mandoline_core.estimators.baselines import Simple, Source
from mandoline_core.estimators.bbse import Bbse
from mandoline_core.estimators.cbiw import CbiwFeatures, CbiwScores, CbiwSlices
from mandoline_core.estimators.cbiw_finetuned import CbiwFinetuned
from mandoline_core.estimators.cbpe import Cbpe, Pape
from mandoline_core.estimators.confidence import (
    AverageConfidence,
    DifferenceOfConfidences,
    ThresholdedConfidence,
    ThresholdedEntropy,
)
from mandoline_core.estimators.cot import Cot, CotWeighted
from mandoline_core.estimators.dle import Dle
from mandoline_core.estimators.doubly_robust import DoublyRobust
from mandoline_core.estimators.kmm import KmmFeatures, KmmSlices
from mandoline_core.estimators.mandoline import Denoised, Mandoline
from mandoline_core.estimators.second_opinion import SecondOpinion
from mandoline_core.estimators.ulsif import UlsifFeatures, UlsifSlices
from mandoline_core.formatting import listed

_ALL: tuple[Estimator, ...] = (
    Source(),
    Simple(),
    Mandoline(),
    Denoised(),
    CbiwSlices(),
    CbiwFeatures(),
    CbiwScores(),
    CbiwFinetuned(),
    KmmSlices(),
    KmmFeatures(),
    UlsifSlices(),
    UlsifFeatures(),
    AverageConfidence(),
    DifferenceOfConfidences(),
    ThresholdedConfidence(),
    ThresholdedEntropy(),
    Cbpe(),
    Pape(),
    Dle(),
    DoublyRobust(),
    Bbse(),
    Cot(),
    CotWeighted(),
    SecondOpinion(),
)
ESTIMATORS: dict[str, Estimator] = {estimator.name: estimator for estimator in _ALL}


def get_estimator(name: str) -> Estimator:
    """Look an estimator up by name.

    >>> get_estimator("mandoline").title
    'Mandoline'
    """
    if name not in ESTIMATORS:
        names = listed(ESTIMATORS, most=len(ESTIMATORS))
        raise ProjectError(f"Unknown method {name!r}. Methods: {names}.{did_you_mean(name, ESTIMATORS)}")
    return ESTIMATORS[name]
