"""The tracker: the estimate on each batch of new data, cached by the contents of the files."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from mandoline_core.checks import ModelReport
from mandoline_core.data import Sample, take_step
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimators import Redraws, get_estimator
from mandoline_core.formatting import one_line
from mandoline_core.monitoring.alerts import AlertRule
from mandoline_core.monitoring.demands import LEVELS
from mandoline_core.monitoring.realised import LabelFile, share_labels, try_realised, update_record
from mandoline_core.monitoring.track import TargetEstimates, Track
from mandoline_core.pipeline import Estimate, Progress, request_of
from mandoline_core.project import SEALED, Project, dump_project, read_memory, read_record, write_memory
from mandoline_core.report import Report, estimate

_MOST_BATCHES = 10_000
_MOST_LOOKED_AT = 1_000_000  # files and folders: a pattern may match the whole disk
_CHUNK = 1 << 20


class TargetFile(NamedTuple):
    """Name a file of new data.

    Parameters
    ----------
    name : str
        Its name in messages and results.
    engine : str, optional
        The engine that reads it; chosen by its size if None.
    labels : tuple of pairs
        Files with labels of its rows, which arrived later, each with its name.
    """

    path: Path
    name: str
    engine: str | None = None
    labels: tuple[LabelFile, ...] = ()


class Tracker:
    """Estimate on one batch after another, with the same project and labelled data.

    Parameters
    ----------
    memory : Path, optional
        The cache file.
    source : Sample, optional
        The labelled data, if it has been read already.
    """

    def __init__(self, project: Project, *, memory: Path | None = None, source: Sample | None = None) -> None:
        self._project, self._memory, self._source = project, memory, source
        self._made_of = _made_of(project)
        self._done = _remember(memory, self._made_of)
        self.record = read_record(memory)  # outlives changes of the project

    def estimate(self, target: TargetFile, progress: Progress | None = None) -> TargetEstimates:
        """Estimate on a batch, or take its estimates from the cache; errors are part of the result."""
        digest, kept, wrong = "", True, None
        try:
            digest = _file_digest(target.path, target.name)
            labels = "".join(_file_digest(path, name) for name, path in target.labels)
            done = self._done.get(digest)
            if done is not None and done["labels"] == labels:
                return TargetEstimates(target.name, digest, done["models"], kept=True)
            kept, sample = done is not None, self._read(target)
            points = _points(self._report(sample, progress)) if done is None else done["models"]
            shown, wrong = try_realised(self._project, self._labelled, sample, target.labels)
        except MandolineError as error:
            return TargetEstimates(target.name, digest, error=str(error))
        models = {name: {**point, "realised": shown.get(name)} for name, point in points.items()}
        # Labels that could not be used are tried again.
        self._keep(target, digest, {"labels": labels if wrong is None else "unusable", "models": models})
        return TargetEstimates(target.name, digest, models, label_error=wrong, kept=kept)

    @property
    def _labelled(self) -> Sample:
        if self._source is None:
            self._source = self._project.read_source()
        return self._source

    def _read(self, target: TargetFile) -> Sample:
        return self._project.read_target(target.path, name=Path(target.name).name, engine=target.engine)

    def _report(self, target: Sample, progress: Progress | None) -> Report:
        # Slices are the same for every batch: what others would give is not part of how batches differ.
        request = request_of(self._project, self._labelled, target)
        plain = replace(request, settings=replace(request.settings, spread=False))
        return estimate(plain, reveal=True, progress=progress)

    def _keep(self, target: TargetFile, digest: str, done: Mapping[str, Any]) -> None:
        """Keep a batch's results after each, so that a cancelled run keeps them."""
        self._done[digest] = done
        self.record = update_record(self.record, target.name, self._project.metric.name, done["models"])
        if self._memory is not None:
            _write(self._memory, {"project": self._made_of, "done": self._done, "record": self.record})


def track_targets(
    project: Project,
    targets: Sequence[Path],
    *,
    labels: Sequence[Path] = (),
    memory: Path | None = None,
    alert: AlertRule | None = None,
    progress: Progress | None = None,
) -> Track:
    """Estimate on each batch; results for the same project, labelled data and file come from the cache.

    Parameters
    ----------
    targets : sequence of Path
        Files, oldest first.
    labels : sequence of Path
        Files with labels that arrived later: one with the name of its batch, in its row order or by key, or one for
        several batches, by key.
    memory : Path, optional
        The cache file.
    """
    tracker, n = Tracker(project, memory=memory), len(targets)
    tell = progress or (lambda _what, _share: None)
    # What a batch is called does not depend on where the folder is.
    folder = os.path.commonpath([path.absolute().parent for path in targets]) if targets else ""
    names = [path.absolute().relative_to(folder).as_posix() for path in targets]
    later = share_labels([(path.name, path) for path in labels], names)
    estimates = []
    for number, (path, name) in enumerate(zip(targets, names, strict=True)):
        # Progress on one batch is a part of the whole.
        part = partial(lambda what, done, _, share: tell(what, (done + share) / n), one_line(name), number)
        estimates.append(tracker.estimate(TargetFile(path, name, labels=later[name]), part))
    return Track(project, tuple(estimates), alert, tuple(tracker.record))


