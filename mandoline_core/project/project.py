"""The project: which data, which models, which slices, which settings; and the file that holds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import narwhals as nw
import pandas as pd

from mandoline_core.data import ENGINES, Model, Sample, Table, open_data, read_table
from mandoline_core.errors import DataError, ProjectError, did_you_mean
from mandoline_core.formatting import Sentence, listed
from mandoline_core.project.settings import (
    EstimatorSettings,
    MethodSettings,
    MetricSettings,
    TrustSettings,
    read_edge_choice,
)
from mandoline_core.slices import Slice

Edges = tuple[tuple[str, str], ...] | str


@dataclass(frozen=True, kw_only=True)
class Project:
    """Hold what a project file says.

    Parameters
    ----------
    name : str
        The project's name.
    source_path, target_path : Path
        The samples' files, relative to `base`; a pattern such as `weekly/*.parquet` stands for several. May be left out
        where a table is named.
    source_engine, target_engine : {"auto", "pandas", "polars", "duckdb", "spark"}, optional
        What goes over the rows; "auto" when left out.
    source_table, target_table : str, optional
        A table in a database file, or one that Spark knows.
    source_master, target_master : str, optional
        Where Spark runs, such as "spark://host:7077".
    target_labels : Path, optional
        A file with the target's labels, in the order of its rows; read only when the truth is to be revealed.
    label : str, optional
        The column of true classes.
    models : tuple of Model
        The models to evaluate.
    metric : MetricSettings
        What is estimated.
    slices : tuple of Slice
        The rules.
    edges : tuple of pairs of str, or str
        The pairs of slices whose interaction is modelled, or what chooses them: "auto" (score tests),
        "inverse-covariance" or "graphical-lasso".
    estimator : EstimatorSettings
        How the estimate is made.
    methods : MethodSettings
        What methods look at that do not work on slices.
    trust : TrustSettings
        What a person declares: columns whose change does not matter.
    note : str
        What a person wants to remember about it.
    base : Path
        The folder that paths are relative to.
    path : Path, optional
        The project file.

    Examples
    --------
    >>> model = Model("lr", "pred_lr")
    >>> project = Project(name="reviews", source_path="a.csv", target_path="b.csv", label="label", models=(model,))
    >>> project.metric.name, project.edges
    ('accuracy', ())
    """

    name: str
    source_path: Path
    target_path: Path
    source_engine: str | None = None
    source_table: str | None = None
    source_master: str | None = None
    target_engine: str | None = None
    target_table: str | None = None
    target_master: str | None = None
    target_labels: Path | None = None
    label: str | None = None
    models: tuple[Model, ...] = ()
    metric: MetricSettings = field(default_factory=MetricSettings)
    slices: tuple[Slice, ...] = ()
    edges: Edges = ()
    estimator: EstimatorSettings = field(default_factory=EstimatorSettings)
    methods: MethodSettings = field(default_factory=MethodSettings)
    trust: TrustSettings = field(default_factory=TrustSettings)
    note: str = ""
    base: Path = Path()
    path: Path | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Refuse what contradicts itself, whatever the data."""
        for side in ("source", "target"):
            if getattr(self, f"{side}_path") is None:  # a table is known by its name
                object.__setattr__(self, f"{side}_path", getattr(self, f"{side}_table"))
            engine = getattr(self, f"{side}_engine")
            if engine is not None and engine not in ENGINES:
                raise ProjectError(
                    f"engine in [{side}] must be one of {listed(ENGINES)}. Got {engine!r}."
                    f"{did_you_mean(str(engine), ENGINES)}"
                )
        for key in ("source_path", "target_path", "target_labels", "base", "path"):
            value = getattr(self, key)
            object.__setattr__(self, key, None if value is None else Path(value))
        for key in ("models", "slices"):
            object.__setattr__(self, key, tuple(getattr(self, key)))
        self._check_models()
        self._check_slices()
        self._check_edges()

    @property
    def placed_methods(self) -> MethodSettings:
        """The settings of the methods, with the folder of a transformer where it is, seen from anywhere."""
        folder = self.methods.transformer
        if folder is None:
            return self.methods
        return replace(self.methods, transformer=str(self.base.resolve() / folder))

    def read(self) -> tuple[Sample, Sample]:
        """Read the source and the target.

        Returns
        -------
        source, target : Sample
            The target has the label only if its file does.
        """
        # Files of the same name in two folders are told apart by where they are.
        same = self.source_path.name == self.target_path.name
        names = [path.as_posix() if same else path.name for path in (self.source_path, self.target_path)]
        return self.read_source(names[0]), self._as_target(self.open("target"), names[1])

    def read_source(self, name: str | None = None) -> Sample:
        """Read the source.

        Parameters
        ----------
        name : str, optional
            What messages call it; the file's name when left out.
        """
        source = Sample(self.open("source"), label=self.label, models=self.models, name=name or self.source_path.name)
        if self.metric.column is not None:
            source.series(self.metric.column)
        return source

    def read_target(self, path: Path, *, name: str, engine: str | None = None) -> Sample:
        """Read another target than the project's own, from a file.

        Parameters
        ----------
        name : str
            What messages call it.
        engine : str, optional
            What goes over its rows; chosen by its size when left out.
        """
        return self._as_target(open_data(path, engine=engine or "auto"), name)

    def _as_target(self, table: pd.DataFrame | Table, name: str) -> Sample:
        label = self.label if self.label in table.columns else None
        return Sample(table, label=label, models=self.models, name=name)

    def open(self, side: Literal["source", "target"]) -> pd.DataFrame | Table:
        """Open one of the samples: read it, or leave it to an engine."""
        path = self.base / getattr(self, f"{side}_path")
        table = getattr(self, f"{side}_table")
        engine, master = getattr(self, f"{side}_engine") or "auto", getattr(self, f"{side}_master")
        return open_data(path, engine=engine, table=table, master=master)

    def reveal(self, target: Sample, labels: Sample | None = None) -> Sample:
        """Put the target's labels beside its rows, from their own file if there is one; for scoring only.

        Parameters
        ----------
        labels : Sample, optional
            The file of labels, where it has been read already.
        """
        if target.table is not None and self.target_labels is not None:
            raise ProjectError(
                Sentence(
                    "Labels in a file of their own go by the order of rows, and the {target_rows} stay in a table. Put "
                    "the labels beside them, as a column."
                )
            )
        truth = self.read_target_labels(target.n_rows, labels)
        if truth is not None:
            frame = target.frame.with_columns(truth)
            return Sample(frame, label=self.label, models=target.models, name=target.name)
        if (self.label or self.metric.column) not in target.columns:
            raise ProjectError(
                Sentence("There are no {target} labels to reveal. Name their file as labels in [target].")
            )
        return target

    def read_target_labels(self, n_rows: int | None = None, labels: Sample | None = None) -> nw.Series[Any] | None:
        """Read the target's labels from their own file, if there is one.

        Parameters
        ----------
        n_rows : int, optional
            How many rows the target has, to check against.
        labels : Sample, optional
            The file, where it has been read already.
        """
        if self.target_labels is None:
            return None
        sample = labels or Sample(read_table(self.base / self.target_labels), name=self.target_labels.name)
        if n_rows is not None and sample.n_rows != n_rows:
            raise DataError(
                Sentence(
                    "{name} has {n} rows, and the {target} has {n_target}. It must hold one label for each row of the "
                    "{target}, in the same order.",
                    name=sample.name,
                    n=sample.n_rows,
                    n_target=n_rows,
                )
            )
        column = self.metric.column if self.label is None else self.label
        return sample.series(str(column))

    def _check_models(self) -> None:
        repeated = [name for name, count in Counter(model.name for model in self.models).items() if count > 1]
        if repeated:
            raise ProjectError(f"More than one model is called {repeated[0]!r}. Give each model its own name.")
        if self.metric.name == "mean":
            return
        if not self.models:
            raise ProjectError(
                f"There is no model, and metric {self.metric.name!r} scores one. Add [[models]] with a name and a "
                "prediction column, or use metric 'mean' with a column."
            )
        if self.label is None:
            raise ProjectError(
                Sentence(
                    "There is no label, and metric {metric!r} compares with it. "
                    "Add [task] with label, the {source}'s column of true classes.",
                    metric=self.metric.name,
                )
            )
        for model in self.models:
            if model.prediction is None:
                raise ProjectError(
                    f"Model {model.name!r} has no prediction, which metric {self.metric.name!r} needs. "
                    "Add prediction, the column of its predictions."
                )

    def _check_slices(self) -> None:
        for rule in self.slices:
            if not isinstance(rule, Slice):
                raise ProjectError(f"slices must hold slices, such as Keyword or Threshold. Got {rule!r}.")
        repeated = [name for name, count in Counter(rule.name for rule in self.slices).items() if count > 1]
        if repeated:
            raise ProjectError(f"Two slices are called {repeated[0]!r}. Give each slice its own name.")
        for rule in self.slices:
            for part in rule.made_of:
                if isinstance(part, str):
                    self._check_known(part, f"Slice {rule.name!r}")

    def _check_edges(self) -> None:
        """Refuse what are not pairs of different slices, and make them tuples."""
        edges: object = self.edges
        if isinstance(edges, str) or not isinstance(edges, Iterable):
            read_edge_choice(edges)
            return
        seen: dict[tuple[str, str], int] = {}
        for number, edge in enumerate(edges, start=1):
            pair = tuple(edge) if isinstance(edge, (list, tuple)) else ()
            if len(pair) != 2 or not all(isinstance(name, str) for name in pair):
                raise ProjectError(f"Edge number {number} must be a pair of slice names. Got {edge!r}.")
            if pair[0] == pair[1]:
                raise ProjectError(f"Edge number {number} joins {pair[0]!r} to itself. Name two different slices.")
            for name in pair:
                self._check_known(name, f"Edge number {number}")
            if before := seen.get(pair) or seen.get(pair[::-1]):
                both = f"Edges number {before} and {number} both join {pair[0]!r} and {pair[1]!r}."
                raise ProjectError(f"{both} Remove one of them.")
            seen[pair] = number
        object.__setattr__(self, "edges", tuple(seen))

    def _check_known(self, name: str, where: str) -> None:
        """Refuse a name that is no slice, unless it may be a member of a family."""
        names = [rule.name for rule in self.slices]
        families = [rule.name for rule in self.slices if rule.is_family]
        if name in families:
            raise ProjectError(
                f"{where} names {name!r}, which stands for several slices. Name one of them, such as '{name}_1'."
            )
        if name not in names and not any(name.startswith(f"{family}_") for family in families):
            raise ProjectError(
                f"{where} names slice {name!r}, which is not there. "
                f"Slices: {listed(names) or 'none'}.{did_you_mean(name, names)}"
            )
