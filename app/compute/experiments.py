"""The paper's experiments: what full runs found, runs of one's own in the background, and their data as projects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.compute.jobs import Job, JobKind, Task
from app.project import imports
from mandoline_core import Project, load_project
from mandoline_core.paper import EXPERIMENTS, Reproduction, get_experiment, open_project, reproduce
from mandoline_core.project import data_files

_REPRODUCTIONS = JobKind[Reproduction]("experiment")


def reproduction(name: str) -> Reproduction | None:
    """Return what the last run of an experiment on this server found, if there was one."""
    return _REPRODUCTIONS.result(name)


def experiment_job(visit: str) -> Job | None:
    """Find the job of an experiment that was started in a visit, whichever it is."""
    return _REPRODUCTIONS.find(visit, EXPERIMENTS)


def start_experiment(visit: str, name: str, *, quick: bool) -> Job:
    """Run an experiment in the background."""

    def work(job: Job) -> Reproduction:
        return reproduce(name, quick=quick, progress=job.note)

    return _REPRODUCTIONS.start(visit, [Task(name, get_experiment(name).title, work)])


def experiment_project(name: str, folder: Path) -> tuple[Project, imports.Files]:
    """Make a project of an experiment's data in a folder; return it with its files, by role."""
    project = load_project(open_project(name, folder, quick=True))
    files = {role: (path.name, project.base / path) for role, path in data_files(project).items()}
    return replace(project, base=Path(), path=None), files
