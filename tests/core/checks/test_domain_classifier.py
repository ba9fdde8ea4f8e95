"""Whether a classifier can tell weighted rows from new ones: the check, its cost, and irrelevant columns."""

from __future__ import annotations

import html
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.checks import domain_classifier as module
from mandoline_core.checks.columns import domain_findings
from mandoline_core.checks.domain_classifier import DomainTest
from mandoline_core.domain_classifier import TopFeature
from mandoline_core.pipeline import code, count, fit
from mandoline_core.project import MetricSettings, TrustSettings
from tests.core.made_worlds import rows
from tests.core.projects import refused, run, run_json, small_frames, write_project

SLICES = (md.Flag("a", column="a"), md.Flag("b", column="b"))
HOSTILE = "<script>alert(1)</script>"


def samples(seed: int = 0, *, year: str = "year", same: bool = False) -> tuple[md.Sample, md.Sample]:
    """Draw a sound world whose samples are from other years, or from the same."""
    rng = np.random.default_rng(seed)
    source = rows(rng, 2000, rates=(0.2, 0.3)).assign(**{year: 2015})
    target = rows(rng, 1500, rates=(0.5, 0.5)).assign(**{year: 2015 if same else 2018})
    return md.Sample(source, label="label", prediction="pred"), md.Sample(target.drop(columns="label"))


def check(report: md.Report) -> md.Check:
    """Return what became of the check."""
    assert report.verdict is not None
    return next(one for one in report.verdict.checks if one.name == "apart")


def test_a_sound_world_passes_once_weighted() -> None:
    """Slices explain what a classifier saw before weighting: what is left is chance."""
    report = md.estimate(*samples(same=True), SLICES)
    found = report.first.evidence.domain_test
    assert check(report).state == "passed"
    assert found is not None
    assert found.before > 0.6
    assert abs(found.after - 0.5) < 4 * found.error


def test_a_year_that_gives_rows_away_is_amber_until_it_is_declared_harmless() -> None:
    """The classifier does not look at it; with the declaration the verdict is green, and says what it rests on."""
    report = md.estimate(*samples(), SLICES)
    assert report.verdict is not None
    assert report.verdict.level == "amber"
    assert check(report).state == "passed"
    (finding,) = [one for one in report.findings if one.code == "names_sample"]
    assert finding.as_dict()["numbers"]["columns"] == ["year"]
    assert finding.remedy == (
        "If nothing else changed with year, mark it as irrelevant with a reason. Otherwise label 60 new rows."
    )
    declared = md.estimate(*samples(), SLICES, harmless={"year": "nothing else changed"})
    assert declared.verdict is not None
    assert declared.verdict.level == "green"
    assert declared.estimate == report.estimate
    assert declared.first.evidence.left_out["year"] == "marked as irrelevant"
    said = "year is marked as irrelevant: nothing else changed."
    assert said in str(declared).replace("\n", " ")
    assert html.escape(said) in declared._repr_html_()
    assert declared.as_dict()["verdict"]["harmless"] == [{"column": "year", "reason": "nothing else changed"}]
    assert md.estimate(*samples(), SLICES, harmless=["year"]).verdict.declared[0].endswith("(no reason given).")


def test_a_column_that_is_off_leaves_the_balance_too() -> None:
    """Its line, its finding and the slice that it suggests go; the others stay, with fewer comparisons to allow for."""
    rng = np.random.default_rng(1)
    source = rows(rng, 2000, rates=(0.2, 0.3), by_age=0.1)
    target = rows(rng, 1500, rates=(0.4, 0.3), age=47, by_age=0.1)
    pair = md.Sample(source, label="label", prediction="pred"), md.Sample(target.drop(columns="label"))
    for split in ("none", "half"):
        before, after = (md.estimate(*pair, SLICES, harmless=names, split=split) for names in ((), ("age",)))
        assert "unmodelled_shift" in {one.code for one in before.findings}
        assert {"unmodelled_shift", "told_apart"}.isdisjoint(one.code for one in after.findings)
        lines = [{line.column for line in one.first.evidence.columns or ()} for one in (before, after)]
        assert lines[0] - lines[1] == {"age"}


def test_disjoint_words_are_named() -> None:
    """What no single column shows by its mean, words together do."""
    rng = np.random.default_rng(2)
    here, there = (
        [" ".join(rng.choice([f"{letter}{i}" for i in range(200)], 12)) for _ in range(400)] for letter in "ab"
    )
    right = {"y": 1, "p": rng.integers(0, 2, 400), "flag": rng.random(400) < 0.5}
    source = md.Sample(pd.DataFrame({"text": here, **right}), label="y", prediction="p")
    target = md.Sample(pd.DataFrame({"text": there, **right}).drop(columns="y"))
    report = md.estimate(source, target, [md.Flag("flag", column="flag")])
    found = report.first.evidence.domain_test
    assert found is not None
    assert found.after > 0.99
    assert found.top_features[0].column == "text"
    assert len(found.top_features[0].items) == 3


