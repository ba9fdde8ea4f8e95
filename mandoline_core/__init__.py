"""Estimate how well a model does on data without labels, by reweighting labelled data slice by slice."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mandoline_core.checks import ModelReport, report_model
    from mandoline_core.comparison import Comparison, Difference, Entry, ModelComparison, Ranking, compare
    from mandoline_core.comparison.backtests import Backtest, backtest
    from mandoline_core.data import Model, Predictions, Sample, predict_columns, read_table
    from mandoline_core.discovery import (
        Description,
        RowMap,
        Spread,
        Suggestion,
        Suggestions,
        describe_selection,
        map_rows,
        spread,
        suggest,
    )
    from mandoline_core.errors import DataError, MandolineError, OverlapError, ProjectError, SliceError
    from mandoline_core.estimators import ESTIMATORS
    from mandoline_core.findings import Check, Finding, Verdict
    from mandoline_core.labels import FewLabels, LabelPlan, plan_labels, published_correction, read_plan, use_labels
    from mandoline_core.metrics import METRICS
    from mandoline_core.paper import Reproduction, reproduce
    from mandoline_core.pipeline import (
        Ablation,
        AblationPoint,
        Attribution,
        Fit,
        SliceRow,
        SliceTable,
        ablation,
        attribute,
        prepare,
        slice_table,
    )
    from mandoline_core.project import (
        EstimatorSettings,
        MethodSettings,
        MetricSettings,
        Project,
        TrustSettings,
        dump_project,
        load_project,
        pack_project,
        parse_project,
        save_project,
    )
    from mandoline_core.report import Report, estimate, estimate_from_codes, write_weights
    from mandoline_core.slices import (
        All,
        Any,
        AuditAnswers,
        Category,
        Classifier,
        Confidence,
        Correction,
        Entropy,
        Expression,
        Flag,
        Keyword,
        Length,
        Missing,
        Noise,
        Not,
        Overlap,
        Prediction,
        Range,
        Regex,
        Slice,
        SliceAudit,
        Threshold,
        VoteSlices,
        slices_from_votes,
        slicing_function,
    )

# Public names by the module that has them. They are fetched at first use: `mandoline --help` needs none of them.
_PUBLIC = {
    "errors": "DataError MandolineError OverlapError ProjectError SliceError",
    "findings": "Check Finding Verdict",
    "data": "Model Predictions Sample predict_columns read_table",
    "slices": (
        "All Any AuditAnswers Category Classifier Confidence Correction Entropy Expression Flag Keyword Length Missing "
        "Noise Not Overlap Prediction Range Regex Slice SliceAudit Threshold VoteSlices slices_from_votes "
        "slicing_function"
    ),
    "project": (
        "EstimatorSettings MethodSettings MetricSettings Project dump_project load_project "
        "TrustSettings pack_project parse_project save_project"
    ),
    "metrics": "METRICS",
    "estimators": "ESTIMATORS",
    "pipeline": ("Ablation AblationPoint Attribution Fit SliceRow SliceTable ablation attribute prepare slice_table"),
    "labels": "FewLabels LabelPlan plan_labels published_correction read_plan use_labels",
    "checks": "ModelReport report_model",
    "discovery": "Description RowMap Spread Suggestion Suggestions describe_selection map_rows spread suggest",
    "comparison": "Comparison Difference Entry ModelComparison Ranking compare",
    "comparison.backtests": "Backtest backtest",
    "report": "Report estimate estimate_from_codes write_weights",
    "paper": "Reproduction reproduce",
}
_HOME = {name: module for module, names in _PUBLIC.items() for name in names.split()}
__all__ = sorted(_HOME)  # noqa: PLE0605 - a list of names, written once


def __getattr__(name: str) -> object:
    """Fetch a public name from the package that has it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return [*globals(), *__all__]
