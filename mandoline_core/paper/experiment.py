"""What an experiment is: where it stands in the paper, how it runs, and how what it finds is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from mandoline_core.arrays import Floats
from mandoline_core.pipeline import Progress
from mandoline_core.project import Project, save_project

# A flat mapping: what varied, the `method`, our `value`, and `error`, its standard error over seeds (None for one
# seed). Where an experiment measures several things, `measure` says which one `value` is.
Row = Mapping[str, Any]
VALUE, ERROR, METHOD, MEASURE = "value", "error", "method", "measure"


@dataclass(frozen=True)
class Plan:
    """Hold how an experiment is to be run.

    Parameters
    ----------
    seeds : int
        How many times everything random is drawn anew.
    quick : bool
        Whether a rough answer within seconds is wanted: fewer rows, fewer values of what varies.
    data : Path or None
        A folder with the published files to run on; None for data of our own.
    progress : callable, optional
        Called with what is being done and the share done, between 0 and 1; may raise to stop.

    Examples
    --------
    >>> first, second = Plan(seeds=2).generators()
    >>> Plan(seeds=1).draw(0).normal() == first.normal()
    True
    """

    seeds: int
    quick: bool = False
    data: Path | None = None
    progress: Progress | None = None

    def generators(self, *key: int) -> Iterator[np.random.Generator]:
        """Give one generator a seed; what a seed draws depends on its number and the key alone."""
        return (self.draw(seed, *key) for seed in range(self.seeds))

    def draw(self, seed: int, *key: int) -> np.random.Generator:
        """Give the generator of one seed, and of a part of the experiment if a key says which."""
        return np.random.default_rng((seed, *key))

    def say(self, what: str, share: float) -> None:
        """Say what is being done, and how much of it is done."""
        if self.progress is not None:
            self.progress(what, share)


@dataclass(frozen=True)
class FigureSpec:
    """Hold how rows are drawn.

    Parameters
    ----------
    title : str
        What the figure shows, as a sentence.
    x : str
        The field of a row that varied: along the axis with `lines`, down the side with `dots`.
    x_title, y_title : str
        With their units.
    series : str
        The field that tells lines, or dots, apart.
    where : mapping
        Only rows with these values are drawn, such as {"measure": "relative error"}.
    leave_out : tuple of str
        Series that are not drawn.
    kind : {"lines", "dots"}
        Lines with bands over a number; dots with error bars for names, one below the other.
    log_x, log_y : bool
        Whether an axis is logarithmic.
    """

    title: str
    x: str
    x_title: str
    y_title: str
    series: str = METHOD
    where: Mapping[str, Any] = field(default_factory=dict)
    leave_out: tuple[str, ...] = ()
    kind: Literal["lines", "dots"] = "lines"
    log_x: bool = False
    log_y: bool = False

    def rows(self, rows: Iterable[Row]) -> list[Row]:
        """Choose the rows that are drawn."""
        chosen = [row for row in rows if all(row.get(name) == value for name, value in self.where.items())]
        return [row for row in chosen if row.get(self.series) not in self.leave_out]


@dataclass(frozen=True)
class Experiment:
    """Hold one of the paper's experiments.

    Parameters
    ----------
    name, title : str
        What it is called on the command line, and on the page.
    place : str
        Where it stands in the paper.
    shows : str
        One paragraph: what it shows.
    differs : str
        Where ours differs from the paper's, and why; says plainly when it is another data set.
    run : callable
        Takes a plan and yields rows; says how far it is, and stops when progress raises.
    figures : tuple of FigureSpec
        How its rows are drawn.
    paper : tuple of Row
        The paper's numbers, each with `place`. A row whose other fields are those of one of ours stands beside it.
    seeds, quick_seeds : int
        Of a full run, and of a quick one.
    formats : str
        Which files `--data` expects, file by file; "" where there is nothing to read.
    project : callable, optional
        Takes a plan and a folder, writes a project with its data there, and returns the path of the project file.
    """

    name: str
    title: str
    place: str
    shows: str
    differs: str
    run: Callable[[Plan], Iterable[Row]]
    figures: tuple[FigureSpec, ...]
    paper: tuple[Row, ...] = ()
    seeds: int = 10
    quick_seeds: int = 2
    formats: str = ""
    project: Callable[[Plan, Path], Path] | None = None


def over_seeds(values: Sequence[float], method: str, **varied: Any) -> Row:
    """Make a row of what every seed found: the mean, and its standard error.

    Parameters
    ----------
    values : sequence of float
        One a seed.
    method : str
        A name in the registry of methods where it is one of them.
    **varied
        What varied; `measure` where several things are measured.

    Examples
    --------
    >>> over_seeds([1.0, 3.0], "mandoline", rows=100)
    {'rows': 100, 'method': 'mandoline', 'value': 2.0, 'error': 1.0}
    """
    numbers = np.asarray(values, dtype=float)
    return {**varied, METHOD: method, VALUE: float(numbers.mean()), ERROR: _standard_error(numbers)}


def relative_error(errors: Sequence[float], plain: Sequence[float], method: str, **varied: Any) -> Row:
    """Make a row of a method's mean absolute error over that of the source score, as the paper measures it.

    Parameters
    ----------
    errors, plain : sequence of float
        Estimate minus truth, of the method and of the source score, one a seed. Its standard error is that of a ratio
        of two means.

    Examples
    --------
    >>> relative_error([0.1, -0.1], [0.2, 0.2], "mandoline", rows=100)["value"]
    0.5
    """
    off, of_source = np.abs(errors), np.abs(plain)
    ratio = float(off.mean() / of_source.mean())
    rest = (off - ratio * of_source) / of_source.mean()  # the delta method, for a ratio of two means
    return {**varied, METHOD: method, VALUE: ratio, ERROR: _standard_error(rest)}


def _standard_error(values: Floats) -> float | None:
    """Compute the standard error of a mean; one value has none."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None


def printed(method: str, value: float | str, place: str, **varied: Any) -> Row:
    """Make a row of a number that the paper prints, and say where it stands there.

    >>> printed("mandoline", 0.01, "Figure 2", rows=100)
    {'rows': 100, 'method': 'mandoline', 'value': 0.01, 'error': None, 'place': 'Figure 2'}
    """
    return {**varied, METHOD: method, VALUE: value, ERROR: None, "place": place}


def write_project(folder: Path, source: pd.DataFrame, target: pd.DataFrame, **stated: Any) -> Path:
    """Write both samples and a project file that a person can open into a folder, and return the path of the file.

    Parameters
    ----------
    **stated
        What the project says besides paths. Where it has a label, the target's are written to a file of their own.
    """
    source.to_csv(folder / "source.csv", index=False)
    labels, label = None, stated.get("label")
    if label in target.columns:
        labels = Path("target_labels.csv")
        target[[label]].to_csv(folder / labels, index=False)
        target = target.drop(columns=label)
    target.to_csv(folder / "target.csv", index=False)
    paths: dict[str, Any] = {"source_path": Path("source.csv"), "target_path": Path("target.csv")}
    place = folder / "project.toml"
    save_project(Project(**paths, target_labels=labels, base=folder, **stated), place)
    return place
