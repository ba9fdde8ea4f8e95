"""A few labels of new rows join the headline: the same number on every face, and a light above green or red."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

import mandoline_core as md
from mandoline_core.checks import add_labels
from mandoline_core.labels import SliceTest
from mandoline_core.report.words import headline
from tests.core.projects import run, run_json, write_project

Captured = pytest.CaptureFixture[str]


def world(n: int = 4000, hidden: float = 0.0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw both samples with a shift of one slice; on new rows the model may be worse by something no slice sees."""
    rng = np.random.default_rng(3)
    frames = []
    for rate, drop in ((0.3, 0.0), (0.6, hidden)):
        late = rng.random(n) < rate
        right = rng.random(n) < np.where(late, 0.9, 0.96) - drop
        label = np.where(rng.random(n) < 0.5, "yes", "no")
        other = np.where(label == "yes", "no", "yes")
        frames.append(pd.DataFrame({"late": late.astype(int), "label": label, "pred": np.where(right, label, other)}))
    return frames[0], frames[1]


def report(n_labels: int, hidden: float = 0.0, n: int = 4000) -> md.Report:
    """Estimate with labels of some new rows, drawn at random, in the new data's own column."""
    source, target = world(n, hidden)
    some = np.random.default_rng(1).permutation(len(target)) < n_labels
    target["label"] = target["label"].where(some, None)
    slices = [md.Flag("late", column="late")]
    return md.estimate(md.Sample(source, label="label", prediction="pred"), md.Sample(target), slices)


def test_the_headline_is_the_combined_estimate_on_every_face(tmp_path: Path, capsys: Captured) -> None:
    """By hand: the mean of labels, moved by what predictions say of all rows; library, command line and texts agree."""
    project = write_project(tmp_path)
    plan = tmp_path / "plan.csv"
    run(capsys, "plan", project, "--rows", 60, "--out", plan)
    truth, sheet = pd.read_csv(tmp_path / "target_labels.csv")["label"], pd.read_csv(plan)
    sheet["label"] = truth.to_numpy()[sheet["row"] - 1]
    sheet.sample(frac=1, random_state=0).to_csv(plan, index=False)
    bare = md.estimate(md.load_project(project))
    used = bare.use_labels(plan)
    project.write_text(project.read_text().replace("target_labels.csv", "plan.csv"))
    found = md.estimate(md.load_project(project))
    assert (found.estimate, found.interval) == (used.combined.value, used.combined.interval)
    assert found.estimate != bare.estimate
    later = bare.with_labels(plan)
    assert later.to_dict() == found.to_dict()
    assert found.first.without is not None
    assert found.first.sampling_interval is None  # labels correct the estimate whatever the slices
    assert found.first.without.sampling_interval == bare.first.sampling_interval
    assert found.first.without.estimate == bare.estimate
    printed = run_json(capsys, "estimate", project)
    assert printed["estimate"] == printed["labelled"]["estimate"] == found.estimate
    assert printed["labelled"]["without"] == {"estimate": bare.estimate, "interval": list(bare.interval)}
    assert (printed["labelled"]["n"], printed["labelled"]["quoted"], printed["truth"]) == (60, True, None)
    shown, before = f"{100 * found.estimate:.1f}%", f"{100 * bare.estimate:.1f}%"
    for text in (str(found), found.to_html(), headline(found.first).text):
        assert shown in text
        assert before in text


def test_labels_of_all_rows_stay_hidden() -> None:
    """They are the truth: nothing but the true value follows from them."""
    found = report(n_labels=4000)
    assert found.first.labelled is None
    assert found.truth is not None


def test_labels_that_agree_confirm_once_a_large_change_would_show() -> None:
    """Above green; with fewer labels the light stays, and the words say how many it takes."""
    many, few = report(300).first, report(30).first
    assert many.labelled is not None
    assert many.labelled.test is not None
    assert many.verdict is not None
    assert few.verdict is not None
    assert few.without is not None
    assert (many.verdict.level, many.labelled.test.state) == ("confirmed", "confirmed")
    assert many.labelled.test.detectable < 0.1
    assert "300 labels agree; a hidden drop of" in many.verdict.message
    assert few.without.verdict is not None
    assert few.verdict.level == few.without.verdict.level
    needed = few.labelled.test.needed if few.labelled and few.labelled.test else None
    assert f"have {needed} labels" in few.verdict.message
    assert needed is not None
    assert report(needed + 30).first.verdict.level == "confirmed"  # type: ignore[union-attr]


