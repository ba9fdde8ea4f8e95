"""What follows from probabilities: the same numbers as with every column written out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.cli.main import main
from mandoline_core.data import complete_models
from mandoline_core.estimators import ESTIMATORS

RULES = [
    md.Threshold("old", column="age", above=40),
    md.Confidence("unsure", below=0.7),
    md.Prediction("predicted", value="yes"),
]
METRICS = ["accuracy", "auroc", "log_loss", "brier", "f1", "mcc"]
NAMES = {"yes": "p_yes", "no": "p_no"}


def rows(n: int, shift: float, seed: int, label: bool = True) -> pd.DataFrame:
    """Draw rows with every column written out; some probabilities are missing, and some are tied."""
    rng = np.random.default_rng(seed)
    age = rng.normal(40 + shift, 15, n).round()
    p = np.round(1 / (1 + np.exp(-(age - 40) / 10 + rng.normal(size=n))), 2)
    p[rng.random(n) < 0.03] = np.nan
    frame = pd.DataFrame({"age": age, "p_yes": p, "p_no": 1 - p})
    frame["pred"] = pd.Series(np.where(p > 0.5, "yes", "no")).where(~np.isnan(p), None)
    if label:
        frame["y"] = np.where(rng.random(n) < np.nan_to_num(p, nan=0.5), "yes", "no")
    return frame


SOURCE, TARGET = rows(500, 0, 1), rows(400, 8, 2, label=False)
ENGINES = {"pandas": pd.DataFrame, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}


def explicit(metric: str = "accuracy", **options: Any) -> md.Report:
    """Estimate with every column."""
    source = md.Sample(SOURCE, label="y", prediction="pred", probabilities=NAMES)
    return md.estimate(source, md.Sample(TARGET), RULES, metric=metric, **options)


def short(engine: str = "pandas", **options: Any) -> md.Report:
    """Estimate with one column of probabilities and nothing else."""
    frames = [ENGINES[engine](frame.drop(columns=["p_no", "pred"])) for frame in (SOURCE, TARGET)]
    source = md.Sample(frames[0], label="y", probabilities={"yes": "p_yes"})
    return md.estimate(source, md.Sample(frames[1]), RULES, **options)


def numbers(report: md.Report) -> list[float]:
    """Return every number that must be equal."""
    one = report.models["model"]
    return [float(value) for value in (one.estimate, *one.interval, one.source, *one.weights)]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("engine", ENGINES)
def test_one_column_gives_the_numbers_of_all(engine, metric):
    """By every metric of classes and probabilities, on every kind of frame."""
    assert numbers(short(engine, metric=metric)) == pytest.approx(numbers(explicit(metric)), abs=1e-12)


@pytest.mark.parametrize("method", [name for name, one in ESTIMATORS.items() if "transformer" not in one.needs])
def test_every_method_gives_the_same_number(method):
    """Also those that work on predictions and probabilities."""
    found = []
    for make in (short, explicit):
        try:
            found.append(make(estimator=method).estimate)
        except md.MandolineError as error:
            found.append(type(error))
    if isinstance(found[0], type):
        assert found[0] is found[1]
    else:
        assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_many_classes_have_the_most_probable_as_prediction():
    """In the type of the label; a class that no label shows keeps its place."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet([1, 1, 1, 0.2], 300)
    p[0] = [0.4, 0.4, 0.1, 0.1]  # a tie goes to the first
    columns = {f"p{i}": p[:, i] for i in range(4)}
    source = pd.DataFrame({"x": rng.normal(size=300), "y": rng.integers(0, 3, 300), **columns})
    model = md.Model("m", None, {i: f"p{i}" for i in (2, 0, 3, 1)})
    made, _ = complete_models(md.Sample(source, label="y", models=[model]), md.Sample(source.drop(columns="y")))
    predicted = made.series(str(made.models[0].prediction))
    assert predicted.to_list() == p.argmax(axis=1).tolist()
    assert predicted.dtype.is_numeric()
    written = source.assign(pred=p.argmax(axis=1))
    whole = md.Sample(written, label="y", models=[md.Model("m", "pred", model.probabilities)])
    found = md.estimate(md.Sample(source, label="y", models=[model]), md.Sample(source), ["x > 0"], metric="log_loss")
    expected = md.estimate(whole, md.Sample(written), ["x > 0"], metric="log_loss")
    assert found.estimate == pytest.approx(expected.estimate, abs=1e-12)


@given(
    st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 4))] * 3), min_size=1, max_size=12),
    st.sampled_from([str, int, bool, float]),
    st.sampled_from(sorted(ENGINES)),
)
def test_the_most_probable_class_is_that_of_a_loop(drawn, kind, engine):
    """Row by row, for text, numbers and true/false, with gaps and ties."""
    names = ["0", "1"] if kind is bool else ["0", "1", "2"]
    values = [kind(int(name)) for name in names]
    p = [[None if one is None else one / 8 for one in row[: len(names)]] for row in drawn]
    columns = {f"p{i}": pd.Series([row[i] for row in p] + [0.5] * len(names), dtype=float) for i in range(len(names))}
    frame = pd.DataFrame({"y": [values[0]] * len(p) + values, **columns})
    sample = md.Sample(ENGINES[engine](frame), label="y", probabilities=dict(zip(names, columns, strict=True)))
    made, _ = complete_models(sample, sample)
    predicted = made.series("prediction of model").to_list()[: len(p)]
    expected = [None if None in row else values[int(np.argmax(row))] for row in p]
    assert [None if pd.isna(one) else one for one in predicted] == expected


