"""An experiment's data as a project that a person can open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mandoline_core.project import Project, save_project

PROJECT, SOURCE, TARGET, LABELS = "project.toml", "source.csv", "target.csv", "target_labels.csv"


def write_project(folder: Path, project: Project, source: pd.DataFrame, target: pd.DataFrame) -> Path:
    """Write both samples and the project file into a folder, and return the path of the file.

    Parameters
    ----------
    project : Project
        Its paths are set here. Where it has a label, the target's are written to a file of their own.
    """
    source.to_csv(folder / SOURCE, index=False)
    labels = None
    if project.label is not None and project.label in target.columns:
        target[[project.label]].to_csv(folder / LABELS, index=False)
        target, labels = target.drop(columns=project.label), Path(LABELS)
    target.to_csv(folder / TARGET, index=False)
    placed = replace(project, source_path=Path(SOURCE), target_path=Path(TARGET), target_labels=labels, base=folder)
    save_project(placed, folder / PROJECT)
    return folder / PROJECT
