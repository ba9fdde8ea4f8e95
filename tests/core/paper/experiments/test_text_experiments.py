"""Quick runs of the experiments on text show what the paper shows."""

from __future__ import annotations

from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core.paper import get_experiment, open_project
from mandoline_core.paper.experiments.overlap_ablation import STAGES
from tests.core.paper.quick import quick_run, value_of
from tests.core.projects import ROOT

pytestmark = pytest.mark.paper

NAMES = ("identity-groups", "overlap-ablation", "nli-shift", "sentiment")
HANS = ROOT.parent / "shared" / "data" / "snliplus_to_hansminus"


def test_mandoline_beats_the_source_score_on_every_model_of_groups() -> None:
    found = quick_run("identity-groups")
    measure = "mean absolute error by model, points"
    for model in ("lr", "nb", "forest"):
        plain = value_of(found, measure=measure, model=model, method="source")
        for slices in ("metadata", "keywords", "keywords, corrected"):
            assert value_of(found, measure=measure, model=model, method="mandoline", slices=slices) < plain
    ways = [row["value"] for row in found.rows if row["measure"] == "runs adjusted the right way, %"]
    assert ways == [100.0] * 5


def test_groups_are_estimated_with_each_choice_of_edges() -> None:
    rows = [
        row for row in quick_run("identity-groups").rows if row["slices"] == "metadata" and row["method"] == "mandoline"
    ]
    assert {row["edges"] for row in rows} == {"none", "inverse-covariance:4", "auto"}


def test_error_falls_as_slices_are_added() -> None:
    found = quick_run("overlap-ablation")
    falls = [value_of(found, measure="average error, points", slices=stage) for stage in STAGES]
    assert falls == sorted(falls, reverse=True)
    assert falls[-1] < falls[0] / 3


@pytest.mark.long
@pytest.mark.skipif(not HANS.is_dir(), reason="the real case is not on this machine")
def test_error_falls_on_the_real_case_of_the_ablation() -> None:
    """SNLI and HANS with three models: the step of noisy contradiction does nothing there, the others do."""
    found = md.reproduce("overlap-ablation", seeds=1, data=HANS)
    falls = [value_of(found, measure="average error, points", slices=stage) for stage in STAGES]
    assert falls[0] > 15
    assert falls[1] > falls[2] > falls[3] > falls[4]
    assert falls[4] < 2


def test_entropy_and_predictions_beat_the_source_score_and_the_text() -> None:
    found = quick_run("nli-shift")
    for metric in ("standard", "binary"):
        where = {"measure": "average error, points", "metric": metric}
        assert value_of(found, method="mandoline", **where) < 0.8 * value_of(found, method="source", **where)
    where = {"measure": "Kendall's tau", "metric": "standard"}
    assert value_of(found, method="mandoline", **where) > value_of(found, method="source", **where)
    for method in ("cbiw_features", "kmm_features", "ulsif_features"):
        where = {"measure": "average error, points", "metric": "standard"}
        assert value_of(found, method="mandoline", **where) < value_of(found, method=method, **where)


def test_entropy_alone_beats_the_source_score_on_every_kind_of_text() -> None:
    found = quick_run("sentiment")
    for target in ("counterfactual", "posts", "restaurants", "products"):
        where = {"measure": "average error, points", "target": target}
        assert value_of(found, slices="entropy", **where) < 0.6 * value_of(found, slices="none", **where)


@pytest.mark.parametrize("name", NAMES)
def test_the_papers_headline_stands_beside_ours(name: str) -> None:
    """A row of the paper has the fields of one of ours; all say where they are from."""
    found, experiment = quick_run(name), get_experiment(name)
    apart = {"value", "error", "place"}
    ours = [{key: value for key, value in row.items() if key not in apart} for row in found.rows]
    beside = [row for row in experiment.paper if {k: v for k, v in row.items() if k not in apart} in ours]
    assert len([row for row in beside if row["method"] == "mandoline"]) >= 2
    assert all(row["place"] for row in experiment.paper)


@pytest.mark.parametrize("name", NAMES)
def test_each_says_that_it_is_another_data_set(name: str) -> None:
    assert get_experiment(name).differs.startswith("Another data set")


@pytest.mark.parametrize("name", NAMES)
def test_figures_draw_one_value_for_each_place(name: str) -> None:
    found = quick_run(name)
    for figure in get_experiment(name).figures:
        drawn = [(row[figure.x], row[figure.series]) for row in figure.rows(found.rows)]
        assert len(drawn) == len(set(drawn)) > 3


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "sentiment" else pytest.mark.long) for name in NAMES]
)
def test_a_project_of_it_runs(name: str, tmp_path: Path) -> None:
    project = md.load_project(open_project(name, tmp_path, quick=True))
    report = md.estimate(project, reveal=True).first
    truth = report.truth
    assert truth is not None
    assert abs(report.estimate - truth) < abs(report.source - truth)


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_without_the_files_is_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(md.DataError, match="does not contain") as error:
        md.reproduce(name, quick=True, data=tmp_path)
    assert "\n" not in str(error.value)


def test_a_run_can_be_stopped() -> None:
    class StopError(Exception):
        pass

    said: list[str] = []

    def progress(what: str, _share: float) -> None:
        said.append(what)
        if len(said) == 2:
            raise StopError

    with pytest.raises(StopError):
        md.reproduce("sentiment", quick=True, progress=progress)
    assert said[-1] == "seed 1: reviews and models"
