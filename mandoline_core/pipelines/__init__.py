"""Pipelines: a report and what a person demands of it go in; what is met comes out, in the formats that jobs read.

Nobody looks on: what is not met is said in one sentence each, and kept as JUnit XML, Markdown and plain data.
"""

from __future__ import annotations

from mandoline_core.pipelines.demands import AGAINST, LEVELS, Demands, Held, check_worst, hold_against, is_worse
from mandoline_core.pipelines.junit import junit_xml
from mandoline_core.pipelines.markdown import in_markdown, markdown_summary
from mandoline_core.pipelines.starting import Start, guessed_text, start_project
