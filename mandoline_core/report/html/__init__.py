"""A report, or figures, as one HTML file that holds everything. Every name in it is escaped."""

from __future__ import annotations

from mandoline_core.report.html.figures import PageFigure
from mandoline_core.report.html.page import figure_page, render_page
