"""What fine-tuning does without PyTorch: choosing texts, cross-fitting, calibrating, and saying what is missing."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit, logit

import mandoline_core as md
from mandoline_core.arrays import Floats, Index
from mandoline_core.domain_classifier import auc
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.cbiw_finetuned import calibrate, choose_texts, crossfit, read_texts
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.estimators.transformer import check_folder
from mandoline_core.project import MethodSettings

FRAME = pd.DataFrame(
    {
        "said": [f"this is text number {n}" for n in range(120)],
        "reply": [f"that was number {n}" for n in range(120)],
        "place": ["a", "b"] * 60,
        "n": [1, 2, 3] * 40,
        "label": 1,
        "pred": [1, 1, 1, 0] * 30,
    }
)
METHOD = get_estimator("cbiw_finetuned")


def reason(frame: pd.DataFrame = FRAME, **settings: Any) -> str:
    """Return why the method does not apply."""
    source = md.Sample(frame, label="label", prediction="pred", name="source.csv")
    target = md.Sample(frame.drop(columns="label"), models=source.models, name="target.csv")
    asked = MethodSettings(**settings)
    problem = md.prepare(source, target, [], model=source.models[0], methods=asked, need_slices=False).problem
    return str(METHOD.reason(problem))


def said_by(compute: Any) -> str:
    """Return the sentence that something is refused with."""
    with pytest.raises(MandolineError) as caught:
        compute()
    return str(caught.value)


def test_without_a_folder_the_method_says_what_to_set() -> None:
    """And how to install what it needs, in one sentence more."""
    assert reason() == (
        "No model to fine-tune. Set transformer in [methods] to the folder of a Hugging Face model, "
        "and run: pip install 'mandoline-estimator[transformers]'."
    )


@pytest.mark.skipif(find_spec("torch") is not None, reason="PyTorch is here")
def test_without_pytorch_the_method_says_how_to_install_it(tmp_path: Path) -> None:
    """Before it looks into the folder."""
    missing = "PyTorch" if find_spec("transformers") else "PyTorch and Transformers"
    expected = f"Fine-tuning needs {missing}. "
    assert reason(transformer=str(tmp_path)) == f"{expected}Run: pip install 'mandoline-estimator[transformers]'."


def test_slice_codes_alone_have_no_texts() -> None:
    """Nothing can be read of them."""
    problem = md.estimate_from_codes([[1], [-1]] * 5, [1.0, 0.0] * 5, [[1], [-1]]).first.problem
    assert METHOD.reason(problem) == (
        "No model to fine-tune. Set transformer in [methods] to the folder of a Hugging Face model, "
        "and run: pip install 'mandoline-estimator[transformers]'."
    )


def test_comparing_without_a_folder_meets_neither_library() -> None:
    """In a process of its own: whatever is installed, nothing of it is imported."""
    program = (
        "import sys, pandas as pd, mandoline_core as md;"
        "frame = pd.DataFrame({'text': ['a b c', 'd e f'] * 9, 'y': 1, 'p': 1});"
        "source = md.Sample(frame, label='y', prediction='p');"
        "md.compare(source, md.Sample(frame), [], estimators=['source', 'cbiw_finetuned']);"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_folders_that_hold_no_model_are_refused(tmp_path: Path) -> None:
    """One thing after the other that is missing; the last step is for Transformers to judge."""
    nowhere, file, folder = tmp_path / "nowhere", tmp_path / "file", tmp_path / "folder"
    file.write_text("x")
    folder.mkdir()
    what = "Set transformer in [methods] to the folder of a Hugging Face model. Models are not downloaded."
    assert said_by(lambda: check_folder(nowhere)) == f"There is no folder {nowhere}. {what}"
    assert said_by(lambda: check_folder(file)) == f"{file} is a file, not a folder. {what}"
    assert said_by(lambda: check_folder(folder)).startswith(f"{folder} has no config.json. Set transformer")
    (folder / "config.json").write_text("{}")
    assert said_by(lambda: check_folder(folder)).startswith(f"{folder} has no weights (model.safetensors")
    (folder / "model-00001-of-00002.safetensors").touch()
    check_folder(folder)


def test_columns_of_several_words_are_read_unless_others_are_named() -> None:
    """No categories, numbers or answers; what is named must hold text in both samples."""
    source = md.Sample(FRAME, label="label", prediction="pred", name="source.csv")
    target = md.Sample(FRAME.drop(columns=["label", "reply"]), models=source.models, name="target.csv")
    assert choose_texts(source, source) == ("said", "reply")
    assert choose_texts(source, target) == ("said",)
    assert choose_texts(source, target, ["place", "said", "place"]) == ("place", "said")
    assert "Column 'n' contains numbers" in said_by(lambda: choose_texts(source, target, ["n"]))
    assert "Column 'reply' is not in target.csv" in said_by(lambda: choose_texts(source, target, ["reply"]))
    bare = md.Sample(FRAME[["n", "place"]])
    assert said_by(lambda: choose_texts(bare, bare)) == (
        "No column contains text in both labelled and new data. Columns: n, place. "
        "Set texts in [methods] to text columns."
    )


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.DataFrame])
def test_texts_come_in_the_order_of_the_rows_and_a_missing_one_is_empty(engine: Any) -> None:
    """The source's before the target's, from any engine; also where a column has no value at all."""
    source, target = (md.Sample(engine({"said": said})) for said in (["a", None, "c"], [None, "e", "f"]))
    empty = md.Sample(engine({"said": [None, None]}))
    rows = np.array([2, 1]), np.array([0, 2])
    assert read_texts((source, target), ["said"], rows) == (["c", "", "", "f"],)
    assert read_texts((source, empty), ["said"], (rows[0], np.array([1]))) == (["c", "", ""],)


def test_every_row_is_scored_by_what_never_saw_it() -> None:
    """What is learned, what calibrates and what is scored have no row in common; all rows have their turn."""
    seen: list[set[int]] = []

    def fit(_number: int, rows: Index, new: Floats) -> Any:
        seen.append(set(rows))
        np.testing.assert_array_equal(new, rows >= 30)

        def score(asked: Index) -> Floats:
            assert not seen[-1] & set(asked)
            return np.where(asked >= 30, 1.0, -1.0)

        return score

    found = crossfit(30, 50, fit, folds=5, seed=3)
    assert auc(*found) == 1.0
    assert [len(one) for one in seen] == [48] * 5
    assert set.union(*seen) == set(range(80))


def test_calibrated_probabilities_are_those_of_the_world() -> None:
    """Scores are log odds five times too sure, and off to one side; samples are of unlike sizes."""
    rng = np.random.default_rng(0)
    sides = rng.normal(-0.5, 1.0, 30_000), rng.normal(0.5, 1.0, 10_000)  # log odds of being new: the place itself
    scores, new = np.concatenate(sides), np.repeat([0.0, 1.0], [30_000, 10_000])
    believe = calibrate(5 * scores + 2, new)
    places = np.array([-2.0, -0.5, 0.0, 1.0, 2.0])
    assert logit(believe(5 * places + 2)) == pytest.approx(places, abs=0.1)


def test_scores_that_know_less_than_nothing_make_all_rows_alike() -> None:
    """Higher for source rows, or all the same: every chance is 1/2. None ever becomes 1."""
    new = np.repeat([0.0, 1.0], 100)
    assert set(calibrate(-new, new)(np.array([-5.0, 0.0, 5.0]))) == {0.5}
    assert set(calibrate(np.ones(200), new)(np.array([0.0, 1.0]))) == {0.5}
    sure = calibrate(new, new)(np.array([-1e9, 1e9]))
    assert 0 < sure[0] < sure[1] < 1
    assert sure[1] == pytest.approx(expit(30.0))


def test_what_it_costs_is_nothing_without_a_model() -> None:
    """The app adds up what its methods may take; others go by the square of the rows."""
    assert METHOD.expected_seconds(MethodSettings(), 20_000) == 0
    columns = get_estimator("cbiw_features")
    assert columns.expected_seconds(MethodSettings(), 10_000) == columns.seconds / 4
