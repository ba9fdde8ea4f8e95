"""Estimates on a cluster: as in memory, to the last digits; and what a project and a caller may name."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mandoline_core as md
from mandoline_core.data import open_data
from mandoline_core.data.engines.table import DRAWN
from tests.core.projects import DIGITS, REVIEWS
from tests.spark.cluster import Cluster, free_port

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def on_cluster(project: md.Project, folder: Path, master: str) -> md.Project:
    """Write a project's samples as Parquet, and let it name them and the cluster."""
    for side in ("source", "target"):
        project.open(side).to_parquet(folder / f"{side}.parquet")
    return dataclasses.replace(
        project,
        source_path=folder / "source.parquet",
        target_path=folder / "target.parquet",
        source_engine="spark",
        target_engine="spark",
        source_master=master,
        target_master=master,
    )


def numbers(report: md.Report) -> dict[str, np.ndarray]:
    """List what must not differ, by model."""
    return {
        name: np.array([m.estimate, *m.interval, m.source, m.effective_sample_size, m.n_patterns])
        for name, m in report.models.items()
    }


@pytest.mark.parametrize("path", [REVIEWS, DIGITS], ids=lambda path: path.parent.name)
def test_estimates_are_those_in_memory(path: Path, session: SparkSession, cluster: Cluster, tmp_path: Path) -> None:
    project = md.load_project(path)
    expected, found = numbers(md.estimate(project)), numbers(md.estimate(on_cluster(project, tmp_path, cluster.master)))
    assert expected.keys() == found.keys()
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-12)


def test_a_project_file_names_the_cluster(session: SparkSession, cluster: Cluster, tmp_path: Path) -> None:
    project = on_cluster(md.load_project(REVIEWS), tmp_path, cluster.master)
    md.save_project(project, tmp_path / "project.toml")
    assert f'master = "{cluster.master}"' in (tmp_path / "project.toml").read_text(encoding="utf-8")
    found = numbers(md.estimate(md.load_project(tmp_path / "project.toml")))
    for name, expected in numbers(md.estimate(md.load_project(REVIEWS))).items():
        np.testing.assert_allclose(found[name], expected, rtol=0, atol=1e-12)


def test_a_frame_of_spark_is_a_table(session: SparkSession, tmp_path: Path) -> None:
    n = DRAWN + 1_000
    rows = pa.table({"a.b": np.arange(n) % 7, "`y`": np.arange(n) % 2, "p": np.arange(n) % 3 % 2})
    pq.write_table(rows, tmp_path / "rows.parquet")
    rule = md.Threshold("high", column="a.b", above=3)
    frame = session.read.parquet(str(tmp_path / "rows.parquet"))
    given, known = (md.Sample(one, label="`y`", prediction="p") for one in (frame, rows))
    assert given.table is not None
    assert given.n_all == n
    reports = [md.estimate(sample, known, [rule]) for sample in (given, known)]
    np.testing.assert_allclose(*(numbers(report)["model"] for report in reports), rtol=0, atol=1e-12)


def test_the_cluster_writes_rows_with_what_becomes_of_them(session: SparkSession, tmp_path: Path) -> None:
    rows = pa.table({"n": np.arange(1_000), "a.b": np.arange(1_000) / 7})
    pq.write_table(rows, tmp_path / "rows.parquet")
    table = open_data(tmp_path / "rows.parquet", engine="spark", session=session)
    table.write(tmp_path / "out", ["n"], lambda batch: pa.table({"weight": np.asarray(batch["n"]) * 0.5}))
    found = pq.read_table(tmp_path / "out").sort_by("n")
    assert found.column_names == ["n", "a.b", "weight"]
    assert np.array_equal(found["weight"], np.arange(1_000) * 0.5)


def test_our_own_words_come_back_from_a_worker(session: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": [1, 2], "y": [0, 1], "p": [1, 1]}), tmp_path / "rows.parquet")
    table = open_data(tmp_path / "rows.parquet", engine="spark", session=session)
    sample = md.Sample(table, label="y", prediction="p")
    rule = md.slicing_function(lambda frame: ["so"] * len(frame), name="odd")
    with pytest.raises(md.MandolineError, match=r"Slicing function 'odd' returned 'so'\. Expected true or false"):
        md.estimate(sample, sample, [rule])


def test_a_master_that_is_not_there_is_one_sentence(session: SparkSession, cluster: Cluster) -> None:
    from mandoline_core.data.engines.spark import Spark, _check_reachable

    with pytest.raises(md.DataError, match=r"could not be reached at spark://127\.0\.0\.1:\d+: Connection refused\."):
        _check_reachable(f"spark://127.0.0.1:{free_port()}")
    with pytest.raises(md.DataError, match="which can have only one master"):
        Spark().connect("local[1]")
    assert Spark().connect(cluster.master) is session


def test_text_is_refused_with_what_to_do(session: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("n\n1\n", encoding="utf-8")
    with pytest.raises(md.DataError, match="Convert it to Parquet first"):
        open_data(tmp_path / "rows.csv", engine="spark", session=session)


def test_design_weights_are_added_up_on_the_cluster(session: SparkSession, cluster: Cluster, tmp_path: Path) -> None:
    project = dataclasses.replace(md.load_project(REVIEWS), source_weight="n_words", target_weight="n_words")
    expected, found = numbers(md.estimate(project)), numbers(md.estimate(on_cluster(project, tmp_path, cluster.master)))
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12)  # effective rows are thousands