def test_nothing_is_added_where_every_column_is_there():
    """Samples are the very same objects, and a second call returns what the first made."""
    source, target = md.Sample(SOURCE, label="y", prediction="pred", probabilities=NAMES), md.Sample(TARGET)
    assert complete_models(source, target) == (source, target)
    bare = md.Sample(SOURCE, label="y", probabilities=NAMES)
    first = complete_models(bare, target)
    assert complete_models(bare, target) == first
    assert complete_models(*first) == first


def test_new_data_without_probabilities_still_has_an_estimate():
    """Where slices do not read them."""
    source = md.Sample(SOURCE, label="y", probabilities={"yes": "p_yes"})
    report = md.estimate(source, md.Sample(TARGET[["age"]]), RULES[:1])
    whole = md.Sample(SOURCE, label="y", prediction="pred", probabilities=NAMES)
    assert report.estimate == pytest.approx(md.estimate(whole, md.Sample(TARGET[["age"]]), RULES[:1]).estimate)


def test_a_few_labels_find_their_predictions():
    """Where the labelled new rows come as a frame without the derived columns."""
    labels = pd.Series(np.where(TARGET["age"] > 40, "yes", "no")).where(np.arange(len(TARGET)) % 5 == 0, None)
    one = short().use_labels(md.Sample(TARGET[["age", "p_yes"]].assign(y=labels), label="y"))
    other = explicit().use_labels(md.Sample(TARGET.assign(y=labels), label="y"))
    assert one.combined.value == pytest.approx(other.combined.value, abs=1e-12)


def test_one_column_for_three_classes_is_refused_in_one_sentence():
    """Unless there is a prediction, which can be scored without it."""
    frame = pd.DataFrame({"y": ["a", "b", "c"] * 20, "p": 0.5, "pred": "a", "x": range(60)})
    with pytest.raises(md.DataError) as caught:
        md.estimate(md.Sample(frame, label="y", probabilities={"a": "p"}), md.Sample(frame), ["x > 20"])
    assert str(caught.value) == (
        "Model 'model' has a probability for class 'a' alone (column 'p'), and the labels in 'y' are a, b, c. "
        "Give a column for each class, or a prediction."
    )
    source = md.Sample(frame, label="y", prediction="pred", probabilities={"a": "p"})
    assert md.estimate(source, md.Sample(frame), ["x > 20"]).source == pytest.approx(1 / 3)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_tables_beyond_memory_give_the_numbers_of_all_columns(engine, tmp_path: Path):
    """Counted where the rows are."""
    for name, n, shift, label in (("source", 30_000, 0, True), ("target", 25_000, 8, False)):
        rows(n, shift, 7, label).to_parquet(tmp_path / f"{name}.parquet")
    given = {"source": [], "target": []}
    for name, found in given.items():
        path = str(tmp_path / f"{name}.parquet")
        for columns in (["age", "p_yes"], ["age", "p_yes", "p_no", "pred"]):
            chosen = [*columns, *(["y"] if name == "source" else [])]
            if engine == "polars":
                found.append(pl.scan_parquet(path).select(chosen))
            else:
                found.append(duckdb.read_parquet(path).select(*chosen))
    estimates = []
    for number, roles in enumerate(
        ({"probabilities": {"yes": "p_yes"}}, {"prediction": "pred", "probabilities": NAMES})
    ):
        source = md.Sample(given["source"][number], label="y", **roles)
        assert source.table is not None
        for metric in ("accuracy", "auroc"):
            report = md.estimate(source, md.Sample(given["target"][number]), RULES, metric=metric)
            estimates.append((report.estimate, *report.interval))
    assert estimates[:2] == [pytest.approx(one, abs=1e-12) for one in estimates[2:]]


def test_the_command_line_reads_a_project_without_predictions(tmp_path: Path, capsys):
    """The same numbers as the library."""
    SOURCE.drop(columns=["p_no", "pred"]).to_csv(tmp_path / "source.csv", index=False)
    TARGET.drop(columns=["p_no", "pred"]).to_csv(tmp_path / "target.csv", index=False)
    (tmp_path / "project.toml").write_text(
        'version = 1\nname = "one"\n[source]\npath = "source.csv"\n[target]\npath = "target.csv"\n'
        '[task]\nlabel = "y"\n[[models]]\nname = "model"\nprobabilities = { yes = "p_yes" }\n'
        '[metric]\nname = "auroc"\n[[slices]]\nname = "old"\nkind = "threshold"\ncolumn = "age"\nabove = 40\n',
        encoding="utf-8",
    )
    assert main(["estimate", str(tmp_path / "project.toml"), "--json"]) in (None, 0)
    found = json.loads(capsys.readouterr().out)["models"]["model"]["estimate"]
    whole = md.Sample(SOURCE, label="y", prediction="pred", probabilities=NAMES)
    expected = md.estimate(whole, md.Sample(TARGET), RULES[:1], metric="auroc").estimate
    assert found == pytest.approx(expected, abs=1e-12)
