"""Bad data files: one clear sentence on standard error, exit code 2, no traceback.

Bad project files are in test_bad_projects.py.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.core.projects import LONG, NEGATION, refused, run, small_frames, write_project

SOURCE, TARGET, LABELS = small_frames()
COLUMNS = "Columns: text, n_words, channel, pred_lr, pred_nb, label."
MEAN = {"metric": {"name": "mean", "column": "loss"}, "models": None, "task": None}
ONE_SCORE = "An estimate needs at least 2 labelled rows with a score. Got 1. Label more rows."
NOT_NEGATED = SOURCE[~SOURCE["text"].str.contains("not")]
NEGATED = TARGET[TARGET["text"].str.contains("not")]


def test_a_missing_data_file_is_named_with_the_nearest_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder looked in is part of the message."""
    project = write_project(tmp_path, {"source": {"path": "sorce.csv"}})
    assert refused(capsys, project) == f"File 'sorce.csv' is not in {tmp_path}. Did you mean 'source.csv'?"
    project = write_project(tmp_path, {"target": {"path": "new/target.csv"}})
    expected = f"File 'target.csv' is not in {tmp_path / 'new'}, a folder that does not exist."
    assert refused(capsys, project) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "source.csv is empty. Expected a header line and at least one row."),
        ("\n\n", "source.csv is empty. Expected a header line and at least one row."),
        (
            "text,n_words,label,pred_lr,pred_nb\n",
            "source.csv has a header but no rows. Add at least one row.",
        ),
        (
            "text,text,label\na,b,c\n",
            "source.csv has duplicate columns: 'text'. Give each column its own name.",
        ),
        (
            "text,n_words,label\na,1,good\nb,2\n",
            "Line 3 of source.csv has 2 fields, but the header has 3. Check its delimiters and quotes.",
        ),
    ],
)
def test_a_file_without_a_proper_table_is_refused(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Empty files, files without rows, repeated columns and ragged rows."""
    assert refused(capsys, write_project(tmp_path, source=text)) == message


def test_a_target_without_rows_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the target's file."""
    project = write_project(tmp_path, target="text,n_words,pred_lr,pred_nb\n")
    assert refused(capsys, project) == "target.csv has a header but no rows. Add at least one row."


@pytest.mark.parametrize("n_rows", [1, 20])
def test_one_scored_row_is_refused(n_rows: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One labelled row has no spread: any interval from it would be made up."""
    labels = [SOURCE["pred_lr"][0]] + [None] * (n_rows - 1)
    models = {"models": [{"name": "lr", "prediction": "pred_lr"}]}
    assert refused(capsys, write_project(tmp_path, models, source=SOURCE[:n_rows].assign(label=labels))) == ONE_SCORE


def test_one_score_of_a_mean_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Otherwise the interval would have no width at all."""
    assert refused(capsys, write_project(tmp_path, MEAN, source=SOURCE[:1].assign(loss=3.5))) == ONE_SCORE


def test_one_target_row_gives_a_result_with_a_serious_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A target of one row has an estimate; the report says not to quote it."""
    code, out, err = run(capsys, "estimate", write_project(tmp_path, target=TARGET[:1]))
    assert (code, err) == (0, "")
    assert "400 labelled rows, 1 new row, 4 slice patterns." in out
    assert "!! The new data has 1 row. Intervals need at least 30 rows." in out


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"task": {"label": "lable"}},
            f"Column 'lable' is not in source.csv. {COLUMNS} Did you mean 'label'?",
        ),
        (
            {"models": [{"name": "lr", "prediction": "perd_lr"}]},
            f"Column 'perd_lr' is not in source.csv. {COLUMNS} Did you mean 'pred_lr'?",
        ),
        (
            {"slices": [{**NEGATION, "column": "txt"}]},
            f"Slice 'negation' reads column 'txt', which is not in source.csv. {COLUMNS} Did you mean 'text'?",
        ),
        (
            {"slices": [{**LONG, "column": "text"}]},
            (
                "Slice 'long' needs numbers in column 'text', which holds text in source.csv, such as 'it is "
                "good'. Use kind 'length' for the length of a text. If it holds numbers, choose its type on the Data "
                'page, or set types = { text = "number" } in the project file.'
            ),
        ),
        (
            {"slices": [{**NEGATION, "gold": "truth"}]},
            f"Slice 'negation' reads column 'truth', which is not in source.csv. {COLUMNS}",
        ),
        (MEAN, f"Column 'loss' is not in source.csv. {COLUMNS}"),
    ],
    ids=["label", "prediction", "slice", "threshold on text", "gold", "mean"],
)
def test_a_column_that_is_not_there_or_not_of_its_kind_is_refused(
    changes: dict, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the columns there are, and the nearest name."""
    assert refused(capsys, write_project(tmp_path, changes)) == message


def test_a_column_that_only_the_source_has_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A slice must be computable on both samples."""
    project = write_project(tmp_path, target=TARGET.drop(columns="text"))
    assert refused(capsys, project) == (
        "Slice 'negation' reads column 'text', which is not in target.csv. Columns: n_words, channel, pred_lr, pred_nb."
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda source: source.assign(label=source["label"].str.upper()),
            (
                "Labels in 'label' (BAD, GOOD) and predictions in 'pred_lr' (bad, good) of source.csv have no class in "
                "common. Use the same class names, or merge classes in [metric]."
            ),
        ),
        (
            lambda source: source.assign(label=None),
            "Column 'label' of source.csv is empty. Fill it in, or choose another column.",
        ),
        (
            lambda source: source.assign(pred_nb=None),
            "Column 'pred_nb' of source.csv is empty. Fill it in, or choose another column.",
        ),
        (
            lambda source: source.assign(
                label=source["label"].where(source.index < 200), pred_lr=source["pred_lr"].where(source.index >= 200)
            ),
            "No row of source.csv has both a label and a prediction. Add labels to rows with predictions.",
        ),
        (
            lambda source: source.assign(n_words=["ten", *source["n_words"][1:]]),
            (
                "Slice 'long' needs numbers in column 'n_words', which holds text in source.csv, such as "
                "'ten'. Use kind 'length' for the length of a text. If it holds numbers, choose its type on the Data "
                'page, or set types = { n_words = "number" } in the project file.'
            ),
        ),
    ],
    ids=["no common class", "no label", "no prediction", "never both", "a word among numbers"],
)
def test_a_source_that_cannot_be_scored_is_refused(
    change: Callable[[pd.DataFrame], pd.DataFrame],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No estimate comes from labels that are missing or never match."""
    assert refused(capsys, write_project(tmp_path, source=change(SOURCE))) == message


def test_a_column_without_a_single_value_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A slice on it would abstain everywhere."""
    project = write_project(tmp_path, source=SOURCE.assign(n_words=None), target=TARGET.assign(n_words=None))
    assert refused(capsys, project) == (
        "Slice 'long' reads column 'n_words', which is empty in labelled and new data. Remove the slice or "
        "choose another column."
    )


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ([np.nan] + [1.0] * 399, "has 1 missing or infinite value, the first in row 1."),
        ([1.0, np.inf, -np.inf] + [1.0] * 397, "has 2 missing or infinite values, the first in row 2."),
        ([None] * 400, "has 400 missing or infinite values, the first in row 1."),
    ],
    ids=["missing", "infinite", "all missing"],
)
def test_scores_must_be_finite(loss: list, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The metric "mean" says how many scores are not finite and where the first is."""
    project = write_project(tmp_path, MEAN, source=SOURCE.assign(loss=loss))
    expected = f"Column 'loss' of source.csv {message} Scores must be finite numbers. "
    assert refused(capsys, project) == expected + "Fill them in, or remove these rows."


def test_scores_must_be_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A column of words has no mean."""
    assert refused(capsys, write_project(tmp_path, MEAN, source=SOURCE.assign(loss="high"))) == (
        "Column 'loss' of source.csv contains text. Metric 'mean' needs numbers. "
        "Set column in [metric] to a numeric column."
    )


def test_a_target_beyond_reach_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No reweighting makes negated reviews of a source that has none."""
    assert refused(capsys, write_project(tmp_path, source=NOT_NEGATED, target=NEGATED)) == (
        "No new row matches a labelled row (slices negation). Label some new rows, or remove or merge these slices."
    )


def test_strict_overlap_refuses_what_trim_sets_aside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message says how much of the target is out of reach, and why."""
    project = write_project(tmp_path, {"estimator": {"overlap": "strict"}}, source=NOT_NEGATED)
    share = len(NEGATED) / len(TARGET)
    assert refused(capsys, project) == (
        f"{share:.1%} of the new data ({len(NEGATED)} rows) match no labelled row (slices negation), and "
        'overlap = "strict". Use overlap = "trim" to leave them out, add a ridge, or merge these slices.'
    )


def test_labels_to_reveal_must_fit_the_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One label a row, in a file that the project names."""
    project = write_project(tmp_path, target=TARGET[:10])
    assert refused(capsys, project, "--reveal") == (
        "target_labels.csv has 300 rows, but target.csv has 10. Give one row for each new row in the same order, an ID "
        "column in both files, or a plan's file."
    )
    project = write_project(tmp_path, {"target": {"path": "target.csv"}})
    expected = (
        "The new data has no labels. Add a column 'label' to it, or set labels in [target] to the file that has them."
    )
    assert refused(capsys, project, "--reveal") == expected


@pytest.mark.parametrize(
    "start",
    [
        [str(Path(sys.executable).with_name("mandoline")), "estimate"],
        [sys.executable, "-m", "mandoline_core.cli", "slices"],
    ],
    ids=["script", "module"],
)
def test_a_real_process_refuses_in_one_line(start: list[str], tmp_path: Path) -> None:
    """Exit code 2, nothing on standard output, one line on standard error."""
    project = write_project(tmp_path, {"task": {"label": "lable"}})
    done = subprocess.run([*start, project], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mandoline: Column 'lable' is not in source.csv. {COLUMNS} Did you mean 'label'?\n"
