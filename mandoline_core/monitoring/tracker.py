"""The tracker: the estimate on one target after the other, with what was done before kept by what the files hold."""

from __future__ import annotations

import glob
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from mandoline_core.data import Sample, take_step
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.formatting import one_line
from mandoline_core.monitoring.alerts import AlertRule
from mandoline_core.monitoring.track import TargetEstimates, Track
from mandoline_core.pipeline import Progress
from mandoline_core.project import Project, dump_project
from mandoline_core.report import Report, estimate

_FORMAT = 1  # of the file that keeps what was done
_CHUNK = 1 << 20


class TargetFile(NamedTuple):
    """Name a file to estimate on.

    Parameters
    ----------
    name : str
        What it is called; messages, too, call it so.
    engine : str, optional
        What goes over its rows; chosen by its size when left out.
    """

    path: Path
    name: str
    engine: str | None = None


class Tracker:
    """Estimate on one target after the other, with one project on one source.

    Parameters
    ----------
    memory : Path, optional
        The file that keeps what was done.
    source : Sample, optional
        The source, where it has been read already.
    """

    def __init__(self, project: Project, *, memory: Path | None = None, source: Sample | None = None) -> None:
        self._project, self._memory, self._source = project, memory, source
        self._made_of = _made_of(project)
        self._done = _remember(memory, self._made_of)

    def estimate(self, target: TargetFile, progress: Progress | None = None) -> TargetEstimates:
        """Take what is done of a target, or estimate on it and keep that; the answer says if it cannot be used."""
        digest = ""
        try:
            digest = _file_digest(target.path, target.name)
            if digest in self._done:
                return TargetEstimates(target.name, digest, self._done[digest], kept=True)
            points = _points(self._report(target, progress))
        except MandolineError as error:
            return TargetEstimates(target.name, digest, error=error.sentence)
        self._done[digest] = points
        if self._memory is not None:  # after each: who stops it keeps what was done
            _keep(self._memory, self._made_of, self._done)
        return TargetEstimates(target.name, digest, points)

    def _report(self, target: TargetFile, progress: Progress | None) -> Report:
        project = self._project
        if self._source is None:
            self._source = project.read_source()
        return estimate(
            self._source,
            project.read_target(target.path, name=Path(target.name).name, engine=target.engine),
            project.slices,
            estimator=project.estimator,
            progress=progress,
            edges=project.edges,
            metric=project.metric,
            methods=project.placed_methods,
            harmless=project.trust.harmless,
        )


def track_targets(
    project: Project,
    targets: Sequence[Path],
    *,
    memory: Path | None = None,
    alert: AlertRule | None = None,
    progress: Progress | None = None,
) -> Track:
    """Estimate on each target; those done before, with the same project and source, are not done again.

    Parameters
    ----------
    targets : sequence of Path
        Files, in the order of time.
    memory : Path, optional
        The file that keeps what was done.
    """
    tracker, n = Tracker(project, memory=memory), len(targets)
    tell = progress or (lambda _what, _share: None)
    estimates = []
    for number, path in enumerate(targets):
        # Progress on one target is progress on all, under the target's name.
        part = partial(lambda name, done, _, share: tell(name, (done + share) / n), one_line(path.name), number)
        estimates.append(tracker.estimate(TargetFile(path, path.as_posix()), part))
    return Track(project, tuple(estimates), alert)


def find_targets(pattern: str) -> list[Path]:
    """List the files that match a pattern, numbers in their names in the order of numbers."""
    found = [Path(name) for name in glob.glob(pattern, recursive=True)]  # noqa: PTH207 - takes any path
    files = sorted((path for path in found if path.is_file()), key=lambda path: natural_order(path.as_posix()))
    if not files:
        raise DataError(f"No file matches {pattern!r}. Put the pattern in quotes, such as 'weekly/*.parquet'.")
    return files


def natural_order(name: str) -> list[tuple[int, int, str]]:
    """Turn a name into what it is sorted by: numbers in it count as numbers.

    >>> sorted(["week-10", "week-9"], key=natural_order)
    ['week-9', 'week-10']
    """
    # Numbers come before words, and what no number could be (Python refuses thousands of digits) is a word.
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(0, int(part), "") if part.isdecimal() and len(part) < 100 else (1, 0, part) for part in parts]


def _points(report: Report) -> dict[str, dict[str, Any]]:
    return {
        name: {
            **model.told,
            "source": model.source,
            "converged": model.converged,
            "verdict": None if model.verdict is None else model.verdict.level,
            "n_target": model.n_target,
        }
        for name, model in report.models.items()
    }


def _made_of(project: Project) -> str:
    """Hash all that an estimate depends on but the target: the project, its source, and the program's version."""
    stated = dump_project(replace(project, target_path=Path("target"), target_labels=None, note=""))
    # Another version may compute other numbers, so nothing of it is taken over.
    digest = hashlib.blake2b(f"{version('mandoline-estimator')}\n{stated}".encode(), digest_size=16)
    place = project.base / project.source_path
    sources = [place] if place.is_file() else [Path(name) for name in sorted(glob.glob(str(place), recursive=True))]  # noqa: PTH207
    for path in sources:
        digest.update(_file_digest(path, path.name).encode())
    return digest.hexdigest()


def _file_digest(path: Path, name: str) -> str:
    digest = hashlib.blake2b(digest_size=16)
    try:
        with path.open("rb") as file:
            while part := file.read(_CHUNK):
                take_step()
                digest.update(part)
    except OSError as error:
        raise DataError(f"{name} could not be read: {error.strerror}.") from None
    return digest.hexdigest()


def _remember(memory: Path | None, made_of: str) -> dict[str, Any]:
    """Read what was done with the same project; a file that says anything else is as none."""
    if memory is None or not memory.is_file():
        return {}
    try:
        kept = json.loads(memory.read_text(encoding="utf-8"))
        done = kept["done"] if kept["format"] == _FORMAT and kept["project"] == made_of else {}
        return {str(key): {str(name): _checked(point) for name, point in one.items()} for key, one in done.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _checked(point: Mapping[str, Any]) -> dict[str, Any]:
    """Take a point from a file, refusing what none is."""
    converged = bool(point["converged"])
    low, high = map(float, point["interval"]) if converged else (None, None)
    return {
        "estimate": float(point["estimate"]) if converged else None,
        "interval": [low, high] if converged else None,
        "source": float(point["source"]),
        "converged": converged,
        "verdict": point["verdict"] if point["verdict"] in ("green", "amber", "red") else None,
        "n_target": int(point["n_target"]),
    }


def _keep(memory: Path, made_of: str, done: Mapping[str, Any]) -> None:
    draft = memory.with_name(f"{memory.name}.part")
    kept = json.dumps({"format": _FORMAT, "project": made_of, "done": dict(done)}, indent=1, allow_nan=False)
    try:
        draft.write_text(kept, encoding="utf-8")
        draft.replace(memory)  # at once: a file half written would lose all that was done
    except OSError as error:
        raise MandolineError(
            f"{memory} could not be written: {error.strerror}. Choose another with --memory."
        ) from None
