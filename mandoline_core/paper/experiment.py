"""What an experiment is: its place in the paper, how it runs, and how its results are drawn."""

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
    """Hold how to run an experiment.

    Parameters
    ----------
    seeds : int
        How often the experiment is repeated with new random numbers.
    quick : bool
        Whether to give a rough result within seconds: fewer rows, fewer values of what varies.
    data : Path or None
        A folder with the published files to run on; None for generated data.
    progress : callable, optional
        Called with the current step and the share done, between 0 and 1; may raise to cancel.

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
        """Return one generator per seed; it depends only on the number of the seed and the key."""
        return (self.draw(seed, *key) for seed in range(self.seeds))

    def draw(self, seed: int, *key: int) -> np.random.Generator:
        """Return the generator of one seed, and of one part of the experiment if a key is given."""
        return np.random.default_rng((seed, *key))

    def say(self, what: str, share: float) -> None:
        """Report the current step and the share that is done."""
        if self.progress is not None:
            self.progress(what, share)


@dataclass(frozen=True)
class FigureSpec:
    """Hold how to draw rows.

    Parameters
    ----------
    title : str
        What the figure shows, as a sentence.
    x : str
        The field of a row that varied: along the axis with `lines`, down the side with `dots`.
    x_title, y_title : str
        With their units.
    series : str
        The field that distinguishes lines, or dots.
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
        Its name on the command line, and its title on the page.
    place : str
        Its place in the paper.
    shows : str
        One paragraph: what it shows.
    differs : str
        How it differs from the paper's, and why; says so when it is another data set.
    run : callable
        Takes a plan and yields rows; reports progress, and stops if progress raises.
    figures : tuple of FigureSpec
        How its rows are drawn.
    paper : tuple of Row
        The paper's numbers, each with `place`. A row with the same other fields as one of ours is shown next to it.
    seeds, quick_seeds : int
        Number of seeds of a full run, and of a quick one.
    formats : str
        The files that `--data` expects; "" if absent.
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
    """Make a row from the values of all seeds: their mean, and its standard error.

    Parameters
    ----------
    values : sequence of float
        One per seed.
    method : str
        Its name in the registry of methods, if it is there.
    **varied
        What varied; `measure` if several things are measured.

    Examples
    --------
    >>> over_seeds([1.0, 3.0], "mandoline", rows=100)
    {'rows': 100, 'method': 'mandoline', 'value': 2.0, 'error': 1.0}
    """
    numbers = np.asarray(values, dtype=float)
    return {**varied, METHOD: method, VALUE: float(numbers.mean()), ERROR: _standard_error(numbers)}


def relative_error(errors: Sequence[float], plain: Sequence[float], method: str, **varied: Any) -> Row:
    """Make a row with a method's mean absolute error relative to that of the labelled score, as in the paper.

    Parameters
    ----------
    errors, plain : sequence of float
        Estimate minus truth, of the method and of the labelled score, one per seed.

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
    """Make a row of a number that the paper prints, with its place there.

    >>> printed("mandoline", 0.01, "Figure 2", rows=100)
    {'rows': 100, 'method': 'mandoline', 'value': 0.01, 'error': None, 'place': 'Figure 2'}
    """
    return {**varied, METHOD: method, VALUE: value, ERROR: None, "place": place}


def write_project(folder: Path, source: pd.DataFrame, target: pd.DataFrame, **stated: Any) -> Path:
    """Write both samples and a project file to a folder, and return the path of the project file.

    Parameters
    ----------
    **stated
        The project without its paths. Labels of the new data, if any, are written to a separate file.
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
    save_project(Project(**paths, target_labels=labels, base=folder, **{"edges": (), **stated}), place)
    return place
