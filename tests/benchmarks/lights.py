"""What each light is worth on real cases: how often intervals hold the truth, and how far estimates are off.

python -m tests.benchmarks.lights FOLDER [RECORDS]

FOLDER holds cases: folders with project files, whose labels of the new data are in `target_labels.csv` unless a project
names another file. RECORDS is written: a run each, as `tests.benchmarks.bands` reads them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import mandoline_core as md
from mandoline_core.formatting import table

LABELS = "target_labels.csv"
LEVELS = ("green", "amber", "red")

Record = Mapping[str, Any]


def main(folder: Path, records: Path | None = None) -> int:
    """Run every project of a folder, and print the table."""
    if not folder.is_dir():
        print(f"There is no folder {folder}: nothing to measure.")
        return 0
    found = []
    for one in runs(folder):
        print(f"{one['case']} {one['slices']} {one['model']}: {one['light']}", file=sys.stderr, flush=True)
        found.append(one)
    if records is not None:
        records.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(by_light(found))
    return 0


def runs(folder: Path) -> Iterator[dict[str, Any]]:
    """Estimate with every project file of every case; one record a model."""
    for path in sorted(folder.glob("*/*.toml")):
        project = md.load_project(path)
        labels = (path.parent / (project.target_labels or LABELS)).resolve()
        if not labels.is_file():
            continue
        project = replace(project, target_labels=labels)
        for name, model in md.estimate(project, reveal=True).models.items():
            verdict, sure = model.verdict, model.prediction_interval
            checks = verdict.checks if verdict else ()
            yield {
                "case": path.parent.name,
                "slices": path.stem,
                "model": name,
                "light": verdict.level if verdict else "red",
                "failed": [check.name for check in checks if check.state == "failed"],
                "doubtful": [check.name for check in checks if check.state == "doubtful"],
                "not_run": [check.name for check in checks if check.state == "not run"],
                "truth": model.truth,
                "source": model.source,
                "mandoline": model.estimate,
                "interval": list(model.interval),
                "prediction_interval": None if sure is None else list(sure),
            }


def by_light(records: Iterable[Record]) -> str:
    """Write a table: runs, share of runs and of cases, coverage of both intervals and errors in points, by light.

    Examples
    --------
    >>> one = {"case": "a", "light": "green", "mandoline": 0.8, "truth": 0.79, "interval": [0.7, 0.9]}
    >>> print(by_light([one | {"prediction_interval": [0.795, 0.805]}]))
    light  runs  cases  interval  these rows  mean error  median  beyond its interval
    green     1      1      100%          0%         1.0     1.0                  0.0
    all       1      1      100%          0%         1.0     1.0                  0.0
    """
    every = list(records)
    rows = [["light", "runs", "cases", "interval", "these rows", "mean error", "median", "beyond its interval"]]
    for level in (*LEVELS, "all"):
        own = [one for one in every if level in ("all", one["light"])]
        if not own:
            continue
        errors = 100 * np.abs([one["mandoline"] - one["truth"] for one in own])
        sure = [one for one in own if one["prediction_interval"] is not None]
        rows.append(
            [
                level,
                f"{len(own)}",
                f"{len({one['case'] for one in own})}",
                f"{np.mean([holds(one['interval'], one['truth']) for one in own]):.0%}",
                f"{np.mean([holds(one['prediction_interval'], one['truth']) for one in sure]):.0%}" if sure else "-",
                f"{errors.mean():.1f}",
                f"{np.median(errors):.1f}",
                f"{np.mean([beyond(one['interval'], one['truth']) for one in own]):.1f}",
            ]
        )
    return table(rows, "<" + ">" * (len(rows[0]) - 1))


def holds(interval: list[float], truth: float) -> bool:
    """Tell whether an interval holds the truth."""
    return interval[0] <= truth <= interval[1]


def beyond(interval: list[float], truth: float) -> float:
    """Say how many points the truth is beyond an interval."""
    return 100 * max(interval[0] - truth, truth - interval[1], 0.0)


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:3])))
