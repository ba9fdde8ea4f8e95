"""The project: which data, which models, which slices, which settings; and the file that holds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pandas as pd

from mandoline_core.data import (
    ENGINES,
    ColumnType,
    FrozenMapping,
    Match,
    Model,
    Sample,
    Table,
    check_types,
    complete_models,
    match_labels,
    open_data,
    read_table,
    with_labels,
)
from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.formatting import counted, listed
from mandoline_core.project.settings import (
    TESTS,
    DecisionSettings,
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
    """Hold a project: data, models, metric, slices and settings.

    Parameters
    ----------
    name : str
        The project's name.
    source_path, target_path : Path
        The data file, relative to the project file. A pattern such as `weekly/*.parquet` reads several files as one.
        Not needed where a table is named.
    source_engine, target_engine : {"auto", "pandas", "polars", "duckdb", "spark"}, optional
        The engine that reads the rows. By default "auto".
    source_table, target_table : str, optional
        The table of a database file, or of Spark.
    source_master, target_master : str, optional
        The address of Spark, such as "spark://host:7077".
    source_group, target_group : str, optional
        The column of what rows belong together by, such as a user. Intervals and splits go by it.
    source_weight, target_weight : str, optional
        The column of design weights: how much each row counts, such as 1 over its sampling probability. Only
        their ratios matter.
    source_types, target_types : mapping of str to {"number", "date"}
        What columns of text hold, where they are to be read as something else, such as numbers with a decimal comma.
    target_labels : Path, optional
        A file with labels of the new data: a plan's sheet, with a column that names rows, or in the same row order.
        Labels of some rows are combined with the estimate. Labels of all rows are the truth, shown when revealed.
    target_key : str, optional
        The column that names rows in the new data and in the file of labels. Rows that are not in it have no label.
    label : str, optional
        The column of true classes.
    models : tuple of Model
        The models to evaluate.
    metric : MetricSettings
        The metric to estimate.
    slices : tuple of Slice
        The slices.
    edges : tuple of pairs of str, or str
        Pairs of slices that move together. Or how to choose them: "auto" (score tests, the default),
        "inverse-covariance" or "graphical-lasso".
    estimator : EstimatorSettings
        The estimation method and its settings.
    methods : MethodSettings
        Settings of methods that do not use slices.
    trust : TrustSettings
        What you declare about the data: irrelevant columns.
    decision : DecisionSettings
        What the estimate is for: the threshold, the intended use, who signs.
    note : str
        Your note about the project.
    base : Path
        The folder that paths are relative to.
    path : Path, optional
        The project file.

    Examples
    --------
    >>> model = Model("lr", "pred_lr")
    >>> project = Project(name="reviews", source_path="a.csv", target_path="b.csv", label="label", models=(model,))
    >>> project.metric.name, project.edges
    ('accuracy', 'auto')
    """

    name: str
    source_path: Path
    target_path: Path
    source_engine: str | None = None
    source_table: str | None = None
    source_master: str | None = None
    source_group: str | None = None
    source_weight: str | None = None
    source_types: Mapping[str, ColumnType] = field(default_factory=FrozenMapping)
    target_engine: str | None = None
    target_table: str | None = None
    target_master: str | None = None
    target_group: str | None = None
    target_weight: str | None = None
    target_types: Mapping[str, ColumnType] = field(default_factory=FrozenMapping)
    target_labels: Path | None = None
    target_key: str | None = None
    label: str | None = None
    models: tuple[Model, ...] = ()
    metric: MetricSettings = field(default_factory=MetricSettings)
    slices: tuple[Slice, ...] = ()
    edges: Edges = TESTS
    estimator: EstimatorSettings = field(default_factory=EstimatorSettings)
    methods: MethodSettings = field(default_factory=MethodSettings)
    trust: TrustSettings = field(default_factory=TrustSettings)
    decision: DecisionSettings = field(default_factory=DecisionSettings)
    note: str = ""
    base: Path = Path()
    path: Path | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Refuse what contradicts itself, whatever the data."""
        for side in ("source", "target"):
            if getattr(self, f"{side}_path") is None:  # a table is known by its name
                object.__setattr__(self, f"{side}_path", getattr(self, f"{side}_table"))
            types = check_types(getattr(self, f"{side}_types") or {}, f"types in [{side}]")
            object.__setattr__(self, f"{side}_types", FrozenMapping(types))
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

    def __repr__(self) -> str:
        return f"Project({self.name!r}: {counted(len(self.models), 'model')}, {counted(len(self.slices), 'slice')})"

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
            The target has the label only if its file does. Both have the columns that follow from probabilities.
        """
        # Files of the same name in two folders are told apart by where they are.
        same = self.source_path.name == self.target_path.name
        names = [path.as_posix() if same else path.name for path in (self.source_path, self.target_path)]
        return complete_models(self.read_source(names[0]), self._as_target(self.open("target"), names[1]))

    def read_source(self, name: str | None = None) -> Sample:
        """Read the source.

        Parameters
        ----------
        name : str, optional
            Its name in messages. By default, the file's name.
        """
        source = Sample(
            self.open("source"),
            label=self.label,
            models=self.models,
            name=name or self.source_path.name,
            group=self.source_group,
            weight=self.source_weight,
            types=self.source_types,
        )
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
            The engine that reads its rows. By default, chosen by size.
        """
        return self._as_target(open_data(path, engine=engine or "auto"), name)

    def _as_target(self, table: pd.DataFrame | Table, name: str) -> Sample:
        label = self.label if self.label in table.columns else None
        return Sample(
            table,
            label=label,
            models=self.models,
            name=name,
            group=self.target_group,
            weight=self.target_weight,
            types=self.target_types,
        )

    def open(self, side: Literal["source", "target"]) -> pd.DataFrame | Table:
        """Open one of the samples: read it, or leave it to an engine."""
        path = self.base / getattr(self, f"{side}_path")
        table = getattr(self, f"{side}_table")
        engine, master = getattr(self, f"{side}_engine") or "auto", getattr(self, f"{side}_master")
        return open_data(path, engine=engine, table=table, master=master)

    def reveal(self, target: Sample, labels: Sample | None = None) -> Sample:
        """Add the target's labels to its rows, from their own file if there is one. For scoring only.

        Parameters
        ----------
        labels : Sample, optional
            The file of labels, if already read.
        """
        if target.table is not None and self.target_labels is not None:
            raise ProjectError(
                "Labels in a separate file cannot be matched with data beyond memory. Add the labels to the new data "
                "as a column, or set engine to 'pandas'."
            )
        if self.target_labels is not None:
            return with_labels(target, self._label_column, self.read_labels(target, labels).labels)
        label = self.label or self.metric.column
        if label not in target.columns:
            raise ProjectError(
                f"The new data has no labels. Add a column {label!r} to it, or set labels in [target] to the file that "
                "has them."
            )
        return target

    def read_labels(self, target: Sample, labels: Sample | None = None) -> Match:
        """Join the file of labels with the target's rows: by a plan's rows, by key, or in order.

        Parameters
        ----------
        labels : Sample, optional
            The file, if already read.
        """
        path = Path(str(self.target_labels))
        table = labels or Sample(read_table(self.base / path), name=path.name)
        return match_labels(table, target, self._label_column, key=self.target_key, strict=True)

    @property
    def _label_column(self) -> str:
        return str(self.metric.column if self.label is None else self.label)

    def _check_models(self) -> None:
        repeated = [name for name, count in Counter(model.name for model in self.models).items() if count > 1]
        if repeated:
            raise ProjectError(f"Two models are called {repeated[0]!r}. Give each model its own name.")
        if self.metric.name == "mean":
            return
        if not self.models:
            raise ProjectError(
                f"Metric {self.metric.name!r} needs a model. Add [[models]] with a name and "
                "a prediction column, or use metric 'mean' with a column."
            )
        if self.label is None:
            raise ProjectError(
                f"Metric {self.metric.name!r} needs a label. Add [task] with label, the "
                "labelled data's column of true classes."
            )
        for model in self.models:
            if not model.columns:
                raise ProjectError(
                    f"Metric {self.metric.name!r} needs predictions, and model {model.name!r} has none. Set its "
                    "prediction to a column."
                )

    def _check_slices(self) -> None:
        for rule in self.slices:
            if not isinstance(rule, Slice):
                raise ProjectError(f"slices must be a list of slices, such as Keyword or Threshold. Got {rule!r}.")
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
                raise ProjectError(f"Edge {number} must be a pair of slice names. Got {edge!r}.")
            if pair[0] == pair[1]:
                raise ProjectError(f"Edge {number} joins {pair[0]!r} to itself. Name two different slices.")
            for name in pair:
                self._check_known(name, f"Edge {number}")
            if before := seen.get(pair) or seen.get(pair[::-1]):
                both = f"Edges {before} and {number} both join {pair[0]!r} and {pair[1]!r}."
                raise ProjectError(f"{both} Remove one of them.")
            seen[pair] = number
        object.__setattr__(self, "edges", tuple(seen))

    def _check_known(self, name: str, where: str) -> None:
        """Refuse a name that is no slice, unless it may be a member of a family."""
        names = [rule.name for rule in self.slices]
        families = [rule.name for rule in self.slices if rule.is_family]
        if name in families:
            raise ProjectError(
                f"{where} names {name!r}, which is a family of slices. Name one of them, such as '{name}_1'."
            )
        if name not in names and not any(name.startswith(f"{family}_") for family in families):
            raise ProjectError(
                f"{where} names slice {name!r}, which does not exist. Slices: "
                f"{listed(names) or 'none'}.{did_you_mean(name, names)}"
            )
