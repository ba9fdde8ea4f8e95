"""The sample projects: what they promise, and that the script in their folder writes them."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

SAMPLE_DATA = Path(__file__).parents[2] / "sample_data"
SAMPLES = ("digits", "reviews")
FILES = ("project.toml", "source.csv", "target.csv", "target_labels.csv")
WEEKS = tuple(f"weekly/week-{number}.csv" for number in range(1, 7))


@pytest.fixture(scope="module")
def frames() -> dict[str, dict[str, pd.DataFrame]]:
    """Read every table of every sample."""
    return {
        sample: {
            file: pd.read_csv(SAMPLE_DATA / sample / f"{file}.csv") for file in ("source", "target", "target_labels")
        }
        for sample in SAMPLES
    }


@pytest.fixture(params=SAMPLES)
def sample(request: pytest.FixtureRequest) -> str:
    """Name each sample in turn."""
    return str(request.param)


def project_of(sample: str) -> dict[str, Any]:
    """Read a sample's project file."""
    return tomllib.loads((SAMPLE_DATA / sample / "project.toml").read_text(encoding="utf-8"))


def right(tables: dict[str, pd.DataFrame], model: str) -> tuple[pd.Series, pd.Series]:
    """Say for each source row and each target row whether the model is right."""
    source, target = tables["source"], tables["target"]
    return source["label"] == source[f"pred_{model}"], tables["target_labels"]["label"] == target[f"pred_{model}"]


def reweighted(cells_source: pd.DataFrame, cells_target: pd.DataFrame, score: pd.Series) -> float:
    """Weight each cell's source score by the cell's share of the target, among the cells that both have."""
    cells = [cells_source[name] for name in cells_source]
    table = pd.DataFrame({"score": score.groupby(cells).mean()})
    shares = cells_target.groupby([cells_target[name] for name in cells_target]).size()
    table["share"] = shares.reindex(table.index).fillna(0)
    return float(np.average(table["score"], weights=table["share"]))


def review_cells(table: pd.DataFrame) -> pd.DataFrame:
    """Evaluate the reviews project's length and keyword slices, and one on talk of money, the plain way."""
    words = {rule["name"]: rule["words"] for rule in project_of("reviews")["slices"] if rule["kind"] == "keyword"}
    words["mentions_price"] = ["paid", "price", "cost", "dollars"]
    cells = {
        name: table["text"].str.contains(rf"\b(?:{'|'.join(found)})\b", case=False) for name, found in words.items()
    }
    return pd.DataFrame({**cells, "short": table["text"].str.split().str.len() < 30})


@pytest.mark.long
def test_the_script_writes_the_committed_bytes(tmp_path: Path) -> None:
    """Regenerating gives every file of every sample again, byte for byte."""
    subprocess.run([sys.executable, SAMPLE_DATA / "generate.py", "--out", tmp_path], check=True)
    for sample in SAMPLES:
        files = FILES + (WEEKS if sample == "reviews" else ())
        written = [file for file in (tmp_path / sample).rglob("*") if file.is_file()]
        assert sorted(file.relative_to(tmp_path / sample).as_posix() for file in written) == sorted(files)
        for file in files:
            assert (tmp_path / sample / file).read_bytes() == (SAMPLE_DATA / sample / file).read_bytes(), file


def test_each_sample_is_small(sample: str) -> None:
    """About two megabytes: small enough for the package."""
    assert sum(file.stat().st_size for file in (SAMPLE_DATA / sample).rglob("*.*")) < 2_100_000


def test_the_columns_named_in_the_project_exist(sample: str, frames: dict[str, dict[str, pd.DataFrame]]) -> None:
    """Every column that the project file names is in both tables, the label in the source and the truth only."""
    project, tables = project_of(sample), frames[sample]
    assert (project["source"]["path"], project["target"]["path"]) == ("source.csv", "target.csv")
    assert project["target"]["labels"] == "target_labels.csv"
    named = {rule[key] for rule in project["slices"] for key in ("column", "gold") if key in rule}
    for model in project["models"]:
        named |= {model["prediction"], *model["probabilities"].values()}
    label = project["task"]["label"]
    assert named | {label} <= set(tables["source"])
    assert named <= set(tables["target"])
    assert label not in tables["target"]
    assert list(tables["target_labels"]) == [label]


def test_truth_has_one_row_for_each_target_row(sample: str, frames: dict[str, dict[str, pd.DataFrame]]) -> None:
    """The revealed truth lines up with the target."""
    assert len(frames[sample]["target_labels"]) == len(frames[sample]["target"])


