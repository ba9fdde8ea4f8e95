"""Reports: a project or samples go in, a report of all models comes out, as text, plain data or HTML.

The app, the command line and the library all call `report` here.
"""

from __future__ import annotations

from mandoline_core.report.api import complete, estimate, estimate_from_codes, report, report_of, with_truth
from mandoline_core.report.earlier import EarlierReport, read_report
from mandoline_core.report.fitted import estimate_model
from mandoline_core.report.functions import ablation, attribute, plan_labels, slice_table, use_labels
from mandoline_core.report.gathering import HiddenChange, ReportParts, gather_parts, hidden_change
from mandoline_core.report.groups import Groups
from mandoline_core.report.report import Report, notes_of
from mandoline_core.report.spreads import find_spreads, with_spreads
from mandoline_core.report.weights import weights_csv, write_weights
