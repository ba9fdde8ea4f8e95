"""Monitoring: files, projects and what a person demands of them go in; what jobs that nobody looks at need comes out.

A project to start with, whether every model meets the demands, the estimate on one target after the other.
"""

from __future__ import annotations

from mandoline_core.monitoring.alerts import BASES, AlertRule
from mandoline_core.monitoring.build_servers import in_markdown, junit_xml, markdown_summary
from mandoline_core.monitoring.demands import (
    AGAINST,
    LEVELS,
    DemandResult,
    Demands,
    check_demands,
    check_worst,
    is_worse,
)
from mandoline_core.monitoring.draft import ProjectDraft, draft_project, draft_summary
from mandoline_core.monitoring.track import TargetEstimates, Track, short_name
from mandoline_core.monitoring.tracker import TargetFile, Tracker, find_targets, natural_order, track_targets
