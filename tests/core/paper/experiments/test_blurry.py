"""Blurry pictures: what a quick run shows, and CelebA's files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.paper.experiments import blurry
from tests.core.paper.quick import quick_run, value_of

pytestmark = pytest.mark.paper


def write_faces(folder: Path, n_blurry: int, n_sharp: int) -> None:
    """Write an attribute list and a model that is right on 95% of sharp images, and on 70% of blurry ones."""
    rng = np.random.default_rng(0)
    n = n_blurry + n_sharp
    names = [f"{i:06}.jpg" for i in range(1, n + 1)]
    is_blurry = np.arange(n) < n_blurry
    male = rng.random(n) < 0.4
    lines = [f"{name}  {1 if b else -1} {1 if m else -1}" for name, b, m in zip(names, is_blurry, male, strict=True)]
    text = "\n".join([str(n), "Blurry Male", *lines])
    (folder / "list_attr_celeba.txt").write_text(text + "\n", encoding="utf-8")
    right = rng.random(n) < np.where(is_blurry, 0.7, 0.95)
    answers = np.where(male == right, "male", "female")
    pd.DataFrame({"image_id": names, "pred_net": answers}).to_csv(folder / "predictions.csv", index=False)


def test_one_slice_beats_the_source_score_and_the_pixels() -> None:
    found = quick_run("blurry")
    measure = blurry.AVERAGE
    for model in ("lr", "knn", "nb"):
        own, plain = (value_of(found, measure=measure, model=model, method=name) for name in ("mandoline", "source"))
        assert own < plain / 3
    own, pixels = (value_of(found, measure=measure, model="all", method=m) for m in ("mandoline", "cbiw_features"))
    assert own < pixels
    assert value_of(found, measure=blurry.RIGHT, method="mandoline") == 100


def test_blur_comes_in_the_papers_proportions() -> None:
    case = blurry.make_case(blurry.Plan(1, quick=True), 0)
    assert (case.source["blurry"].mean(), case.target["blurry"].mean()) == (0.01, 0.30)


def test_published_faces_are_split_as_in_the_paper(tmp_path: Path) -> None:
    write_faces(tmp_path, 500, 12_000)
    found = md.reproduce("blurry", seeds=2, quick=True, data=tmp_path)
    assert {row["method"] for row in found.rows} == {"source", *blurry.ON_SLICES}
    own, plain = (value_of(found, measure=blurry.AVERAGE, model="all", method=m) for m in ("mandoline", "source"))
    assert own < plain / 2
    case = blurry.split_faces(blurry.read_celeba(tmp_path), np.random.default_rng(0))
    assert int(case.target["blurry"].sum()) == 400
    assert case.target["blurry"].mean() == pytest.approx(0.3, abs=0.001)
    assert len(case.source) + len(case.target) == 12_500


def test_too_few_sharp_faces_are_refused(tmp_path: Path) -> None:
    write_faces(tmp_path, 100, 100)
    with pytest.raises(md.DataError, match="has 100 blurry images and 100 others"):
        md.reproduce("blurry", quick=True, data=tmp_path)
