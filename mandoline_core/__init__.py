"""Estimate how well a model does on data without labels, by reweighting labelled data slice by slice."""

from mandoline_core.ablation import Ablation, AblationPoint, ablation
from mandoline_core.assemble import Prepared, prepare
from mandoline_core.attribution import Attribution, attribute
from mandoline_core.backtest import backtest
from mandoline_core.backtesting.results import Backtest
from mandoline_core.comparing import compare
from mandoline_core.comparison import Comparison, Difference, Entry, ModelComparison, Ranking
from mandoline_core.data import Model, Sample, read_table
from mandoline_core.errors import DataError, MandolineError, OverlapError, ProjectError, SliceError
from mandoline_core.estimators import ESTIMATORS
from mandoline_core.findings import Finding
from mandoline_core.labelling.few_labels import FewLabels, use_labels
from mandoline_core.labelling.plan import LabelPlan, plan_labels, read_plan
from mandoline_core.metrics import METRICS
from mandoline_core.model_report import ModelReport
from mandoline_core.noise import Correction, Noise
from mandoline_core.project import Project, dump_project, load_project, parse_project, save_project
from mandoline_core.report import Report, estimate, estimate_from_codes
from mandoline_core.settings import EstimatorSettings, MethodSettings, MetricSettings
from mandoline_core.slice_table import SliceRow, slice_table
from mandoline_core.slices import (
    All,
    Any,
    Category,
    Confidence,
    Entropy,
    Expression,
    Flag,
    Keyword,
    Length,
    Missing,
    Not,
    Overlap,
    Prediction,
    Range,
    Regex,
    Slice,
    Threshold,
    slicing_function,
)
from mandoline_core.trust import report_model
from mandoline_core.verdict import Check, Verdict

__all__ = [
    "ESTIMATORS",
    "METRICS",
    "Ablation",
    "AblationPoint",
    "All",
    "Any",
    "Attribution",
    "Backtest",
    "Category",
    "Check",
    "Comparison",
    "Confidence",
    "Correction",
    "DataError",
    "Difference",
    "Entropy",
    "Entry",
    "EstimatorSettings",
    "Expression",
    "FewLabels",
    "Finding",
    "Flag",
    "Keyword",
    "LabelPlan",
    "Length",
    "MandolineError",
    "MethodSettings",
    "MetricSettings",
    "Missing",
    "Model",
    "ModelComparison",
    "ModelReport",
    "Noise",
    "Not",
    "Overlap",
    "OverlapError",
    "Prediction",
    "Prepared",
    "Project",
    "ProjectError",
    "Range",
    "Ranking",
    "Regex",
    "Report",
    "Sample",
    "Slice",
    "SliceError",
    "SliceRow",
    "Threshold",
    "Verdict",
    "ablation",
    "attribute",
    "backtest",
    "compare",
    "dump_project",
    "estimate",
    "estimate_from_codes",
    "load_project",
    "parse_project",
    "plan_labels",
    "prepare",
    "read_plan",
    "read_table",
    "report_model",
    "save_project",
    "slice_table",
    "slicing_function",
    "use_labels",
]
