"""Estimators: a problem goes in; a value comes out, with its sampling error and what it does not cover.

One file a method, one registry, one contract; how to add one: see `base.Estimator`.
"""

from __future__ import annotations

from mandoline_core.estimators.base import Estimator, Outcome, PointEstimate, effective_rows, share_left_out
from mandoline_core.estimators.bootstrap import bootstrap
from mandoline_core.estimators.cot import Cot
from mandoline_core.estimators.effects import EffectPath
from mandoline_core.estimators.features import Features, build_features
from mandoline_core.estimators.folds import fit_folds
from mandoline_core.estimators.intervals import (
    Influence,
    Redraws,
    RowInfluence,
    SamplingError,
    SourcePart,
    bootstrap_interval,
    exact_interval,
    influence_interval,
    normal_reach,
    root_of_squares,
)
from mandoline_core.estimators.mandoline import Denoised, Mandoline
from mandoline_core.estimators.new_rows import prediction_error
from mandoline_core.estimators.outcome_model import FEWEST, OutcomeDesign
from mandoline_core.estimators.probabilities import (
    usable_rows,
    why_not_classes,
    why_not_new_classes,
    why_not_probabilities,
)
from mandoline_core.estimators.registry import ESTIMATORS, get_estimator
from mandoline_core.estimators.second_opinion import VOICES, SecondOpinion
