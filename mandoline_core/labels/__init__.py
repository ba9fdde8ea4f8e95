"""Labels: labels of a few new rows go in, and what they say alone and with the estimate comes out.

It also says which rows to label next, which rows of a slice to audit, and what is known of a slice from elsewhere.
"""

from __future__ import annotations

from mandoline_core.labels.audits import (
    Agreement,
    AuditRow,
    AuditState,
    Stratum,
    agreement_with,
    audit_columns,
    audit_state,
    published_correction,
)
from mandoline_core.labels.few_labels import FewLabels, ValueInterval, use_labels
from mandoline_core.labels.plan import LabelPlan, plan_labels
from mandoline_core.labels.prediction_powered import LabelledRows, from_labels
from mandoline_core.labels.rows import SomeLabels, has_label, label_column, some_labels
from mandoline_core.labels.sheets import bring_labels, read_sheet, read_sheet_file
from mandoline_core.labels.slice_test import SliceTest, change_shown, power_words
