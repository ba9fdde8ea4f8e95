"""Estimate how well a model does on data without labels, by reweighting labelled data slice by slice."""

from mandoline_core.ablation import Ablation, AblationPoint, ablation
from mandoline_core.assemble import Prepared, prepare
from mandoline_core.data import Model, Sample, read_table
from mandoline_core.errors import DataError, MandolineError, OverlapError, ProjectError, SliceError
from mandoline_core.estimators import ESTIMATORS
from mandoline_core.findings import Finding
from mandoline_core.metrics import METRICS
from mandoline_core.model_report import ModelReport, report_model
from mandoline_core.noise import Correction, Noise
from mandoline_core.project import Project, dump_project, load_project, parse_project, save_project
from mandoline_core.report import Report, estimate, estimate_from_codes
from mandoline_core.settings import EstimatorSettings, MetricSettings
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

__all__ = [
    "ESTIMATORS",
    "METRICS",
    "Ablation",
    "AblationPoint",
    "All",
    "Any",
    "Category",
    "Confidence",
    "Correction",
    "DataError",
    "Entropy",
    "EstimatorSettings",
    "Expression",
    "Finding",
    "Flag",
    "Keyword",
    "Length",
    "MandolineError",
    "MetricSettings",
    "Missing",
    "Model",
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
    "Regex",
    "Report",
    "Sample",
    "Slice",
    "SliceError",
    "SliceRow",
    "Threshold",
    "ablation",
    "dump_project",
    "estimate",
    "estimate_from_codes",
    "load_project",
    "parse_project",
    "prepare",
    "read_table",
    "report_model",
    "save_project",
    "slice_table",
    "slicing_function",
]