def test_labels_that_contradict_are_red_and_correct_the_number() -> None:
    """With numbers, and the combined estimate as what may be quoted."""
    found = report(300, hidden=0.12).first
    assert found.verdict is not None
    assert (found.verdict.level, found.verdict.meaning) == ("red", "Contradicted by labels")
    assert "300 labels contradict the estimate: the score is" in found.verdict.message
    said = headline(found)
    assert said.before == "Corrected by 300 labels:"
    assert abs(found.estimate - 0.804) < 0.05
    assert found.without is not None
    assert abs(found.without.estimate - 0.924) < 0.02


def test_labels_that_somebody_picked_are_not_quoted() -> None:
    """Rows of one slice alone: no random draw, so the headline stays, in amber."""
    source, target = world()
    target["label"] = target["label"].where((target["late"] == 1) & (target.index < 300), None)
    rules = [md.Flag("late", column="late")]
    found = md.estimate(md.Sample(source, label="label", prediction="pred"), md.Sample(target), rules).first
    assert found.without is not None
    assert found.verdict is not None
    assert found.estimate == found.without.estimate
    assert found.verdict.level == "amber"
    assert "labels_not_random" in {finding.code for finding in found.findings}


@pytest.mark.parametrize(
    ("code", "check", "severity", "level"),
    [
        ("a", "columns", "serious", "confirmed"),
        ("b", "weights", "warning", "confirmed"),
        ("c", "weights", "serious", "red"),
        ("d", "rows", "warning", "amber"),
    ],
)
def test_labels_outweigh_columns_but_no_interval_that_cannot_be_trusted(code, check, severity, level) -> None:
    """Failed checks of columns are lifted, and doubts about weights; not a failed fit of them, nor too few rows."""
    found = report(300).first
    assert found.without is not None
    assert found.without.verdict is not None
    state = {"serious": "failed", "warning": "doubtful"}[severity]
    checks = [replace(one, state=state) if one.name == check else one for one in found.without.verdict.checks]
    if check not in {one.name for one in checks}:
        checks.append(md.Check(check, "Is it?", state, "No.", "No."))
    before = {"failed": "red", "doubtful": "amber"}[state]
    verdict = replace(found.without.verdict, level=before, checks=tuple(checks))
    assert found.labelled is not None
    _, target = world()
    some = np.random.default_rng(1).permutation(len(target)) < 300
    labelled = md.Sample(target.assign(label=target["label"].where(some, None)), prediction="pred")
    again = add_labels(replace(found.without, verdict=verdict), labelled).verdict
    assert again is not None
    assert again.level == level, again.message


def test_a_confirmed_estimate_is_better_than_green(tmp_path: Path, capsys: Captured) -> None:
    """`check --verdict green` passes; `--verdict confirmed` asks for labels."""
    source, target = world()
    some = np.random.default_rng(1).permutation(len(target)) < 300
    target["label"] = target["label"].where(some, None)
    changes = {
        "target": {"path": "target.csv"},
        "models": [{"name": "m", "prediction": "pred"}],
        "slices": [{"name": "late", "kind": "flag", "column": "late"}],
        "edges": None,
    }
    project = write_project(tmp_path, changes, source=source, target=target)
    assert run(capsys, "check", project, "--verdict", "confirmed")[0] == 0
    assert run(capsys, "check", project, "--verdict", "green")[0] == 0
    write_project(tmp_path, changes, source=source, target=target.drop(columns="label"))
    assert run(capsys, "check", project, "--verdict", "confirmed")[0] == 1


def test_the_test_says_what_it_would_show() -> None:
    """The change that is contradicted in 8 of 10 cases, by root finding: scores vary more where the model is worse."""
    whole = report(100).first
    test = whole.labelled.test  # type: ignore[union-attr]
    assert isinstance(test, SliceTest)
    error, share = (test.interval[1] - test.interval[0]) / 2 / norm.ppf(0.975), whole.without.estimate

    def deviation(change: float) -> float:
        more = (share - change) * (1 - share + change) - share * (1 - share)
        return float(np.sqrt(error**2 + more / 100))

    edge = brentq(lambda change: change - norm.ppf(0.975) * deviation(change), 0, 0.5)
    shown = brentq(lambda change: change - edge - norm.ppf(0.8) * deviation(change), edge, 0.5)
    assert test.detectable == pytest.approx(shown, rel=1e-5)
    assert shown > 2.8 * error