@settings(max_examples=40)
@given(st.floats(0.5, 1.0), st.floats(0.001, 0.3))
def test_the_finding_follows_the_auc_and_its_error(after: float, error: float) -> None:
    """Nothing below 0.7 or within luck; serious from 0.9 on; never less severe for a larger AUC."""
    found = DomainTest(0.9, after, error, (TopFeature("c", 1.0, ()),), 100, 100)
    severities = [one.severity if isinstance(one, md.Finding) else "not run" for one in domain_findings(found)]
    if after < 0.7 or after - 0.5 < (2 if after >= 0.9 else 3) * error:
        assert severities == (["not run"] if error > 0.15 else [])
    else:
        assert severities == ["serious" if after >= 0.9 else "warning"]


def test_scores_are_made_once_and_weighed_by_every_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another correction, another slice and another model pay for the weighing alone."""
    calls = []
    tell = module.fit_domain_classifier
    monkeypatch.setattr(module, "fit_domain_classifier", lambda *args, **named: calls.append(1) or tell(*args, **named))
    source, target = samples(5)
    model = source.models[0]
    found = []
    for rules in (SLICES, SLICES[:1]):
        cells = count(code(source, target, rules, model), MetricSettings())
        for inside in (1.0, 0.9):
            stated = [replace(rule, noise=md.Noise(md.Correction(inside=inside, outside=0.0))) for rule in rules]
            report = md.report_model(fit(cells, stated), md.EstimatorSettings())
            found.append(report.evidence.domain_test)
    assert len(calls) == 1
    assert len({one.before for one in found if one is not None}) == 1


def test_methods_without_weights_and_codes_without_columns_are_not_asked() -> None:
    """The check of the columns says why nothing can be compared; once is enough."""
    report = md.estimate_from_codes([[1], [-1], [-1], [-1]], [0.0, 1.0, 1.0, 1.0], [[1], [-1]])
    assert report.verdict is not None
    assert "apart" not in {one.name for one in report.verdict.checks}


def test_a_method_that_weights_rows_by_their_columns_is_asked_with_its_own_weights() -> None:
    """Rows of one pattern may count differently."""
    found = md.estimate(*samples(6, same=True), SLICES, estimator="cbiw_features").first.evidence.domain_test
    assert found is not None
    assert found.after < 0.58 < found.before


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ("year", "Got 'year'. Did you mean ['year']?"),
        ([1], "Got [1]."),
        ({"year": 1}, "Got {'year': 1}."),
    ],
)
def test_what_names_no_columns_is_refused(given_: object, message: str) -> None:
    """With what was expected."""
    with pytest.raises(md.ProjectError) as caught:
        TrustSettings(harmless=given_)  # type: ignore[arg-type]
    expected = "harmless must be a list of columns, or a table with a reason for each column."
    assert str(caught.value) == f"{expected} {message}"


texts = st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable())


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(texts, st.text(max_size=30).filter(lambda text: text.isprintable() or not text), max_size=4))
def test_a_project_file_keeps_declarations(harmless: dict[str, str]) -> None:
    """Whatever columns and reasons are called; without reasons, as a list."""
    project = md.Project(
        name="a",
        source_path="a.csv",
        target_path="b.csv",
        label="y",
        models=[md.Model("m", "p")],
        trust=TrustSettings(harmless=harmless),
    )
    content = tomllib.loads(md.dump_project(project))
    assert md.parse_project(content, ".") == project
    if harmless and not any(harmless.values()):
        assert content["trust"]["harmless"] == list(harmless)


def test_the_command_line_takes_the_declaration_from_the_file(tmp_path: Path, capsys) -> None:
    """Printed with the verdict, in the JSON and in the report; a column that is not there is refused."""
    source, target, _ = small_frames()
    frames = {"source": source.assign(year=2015), "target": target.assign(year=2018)}
    plain = write_project(tmp_path, **frames)
    codes = {one["code"] for one in run_json(capsys, "estimate", plain)["findings"]}
    assert "names_sample" in codes
    path = write_project(tmp_path, {"trust": {"harmless": {"year": HOSTILE}}}, **frames)
    found = run_json(capsys, "estimate", path)["verdict"]
    assert found["harmless"] == [{"column": "year", "reason": HOSTILE}]
    assert found["level"] != "red"
    assert "year is marked as irrelevant" in run(capsys, "estimate", path)[1]
    run(capsys, "report", path, "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("year is marked as irrelevant: &lt;script&gt;") == 2
    assert HOSTILE not in page.split('type="application/json"')[0]
    wrong = write_project(tmp_path, {"trust": {"harmless": ["yaer"]}}, **frames)
    assert "harmless in [trust] names an unknown column 'yaer'" in refused(capsys, wrong)
    unknown = write_project(tmp_path, {"trust": {"harmles": ["year"]}}, **frames)
    assert "Did you mean 'harmless'?" in refused(capsys, unknown)


def test_no_slice_is_suggested_on_a_column_declared_harmless() -> None:
    """Neither by a balance line nor by a search; other columns are still looked at."""
    rng = np.random.default_rng(3)
    source, target = rows(rng, 1500, rates=(0.2, 0.3), by_age=0.1), rows(rng, 1000, rates=(0.5, 0.3), age=48)
    pair = md.Sample(source, label="label", prediction="pred"), md.Sample(target.drop(columns="label"))
    read = [
        {
            column
            for one in md.suggest(*pair, [], harmless=names).suggestions
            for column in getattr(one.rule, "reads", ())
        }
        for names in ((), ("age",))
    ]
    assert "age" in read[0]
    assert "age" not in read[1]
    assert read[1]
