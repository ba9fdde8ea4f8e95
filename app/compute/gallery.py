"""The paper's experiments: what full runs found, runs of one's own in the background, and their data as projects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st

from app.compute.background import Run, Task, runs
from app.compute.shelf import Shelf
from app.compute.sizes import A_FEW, n_bytes
from app.project import Workspace, opening
from mandoline_core import Project, load_project
from mandoline_core.paper import Reproduction, get_experiment, open_project, reproduce
from mandoline_core.project import data_files


@st.cache_resource(show_spinner=False)
def _kept() -> Shelf[Reproduction]:
    return Shelf(A_FEW, size=n_bytes)


def reproduced(name: str) -> Reproduction | None:
    """Return what the last run of an experiment on this server found, if there was one."""
    return _kept().get(name)


def experiment_run(workspace: Workspace) -> Run | None:
    """Find the run of an experiment that a visitor started."""
    return runs().get(("experiment", workspace.id))


def start_experiment(workspace: Workspace, name: str, *, quick: bool) -> Run:
    """Run an experiment in the background."""
    kept = _kept()

    def work(run: Run) -> None:
        kept.put(name, reproduce(name, quick=quick, progress=run.note))

    found = Run([Task(name, get_experiment(name).title, work)])
    runs().put(("experiment", workspace.id), found)
    return found


def experiment_project(name: str, folder: Path) -> tuple[Project, opening.Files]:
    """Make a project of an experiment's data in a folder; return it with its files, by role."""
    project = load_project(open_project(name, folder, quick=True))
    files = {role: (path.name, project.base / path) for role, path in data_files(project).items()}
    return replace(project, base=Path(), path=None), files
