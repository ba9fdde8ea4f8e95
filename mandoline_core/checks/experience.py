"""Experience: how far estimates with the same verdict were off where the truth became known."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from mandoline_core.checks.check import LABELS
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.checks.second_opinion import SecondOpinionOn
from mandoline_core.estimators import Mandoline
from mandoline_core.labels import change_shown
from mandoline_core.project import Hits, project_hits

ENOUGH_HITS = 5  # estimates of the project itself that labels confirmed or not: from here on they are quoted first
METRICS = ("accuracy", "error")  # what the bands were measured on
_GRADES = (2, 5, 10)  # points by which methods disagree
SHARES = {"half": 0.5, "eight_of_ten": 0.8, "nine_of_ten": 0.9}


@dataclass(frozen=True)
class Band:
    """Hold how far estimates with one verdict were off, in points.

    Parameters
    ----------
    level : str
        Of the verdict.
    shift : {"natural", "mix"}
        Whether two samples were found as they are, or rows were sampled again, so that nothing changed but the mix.
    runs, cases : int
        A run is a case, a list of slices and a model.
    half, eight_of_ten, nine_of_ten : float
        Points within which this share of the runs was, cases weighed equally.
    """

    level: str
    shift: str
    runs: int
    cases: int
    half: float
    eight_of_ten: float
    nine_of_ten: float


@dataclass(frozen=True)
class Experience:
    """Hold what is known of estimates with the same verdict.

    Parameters
    ----------
    bands : tuple of Band
        Of the verdict, natural shifts first.
    measured : date
        When the bands were measured.
    base : str
        What they were measured on.
    hits : Hits or None
        The project's own record with this verdict, where it is long enough.
    disagreement : float or None
        If red: how far the estimate is from what another method says, in points.
    """

    bands: tuple[Band, ...]
    measured: date
    base: str
    hits: Hits | None = None
    disagreement: float | None = None

    @property
    def message(self) -> str:
        """What is known, in one line: the project's own record first."""
        own = "" if self.hits is None else f"In this project, with this verdict: {self.hits.message}"
        return " ".join(filter(None, (own, _tell(self.bands), _grade(self.disagreement))))

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "bands": [asdict(band) for band in self.bands],
            "measured": self.measured.isoformat(),
            "base": self.base,
            "hits": None if self.hits is None else self.hits.as_dict(),
            "disagreement": self.disagreement,
            "message": self.message,
        }


@cache
def load_bands() -> tuple[tuple[Band, ...], date, str]:
    """Read the bands that come with the package, when they were measured, and on what."""
    content = tomllib.loads(files(__package__).joinpath("experience.toml").read_text(encoding="utf-8"))
    return tuple(Band(**band) for band in content["bands"]), content["measured"], content["base"]


def experience_of(
    report: ModelReport, memory: Path | None = None, opinion: SecondOpinionOn | None = None
) -> Experience | None:
    """Say how far estimates with the report's verdict were off; None where nothing of the kind was measured.

    Parameters
    ----------
    memory : Path, optional
        Where tracking keeps the project's own record.
    opinion : SecondOpinionOn, optional
        What other methods estimate: told if the verdict is red.
    """
    verdict, metric = report.verdict, report.problem.metric
    if verdict is None or metric.name not in METRICS or report.estimator != Mandoline.name:
        return None
    if not report.converged or report.rests_on_labels:
        return None
    bands, measured, base = load_bands()
    own = tuple(band for band in bands if band.level == verdict.level)
    if not own:
        return None
    hits = None if memory is None else project_hits(memory, metric.name, share=metric.share, level=verdict.level)
    others = opinion.methods.values() if opinion is not None and report.is_red else ()
    gaps = [100 * abs(report.estimate - other) for other in others]
    return Experience(
        own, measured, base, hits if hits and hits.n >= ENOUGH_HITS else None, max(gaps) if gaps else None
    )


def blind_spot(report: ModelReport) -> str:
    """Say what no check can see, and what can; nothing where labels of new rows were asked."""
    verdict = report.verdict
    if verdict is None or any(check.name == "labels" for check in verdict.checks):
        return ""
    shows, metric = "a large change", report.problem.metric
    if metric.name in METRICS and report.converged:
        drawn = max(report.estimate * (1 - report.estimate), 0.0)
        worth = LABELS * report.problem.alike_rows[1] / report.problem.patterns.n_target  # less with design weights
        variances = drawn / worth, 1 / worth, report.outcome.influence.standard_error() ** 2
        least = 100 * max(change_shown(report.problem, report.outcome, LABELS, variances)[1], 1 / worth)
        shows = f"a change of {least:.0f} points or more"
    return (
        "No check can see whether the relation between columns and labels changed. "
        f"{LABELS} labels of new rows drawn at random would show {shows}."
    )


def known_of(report: ModelReport, experience: Experience | None) -> dict[str, Any]:
    """Return as plain data what is known of the verdict, and what no check can see."""
    return {"blind_spot": blind_spot(report), "experience": experience and experience.as_dict()}


def measure_bands(records: Iterable[Mapping[str, Any]], mix: Collection[str] = ()) -> tuple[Band, ...]:
    """Measure the bands from records of runs, cases weighed equally.

    Parameters
    ----------
    records : iterable of mapping
        A run each, with `case`, `light` (the verdict's level), `mandoline` (the estimate) and `truth`, both as shares.
    mix : collection of str
        The cases that were made by sampling rows again, so that nothing changed but the mix.

    Examples
    --------
    >>> runs = [{"case": "a", "light": "green", "mandoline": 0.80, "truth": 0.79}] * 9
    >>> runs += [{"case": "b", "light": "green", "mandoline": 0.80, "truth": 0.75}]
    >>> (band,) = measure_bands(runs)
    >>> band.runs, band.cases, band.half, band.eight_of_ten
    (10, 2, 1.0, 5.0)
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in records:
        groups.setdefault(("mix" if one["case"] in mix else "natural", one["light"]), []).append(one)
    bands = []
    for (shift, level), runs in sorted(groups.items(), reverse=True):
        times = Counter(one["case"] for one in runs)
        errors = sorted((100 * abs(one["mandoline"] - one["truth"]), 1 / times[one["case"]]) for one in runs)
        within = {name: round(_quantile(errors, share), 1) for name, share in SHARES.items()}
        bands.append(Band(level, shift, len(runs), len(times), **within))
    return tuple(bands)


def _quantile(weighed: list[tuple[float, float]], share: float) -> float:
    """Return the least value up to which there is a share of the weight."""
    left = share * math.fsum(weight for _, weight in weighed) * (1 - 1e-12)
    for value, weight in weighed:
        left -= weight
        if left <= 1e-12:
            return value
    return weighed[-1][0]


def _tell(bands: Iterable[Band]) -> str:
    """Write the bands as sentences."""
    where = {"natural": "In natural shifts with this verdict", "mix": "Where only the mix of rows changed"}
    return " ".join(
        f"{where[band.shift]}, 9 of 10 estimates were within {band.nine_of_ten:g} points, half within {band.half:g} "
        f"({band.runs} runs on {band.cases} cases)."
        for band in bands
    )


def _grade(disagreement: float | None) -> str:
    """Say in words how far methods disagree.

    >>> [_grade(points) for points in (1.0, 12.0)]
    ['Methods disagree by up to 2 points.', 'Methods disagree by more than 10 points.']
    """
    if disagreement is None:
        return ""
    limit = next((limit for limit in _GRADES if disagreement <= limit), None)
    how = f"more than {_GRADES[-1]}" if limit is None else f"up to {limit}"
    return f"Methods disagree by {how} points."