def test_labels_predictions_and_probabilities_are_complete(
    sample: str, frames: dict[str, dict[str, pd.DataFrame]]
) -> None:
    """Only descriptive columns have gaps; probabilities sum to 1 and the prediction has the largest."""
    project, tables = project_of(sample), frames[sample]
    assert tables["source"]["label"].notna().all()
    assert tables["target_labels"]["label"].notna().all()
    for table in (tables["source"], tables["target"]):
        for model in project["models"]:
            probabilities = table[list(model["probabilities"].values())]
            assert np.allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-9)
            column_of = table[model["prediction"]].astype(str).map(model["probabilities"])
            chosen = [row[column] for (_, row), column in zip(probabilities.iterrows(), column_of, strict=True)]
            assert (probabilities.max(axis=1) == chosen).all()


@pytest.mark.parametrize(
    ("sample", "model", "source", "target"),
    [
        ("reviews", "lr", 0.884, 0.790),
        ("reviews", "nb", 0.882, 0.807),
        ("digits", "lr", 0.937, 0.834),
        ("digits", "knn", 0.968, 0.878),
    ],
)
def test_accuracy_drops_as_the_readme_says(
    sample: str, model: str, source: float, target: float, frames: dict[str, dict[str, pd.DataFrame]]
) -> None:
    """The accuracies printed in the samples' README are those in the files."""
    source_right, target_right = right(frames[sample], model)
    assert source_right.mean() == pytest.approx(source, abs=0.001)
    assert target_right.mean() == pytest.approx(target, abs=0.001)


@pytest.mark.parametrize("model", ["lr", "nb"])
def test_good_review_slices_recover_the_drop_and_an_unrelated_one_does_not(
    model: str, frames: dict[str, dict[str, pd.DataFrame]]
) -> None:
    """Reweighting on negation, length and slang ends near the truth; on talk of money it stays at the source."""
    tables = frames["reviews"]
    source_right, target_right = right(tables, model)
    source, target = review_cells(tables["source"]), review_cells(tables["target"])
    good_slices, poor_slices = ["negation", "short", "slang"], ["mentions_price"]
    good = reweighted(source[good_slices], target[good_slices], source_right)
    poor = reweighted(source[poor_slices], target[poor_slices], source_right)
    assert abs(good - target_right.mean()) < 0.015
    assert abs(poor - source_right.mean()) < 0.005
    assert poor - target_right.mean() > 0.07


def test_every_review_slice_has_source_rows(frames: dict[str, dict[str, pd.DataFrame]]) -> None:
    """Each slice is rarer in the source than in the target, but not too rare to learn from."""
    source, target = (review_cells(frames["reviews"][side]) for side in ("source", "target"))
    assert (source.sum() >= 200).all()
    assert (target.mean() > source.mean()).all()


def test_reviews_have_a_few_gaps_in_their_metadata(frames: dict[str, dict[str, pd.DataFrame]]) -> None:
    """A handful of categories and channels are missing, and nothing else."""
    gaps = frames["reviews"]["source"].isna().sum()
    assert set(gaps[gaps > 0].index) == {"category", "channel"}
    assert gaps.sum() < 60


def test_exactly_one_percent_of_the_source_digits_and_thirty_of_the_target_are_blurred(
    frames: dict[str, dict[str, pd.DataFrame]],
) -> None:
    """The shares are exact, and the source has enough blurred rows to learn from."""
    source, target = frames["digits"]["source"]["blurry"], frames["digits"]["target"]["blurry"]
    assert source.mean() == pytest.approx(0.01)
    assert target.mean() == pytest.approx(0.30)
    assert source.sum() >= 30


def test_no_digit_image_is_in_both_samples(frames: dict[str, dict[str, pd.DataFrame]]) -> None:
    """Photographs of one image stay on one side."""
    source, target = (set(frames["digits"][side]["image_index"]) for side in ("source", "target"))
    assert not source & target


@pytest.mark.parametrize("model", ["lr", "knn"])
def test_blur_costs_accuracy_and_explains_the_drop(model: str, frames: dict[str, dict[str, pd.DataFrame]]) -> None:
    """Models fail on blurred digits far more often, and reweighting on the gold column recovers most of the drop."""
    tables = frames["digits"]
    source_right, target_right = right(tables, model)
    blurry = tables["source"]["blurry"] == 1
    assert source_right[~blurry].mean() > 0.93
    assert source_right[blurry].mean() < 0.75
    gold = reweighted(tables["source"][["blurry"]], tables["target"][["blurry"]], source_right)
    assert abs(gold - target_right.mean()) < 0.02


def test_sharpness_is_a_noisy_stand_in_for_blur(frames: dict[str, dict[str, pd.DataFrame]]) -> None:
    """The project's slice finds most blurred rows, misses some, and raises false alarms."""
    rule = project_of("digits")["slices"][0]
    source = frames["digits"]["source"]
    inside, blurry = source[rule["column"]] < rule["below"], source[rule["gold"]] == 1
    assert 0.85 < inside[blurry].mean() < 1
    assert 0.5 < blurry[inside].mean() < 0.9
