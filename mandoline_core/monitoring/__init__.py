"""Pipelines: files, projects and what a person demands of them go in; what jobs that nobody looks at need comes out.

A project to start with, whether every model meets the demands, the estimate on one target after the other.
"""

from __future__ import annotations

from mandoline_core.monitoring.alerting import BASES, AlertRule
from mandoline_core.monitoring.demands import AGAINST, LEVELS, Demands, Held, check_worst, hold_against, is_worse
from mandoline_core.monitoring.junit import junit_xml
from mandoline_core.monitoring.markdown import in_markdown, markdown_summary
from mandoline_core.monitoring.starting import Start, draft_project, guessed_text
from mandoline_core.monitoring.track import TargetEstimates, Track, short_name
from mandoline_core.monitoring.tracking import TargetFile, Tracker, find_targets, natural_order, track_targets
