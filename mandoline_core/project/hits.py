"""The project's own record: how close its estimates on batches came to the scores that labels showed later."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mandoline_core.formatting import counted, show_difference

SEALED = 3  # the format of the file, since it has a checksum
_MOST_WITHIN = 0.9  # of the estimates: the share whose largest error is named


class Hits(NamedTuple):
    """Hold how often later labels confirmed the estimates.

    Parameters
    ----------
    n : int
        Estimates whose score was measured later, one a batch and model.
    inside : int
        Of these, how many true values were inside the interval, allowing for the labels' own margin of error.
    n_within, within : int, float
        The number of estimates, about 9 of 10, that were off by at most `within`.
    share : bool
        Whether values are shown as percentages.
    """

    n: int
    inside: int
    n_within: int
    within: float
    share: bool

    @property
    def message(self) -> str:
        """The record in one sentence."""
        values = "true value was" if self.n == 1 else "true values were"
        off = show_difference(self.within, share=self.share)
        return (
            f"{self.inside:,} of {self.n:,} {values} inside the interval; "
            f"{self.n_within:,} of {counted(self.n, 'estimate')} within {off}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        kept = {name: value for name, value in self._asdict().items() if name != "share"}
        return {**kept, "message": self.message}


def track_memory(project: Path) -> Path:
    """Return the file where `mandoline track` keeps its results, next to the project file.

    >>> track_memory(Path("demo/project.toml")).as_posix()
    'demo/project.track.json'
    """
    return project.with_name(f"{project.stem}.track.json")


def project_hits(memory: Path, metric: str, *, share: bool = True, level: str | None = None) -> Hits | None:
    """Return the project's record of hits; None while no label has arrived.

    Parameters
    ----------
    memory : Path
        Where tracking keeps its results: `track_memory(project.path)`, or the app's own file.
    metric : str
        The metric's name: estimates of another are left out.
    share : bool
        Whether the metric is a share.
    level : str, optional
        A verdict's level: only estimates that had it.

    Examples
    --------
    >>> project_hits(Path("no-such-file.json"), "accuracy") is None
    True
    """
    found = (one for one in read_record(memory) if one["metric"] == metric)
    return count_hits((one for one in found if level is None or one["verdict"] == level), share=share)


def count_hits(record: Iterable[Mapping[str, Any]], *, share: bool) -> Hits | None:
    """Count the hits of a record.

    Examples
    --------
    >>> one = {"estimate": 0.8, "interval": [0.77, 0.83], "realised": 0.81, "realised_interval": [0.78, 0.84]}
    >>> off = {"estimate": 0.8, "interval": [0.77, 0.83], "realised": 0.7, "realised_interval": [0.67, 0.73]}
    >>> count_hits([one] * 9 + [off], share=True).message
    '9 of 10 true values were inside the interval; 9 of 10 estimates within 1.0 points.'
    """
    entries = list(record)
    if not entries:
        return None
    errors = sorted(abs(one["estimate"] - one["realised"]) for one in entries)
    n_within = math.ceil(_MOST_WITHIN * len(errors) - 1e-9)
    return Hits(len(errors), sum(map(_is_inside, entries)), n_within, errors[n_within - 1], share)


def _is_inside(one: Mapping[str, Any]) -> bool:
    """Tell whether an estimate and a measured score agree, each with its own error: labels are a sample, too."""
    estimate, realised = one["estimate"], one["realised"]
    (low, high), (least, most) = one["interval"], one["realised_interval"]
    reach = (estimate - low, most - realised) if realised < estimate else (high - estimate, realised - least)
    return abs(estimate - realised) <= math.hypot(*reach)


def read_record(memory: Path | None) -> list[dict[str, Any]]:
    """Read the record from the file of a track, one entry a batch and model; a broken or edited file is empty."""
    try:
        return [_checked(one) for one in read_memory(memory).get("record", ())]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return []


def read_memory(memory: Path | None) -> dict[str, Any]:
    """Read the file of a track; one that is broken, or that something else changed, counts as empty."""
    if memory is None or not memory.is_file():
        return {}
    try:
        kept = json.loads(memory.read_text(encoding="utf-8"))
        # Earlier versions wrote no checksum.
        return kept if kept["format"] < SEALED or kept["checksum"] == _checksum(kept) else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}


def write_memory(memory: Path, kept: Mapping[str, Any]) -> None:
    """Write the file of a track, whole or not at all; one that cannot be read is kept under another name."""
    draft, sealed = memory.with_name(f"{memory.name}.part"), {"format": SEALED, **kept}
    sealed["checksum"] = _checksum(sealed)
    draft.write_text(json.dumps(sealed, indent=1, allow_nan=False), encoding="utf-8")
    if memory.is_file() and not read_memory(memory):
        memory.replace(memory.with_name(f"{memory.name}.unreadable"))
    draft.replace(memory)


def _checksum(kept: Mapping[str, Any]) -> str:
    stated = json.dumps({name: kept[name] for name in kept if name != "checksum"}, sort_keys=True)
    return hashlib.blake2b(stated.encode(), digest_size=12).hexdigest()


def _checked(one: Mapping[str, Any]) -> dict[str, Any]:
    ends: dict[str, list[float]] = {
        name: [float(end) for end in one[name]] for name in ("interval", "realised_interval")
    }
    if any(len(pair) != 2 or not all(map(math.isfinite, pair)) for pair in ends.values()):
        raise ValueError
    names = {name: str(one[name]) for name in ("target", "model", "metric")}
    numbers = {name: float(one[name]) for name in ("estimate", "realised")}
    if not all(map(math.isfinite, numbers.values())):
        raise ValueError
    counts = {name: int(one[name]) for name in ("n_labels", "n_target")}
    level = one["verdict"]
    return {**names, **numbers, **ends, **counts, "verdict": None if level is None else str(level)}
