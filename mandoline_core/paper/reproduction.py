"""Reproductions: runs of the paper's experiments, and the stored results of full runs."""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from mandoline_core.domain_classifier import one_thread
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.paper.experiment import ERROR, METHOD, VALUE, Experiment, Plan, Row
from mandoline_core.paper.registry import get_experiment
from mandoline_core.pipeline import Progress
from mandoline_core.results import Tabular

_PACKAGES = ("mandoline-estimator", "numpy", "scipy", "scikit-learn", "pandas")


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(Tabular):
    """Hold the results of an experiment. Prints as text in a terminal.

    Parameters
    ----------
    rows : tuple of Row
        Ours.
    paper : tuple of Row
        The paper's.
    made : dict
        Date, versions, number of seeds, whether quick, and the data used.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    paper: tuple[Row, ...]
    made: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data: what `mandoline reproduce NAME --json` prints."""
        return {
            "name": self.name,
            "title": self.title,
            "rows": [dict(row) for row in self.rows],
            "paper": [dict(row) for row in self.paper],
            "made": dict(self.made),
        }

    def records(self) -> list[dict[str, Any]]:
        """List our rows."""
        return [dict(row) for row in self.rows]

    def to_json(self) -> str:
        """Write everything as JSON."""
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        from mandoline_core.paper.output import render

        return render(self)


def reproduce(
    name: str,
    *,
    seeds: int | None = None,
    quick: bool = False,
    data: str | Path | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Run one of the paper's experiments.

    Parameters
    ----------
    name : str
        Name of the experiment; `mandoline reproduce` lists them.
    seeds : int, optional
        How often the experiment is repeated with new random numbers; its own number when left out.
    quick : bool
        Whether a rough result within seconds is enough.
    data : path, optional
        A folder with the published files, for experiments that can read them.
    progress : callable, optional
        Called with the current step and the share done; may raise to cancel.

    Examples
    --------
    >>> found = reproduce("support-shift", seeds=1, quick=True)
    >>> found.rows[0]["method"], found.made["seeds"]
    ('source', 1)
    """
    experiment = get_experiment(name)
    plan = make_plan(experiment, seeds=seeds, quick=quick, data=data, progress=progress)
    plan.say(experiment.title, 0.0)
    with one_thread():  # so that numbers and ratios do not depend on how many cores there are
        rows = tuple(_checked(experiment, row) for row in experiment.run(plan))
    plan.say(experiment.title, 1.0)
    return Reproduction(experiment.name, experiment.title, rows, experiment.paper, _made(plan))


def open_project(name: str, folder: Path, *, quick: bool = False, data: str | Path | None = None) -> Path:
    """Write one seed of an experiment as a project with its data, and return the path of the project file."""
    experiment = get_experiment(name)
    if experiment.project is None:
        raise MandolineError(f"The experiment {name!r} has no data for a project.")
    folder.mkdir(parents=True, exist_ok=True)
    return experiment.project(make_plan(experiment, seeds=1, quick=quick, data=data), folder)


def make_plan(
    experiment: Experiment,
    *,
    seeds: int | None = None,
    quick: bool = False,
    data: str | Path | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Check the arguments and make a plan."""
    given: object = seeds
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < 1):
        raise MandolineError(f"seeds must be a whole number, 1 or more. Got {seeds!r}.")
    if seeds is None:
        seeds = experiment.quick_seeds if quick else experiment.seeds
    folder = None if data is None else Path(data)
    if folder is not None and not experiment.formats:
        raise DataError(f"The experiment {experiment.name!r} generates its data and reads no files.")
    if folder is not None and not folder.is_dir():
        raise DataError(f"{folder} is not a folder. data must be the folder that holds the published files.")
    return Plan(seeds, quick, folder, progress)


def _checked(experiment: Experiment, row: Row) -> Row:
    """Check the fields of a row, so that no experiment can break a table or a figure."""
    missing = [name for name in (METHOD, VALUE, ERROR) if name not in row]
    if missing:
        raise TypeError(f"A row of {experiment.name} has no {missing[0]!r}: {row!r}")
    return dict(row)


def _made(plan: Plan) -> dict[str, Any]:
    return {
        "when": datetime.now(UTC).date().isoformat(),
        "seeds": plan.seeds,
        "quick": plan.quick,
        "data": "the published files" if plan.data is not None else "our own data",
        "versions": {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}},
    }


def stored(name: str) -> Reproduction | None:
    """Read the results of the last full run of an experiment; None if absent.

    The rows are those of that run; the title and the paper's numbers are current.

    Examples
    --------
    >>> stored("noisy-slices").made["quick"]
    False
    """
    experiment = get_experiment(name)
    place = files("mandoline_core.paper").joinpath("results", f"{name}.json")
    if not place.is_file():
        return None
    found = json.loads(place.read_text(encoding="utf-8"))
    return Reproduction(name, experiment.title, tuple(found["rows"]), experiment.paper, found["made"])
