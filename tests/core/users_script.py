"""A user's script: every public function, as the guide calls them. Type checkers read it; it never runs."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import mandoline_core as md


@md.slicing_function
def exclaims(frame: pd.DataFrame) -> pd.Series[bool]:
    """Choose texts with an exclamation mark."""
    return frame["text"].str.contains("!")


@md.slicing_function(name="in capitals", noise=md.Noise(md.Correction(0.9, 0.8)))
def shouts(frame: pd.DataFrame) -> pd.Series[bool]:
    """Choose texts in capitals."""
    return frame["text"].str.isupper()


def cost(label: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    """Score each row."""
    return np.where(label == prediction, 0, 5)


def use_everything() -> None:
    """Call every public function."""
    labelled, new = md.read_table("labelled.csv"), md.read_table(Path("new.csv"))
    source, target = md.Sample(labelled, label="label", prediction="guess"), md.Sample(new)
    slices: list[md.Slice | str] = [
        md.Keyword("negation", column="text", words=("not",)),
        "n_words >= 100",
        exclaims,
        shouts,
    ]

    report: md.Report = md.estimate(source, target, slices, metric="f1", edges=[("negation", "exclaims")])
    value: float = report.estimate
    interval: tuple[float, float] | None = report.interval
    level: str = report.verdict.level if report.verdict is not None else "none"
    version: str = md.__version__
    table: pd.DataFrame = report.slices().to_frame()
    report.by("channel").to_frame()
    report.ablation().to_dict()
    report.attribution("model").to_frame()
    entry: md.Entry = report.compare(estimators=["source"]).models["model"].entries["source"]
    report.backtest(draws=5).to_frame()
    suggestion: md.Suggestion = report.suggest(most=3).suggestions[0]
    report.spread().to_frame()
    report.sensitivity().to_frame()
    sheet: str = report.plan(60).to_csv()
    report.use_labels("plan.csv").to_frame()
    report.plot("weights")
    report.to_html()
    own = md.estimate(source, target, slices, metric=md.Metric.of(cost, bounds=(0, 5), better="lower"))

    model = LogisticRegression()
    md.estimate_model(model, labelled, "label", new, slices)
    predictions: md.Predictions = md.predict_columns(model, labelled)
    md.estimate_from_codes([[1], [-1]], [0, 1], [[1], [1]])
    md.slices_from_votes([[1, -1], [0, 1]], names=["negated", "short"], abstain=-1)

    ablation: md.Ablation = md.ablation(source, target, slices)
    attribution: md.Attribution = md.attribute(source, target, slices)
    rows: md.SliceTable = md.slice_table(source, target, slices)
    plan: md.LabelPlan = md.plan_labels(source, target, slices, 50)
    chances = md.read_plan(md.Sample(md.read_table("plan.csv")), n_target=1_000)
    few: md.FewLabels = md.use_labels(source, target, slices, labels=["yes", "no"], plan=chances)
    md.write_weights(report, "weights.parquet")
    found: md.Suggestions = md.suggest(source, target, slices, most=3)
    md.spread(source, target, slices, suggestions=found)["model"].to_frame()
    around: md.RowMap = md.map_rows(source, target, most_rows=500)
    around.to_frame()
    md.describe_selection(target, [0, 1, 2])
    comparison: md.Comparison = md.compare(source, target, slices, estimators=["source", "mandoline"])
    tried: md.Backtest = md.backtest(source, target, slices, draws=5)

    project: md.Project = md.load_project("project.toml")
    md.save_project(md.parse_project(tomllib.loads(md.dump_project(project)), base="."), "again.toml")
    md.pack_project(project)
    fit: md.Fit = md.prepare(
        source, target, [md.Threshold("short", column="n_words", below=30)], model=source.models[0]
    )
    md.report_model(fit, md.EstimatorSettings())
    md.published_correction(0.8, 0.9, 0.1)
    md.reproduce("theorem", quick=True)
