"""The project: a file, or settings one by one, go in; a checked, frozen project comes out, and goes back to a file.

It knows data, models, slices and settings by name, and reads no rows until asked.
"""

from __future__ import annotations

from mandoline_core.project.file import dump_project, load_project, parse_project, save_project
from mandoline_core.project.project import Project
from mandoline_core.project.settings import EstimatorSettings, MethodSettings, MetricSettings
