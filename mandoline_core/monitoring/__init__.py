"""Monitoring: files, projects and rules go in; what unattended jobs need comes out.

A first project file, whether every model meets the rules, and the estimate on each batch of new data, with the
score that labels show later.
"""

from __future__ import annotations

from mandoline_core.monitoring.alerts import BASES, AlertRule, find_alerts
from mandoline_core.monitoring.build_servers import in_markdown, junit_xml, markdown_summary
from mandoline_core.monitoring.demands import (
    AGAINST,
    LEVELS,
    DemandResult,
    Demands,
    check_demands,
    check_worst,
    drop_hint,
    is_worse,
)
from mandoline_core.monitoring.draft import ProjectDraft, draft_project, draft_summary
from mandoline_core.monitoring.realised import LabelFile, share_labels, short_name
from mandoline_core.monitoring.track import TargetEstimates, Track, realised_words
from mandoline_core.monitoring.tracker import TargetFile, Tracker, find_targets, natural_order, point_of, track_targets