def find_targets(pattern: str) -> list[Path]:
    """List the files that match a pattern, in the order of the numbers in their names."""
    found = (Path(name) for name in glob.iglob(pattern, recursive=True))  # noqa: PTH207 - takes any path
    files = list(islice((path for path in islice(found, _MOST_LOOKED_AT) if path.is_file()), _MOST_BATCHES + 1))
    if len(files) > _MOST_BATCHES:
        raise DataError(f"{pattern!r} matches more than {_MOST_BATCHES:,} files. Name their folder.")
    files.sort(key=lambda path: natural_order(path.as_posix()))
    if not files:
        raise DataError(f"No file matches {pattern!r}. Put the pattern in quotes, such as 'weekly/*.parquet'.")
    return files


def natural_order(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that orders numbers in a name as numbers.

    >>> sorted(["week-10", "week-9"], key=natural_order)
    ['week-9', 'week-10']
    """
    # Numbers come before words; digits by the thousand, which Python refuses, are a word.
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return [(0, int(part), "") if part.isdecimal() and len(part) < 100 else (1, 0, part) for part in parts]


def _points(report: Report) -> dict[str, dict[str, Any]]:
    return {name: point_of(model) for name, model in report.models.items()}


def point_of(model: Estimate) -> dict[str, Any]:
    """Return what is kept of an estimate on a batch."""
    verdict = model.verdict if isinstance(model, ModelReport) else None
    table = model.problem.patterns
    shares = zip(table.names, table.rates("source")[:, 2], table.rates("target")[:, 2], strict=True)
    return {
        **model.told,
        "source": model.source,
        "converged": model.converged,
        "verdict": None if verdict is None else verdict.level,
        "doubts": "" if verdict is None else verdict.doubts,
        "n_target": model.n_target,
        "errors": _split_error(model) if model.converged else None,
        "slices": {name: [float(before), float(after)] for name, before, after in shares},
        "realised": None,
    }


def _split_error(model: Estimate) -> dict[str, float] | None:
    """Split the standard error by sample; None for a method whose redraws mix both.

    The change from the source score has less error from the source than the estimate has: both move with its rows.
    """
    members, influence = model.problem.members, model.outcome.influence
    if isinstance(influence, Redraws):
        return None
    source, target, *_ = members.together(influence.pieces(members))
    (plain, *_) = members.together(get_estimator("source").estimate(model.problem).influence.pieces(members))
    own = float(target @ target)
    rest = max(influence.standard_error() ** 2 - own, 0.0)
    # What belongs to no row, such as corrections that few rows were audited for, counts with the source.
    change = max(rest - float(source @ source), 0.0) + float((source - plain) @ (source - plain))
    return {"source_in_estimate": rest**0.5, "source_in_change": change**0.5, "target": own**0.5}


def _made_of(project: Project) -> str:
    """Hash what an estimate depends on, except the new data: project, labelled data, and version."""
    stated = dump_project(replace(project, target_path=Path("target"), target_labels=None, target_key=None, note=""))
    # Another version may compute other numbers.
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
        raise DataError(f"Cannot read {name}: {error.strerror}.") from None
    return digest.hexdigest()


def _remember(memory: Path | None, made_of: str) -> dict[str, Any]:
    """Read the cache of the same project; any other file counts as empty."""
    try:
        kept = read_memory(memory)
        done = kept["done"] if kept and kept["format"] == SEALED and kept["project"] == made_of else {}
        return {
            str(key): {
                "labels": str(one["labels"]),
                "models": {str(name): _checked(point) for name, point in one["models"].items()},
            }
            for key, one in done.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return {}


def _checked(point: Mapping[str, Any]) -> dict[str, Any]:
    """Check a point from the cache."""
    converged = bool(point["converged"])
    errors, shown = point["errors"], point["realised"]
    return {
        "estimate": float(point["estimate"]) if converged else None,
        "interval": _ends(point["interval"]) if converged else None,
        "source": float(point["source"]),
        "converged": converged,
        "verdict": point["verdict"] if point["verdict"] in LEVELS else None,
        "doubts": str(point["doubts"]),
        "n_target": int(point["n_target"]),
        "errors": None if errors is None else {str(name): float(error) for name, error in errors.items()},
        "slices": {str(name): _ends(shares) for name, shares in point["slices"].items()},
        "realised": None
        if shown is None
        else {
            "value": float(shown["value"]),
            "interval": _ends(shown["interval"]),
            "n_labels": int(shown["n_labels"]),
        },
    }


def _ends(pair: Sequence[Any]) -> list[float]:
    low, high = map(float, pair)
    return [low, high]


def _write(memory: Path, kept: Mapping[str, Any]) -> None:
    try:
        write_memory(memory, kept)
    except OSError as error:
        raise MandolineError(f"Cannot write {memory}: {error.strerror}. Choose another path with --memory.") from None
