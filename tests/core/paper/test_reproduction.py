"""Running an experiment: what is refused before any work, progress, and seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core.paper import Plan, open_project, over_seeds, relative_error

pytestmark = pytest.mark.paper


@pytest.mark.parametrize("seeds", [0, -1, True, 1.5])
def test_seeds_must_be_a_whole_number(seeds: int) -> None:
    with pytest.raises(md.MandolineError, match="seeds must be a whole number, 1 or more"):
        md.reproduce("theorem", seeds=seeds)


def test_data_are_refused_where_nothing_reads_them(tmp_path: Path) -> None:
    with pytest.raises(md.DataError, match="'theorem' generates its data and reads no files"):
        md.reproduce("theorem", data=tmp_path)


def test_data_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(md.DataError, match="is not a folder"):
        md.reproduce("blurry", data=tmp_path / "nowhere")


def test_progress_grows_to_one_and_may_stop_the_run() -> None:
    shares: list[float] = []
    md.reproduce("independent-slices", quick=True, seeds=1, progress=lambda _what, share: shares.append(share))
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)

    class StopError(Exception):
        pass

    def stop(_what: str, share: float) -> None:
        if share > 0:
            raise StopError

    with pytest.raises(StopError):
        md.reproduce("independent-slices", quick=True, progress=stop)


def test_the_same_seeds_give_the_same_numbers() -> None:
    first, second = (md.reproduce("support-shift", quick=True, seeds=1) for _ in range(2))
    assert first.rows == second.rows


def test_what_a_seed_draws_does_not_depend_on_how_many_there_are() -> None:
    few, many = ([rng.random() for rng in Plan(seeds).generators(7)] for seeds in (2, 5))
    assert many[:2] == few
    assert len(set(many)) == 5


def test_an_experiment_without_data_makes_no_project(tmp_path: Path) -> None:
    with pytest.raises(md.MandolineError, match="'theorem' has no data for a project"):
        open_project("theorem", tmp_path)


@pytest.mark.parametrize("name", ["support-shift", "noisy-slices", "high-dimension", "blurry"])
def test_a_project_of_an_experiment_comes_nearer_to_the_truth_than_the_source_score(name: str, tmp_path: Path) -> None:
    project = md.load_project(open_project(name, tmp_path / "new", quick=True))
    report = md.estimate(project, reveal=True).first
    assert report.truth is not None
    assert abs(report.estimate - report.truth) < abs(report.source - report.truth) / 3


def test_rows_hold_the_mean_and_its_standard_error() -> None:
    assert over_seeds([2.0], "simple") == {"method": "simple", "value": 2.0, "error": None}
    row = over_seeds([1.0, 2.0, 3.0], "simple", rows=10)
    assert row["error"] == pytest.approx(1 / 3**0.5)


def test_a_relative_error_is_a_ratio_of_means() -> None:
    """A seed whose source score happens to be right must not blow it up."""
    row = relative_error([0.01, -0.03], [0.0, 0.2], "simple")
    assert row["value"] == pytest.approx(0.2)
    assert relative_error([0.1, 0.3], [0.1, 0.3], "source")["error"] == pytest.approx(0.0)
