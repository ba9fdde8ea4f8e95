"""Labels: labels of a few new rows go in, and what they say alone and beside the estimate comes out.

It also says which rows to label next, which rows of a slice to ask a person about, and what is known of a slice from
elsewhere.
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
from mandoline_core.labels.few_labels import FewLabels, check_slices, use_labels
from mandoline_core.labels.plan import LabelPlan, plan_labels, read_plan
from mandoline_core.labels.rows import has_label, label_column
