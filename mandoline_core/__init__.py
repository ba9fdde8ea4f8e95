"""Estimate how well a model works on new data without labels, by weighting labelled data slice by slice."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as type checkers read it: to import typing takes as long as to start Python
if TYPE_CHECKING:
    __version__: str
    from mandoline_core.checks import ModelReport, report_model
    from mandoline_core.comparison import Comparison, Difference, Entry, ModelComparison, Ranking, compare
    from mandoline_core.comparison.backtests import Backtest, backtest
    from mandoline_core.data import Model, Predictions, Sample, predict_columns, read_plan, read_table
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
    from mandoline_core.labels import FewLabels, LabelPlan, published_correction
    from mandoline_core.metrics import METRICS, Metric
    from mandoline_core.paper import Reproduction, reproduce
    from mandoline_core.pipeline import (
        Ablation,
        AblationPoint,
        Attribution,
        Fit,
        SliceRow,
        SliceTable,
        prepare,
    )
    from mandoline_core.project import (
        DecisionSettings,
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
    from mandoline_core.report import (
        Report,
        ablation,
        attribute,
        estimate,
        estimate_from_codes,
        estimate_model,
        plan_labels,
        slice_table,
        use_labels,
        write_weights,
    )
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

# Public names by package, in the order of the reference. They are fetched at first use: `mandoline --help` needs none.
PUBLIC = {
    "report": (
        "Report estimate estimate_model estimate_from_codes slice_table ablation attribute plan_labels use_labels "
        "write_weights"
    ),
    "data": "Model Predictions Sample predict_columns read_plan read_table",
    "slices": (
        "All Any AuditAnswers Category Classifier Confidence Correction Entropy Expression Flag Keyword Length Missing "
        "Noise Not Overlap Prediction Range Regex Slice SliceAudit Threshold VoteSlices slices_from_votes "
        "slicing_function"
    ),
    "project": (
        "DecisionSettings EstimatorSettings MethodSettings MetricSettings Project dump_project load_project "
        "TrustSettings pack_project parse_project save_project"
    ),
    "metrics": "METRICS Metric",
    "estimators": "ESTIMATORS",
    "pipeline": "Ablation AblationPoint Attribution Fit SliceRow SliceTable prepare",
    "checks": "ModelReport report_model",
    "labels": "FewLabels LabelPlan published_correction",
    "discovery": "Description RowMap Spread Suggestion Suggestions describe_selection map_rows spread suggest",
    "comparison": "Comparison Difference Entry ModelComparison Ranking compare",
    "comparison.backtests": "Backtest backtest",
    "paper": "Reproduction reproduce",
    "findings": "Check Finding Verdict",
    "errors": "DataError MandolineError OverlapError ProjectError SliceError",
}
_HOME = {name: module for module, names in PUBLIC.items() for name in names.split()}
# Type checkers read this list as it is written: what is not in it is private to them.
# fmt: off
__all__ = [
    "ESTIMATORS", "METRICS", "Ablation", "AblationPoint", "All", "Any", "Attribution", "AuditAnswers", "Backtest",
    "Category", "Check", "Classifier", "Comparison", "Confidence", "Correction", "DataError", "DecisionSettings",
    "Description", "Difference", "Entropy", "Entry", "EstimatorSettings", "Expression", "FewLabels", "Finding", "Fit",
    "Flag", "Keyword", "LabelPlan", "Length", "MandolineError", "MethodSettings", "Metric", "MetricSettings", "Missing",
    "Model", "ModelComparison", "ModelReport", "Noise", "Not", "Overlap", "OverlapError", "Prediction", "Predictions",
    "Project", "ProjectError", "Range", "Ranking", "Regex", "Report", "Reproduction", "RowMap", "Sample", "Slice",
    "SliceAudit", "SliceError", "SliceRow", "SliceTable", "Spread", "Suggestion", "Suggestions", "Threshold",
    "TrustSettings", "Verdict", "VoteSlices", "ablation", "attribute", "backtest", "compare", "describe_selection",
    "dump_project", "estimate", "estimate_from_codes", "estimate_model", "load_project", "map_rows", "pack_project",
    "parse_project", "plan_labels", "predict_columns", "prepare", "published_correction", "read_plan", "read_table",
    "report_model", "reproduce", "save_project", "slice_table", "slices_from_votes", "slicing_function", "spread",
    "suggest", "use_labels", "write_weights",
]
# fmt: on


def __getattr__(name: str) -> object:
    """Fetch a public name from the package that has it."""
    if name == "__version__":
        from importlib.metadata import version

        return version("mandoline-estimator")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return [*__all__, "__version__"]
