"""Audits: answers about single rows are a gold column with gaps, in either sample, wherever the rows stand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.checks import report_model
from mandoline_core.cli import main
from mandoline_core.estimators import get_estimator
from mandoline_core.labels import agreement_with, audit_columns, audit_state, published_correction
from mandoline_core.pipeline import Fit
from mandoline_core.slices import ANSWERS, Side, SliceAudit

N = {"source": 160, "target": 120}
COLUMNS = ("says", "kind")


def frames(seed: int = 7) -> dict[str, pd.DataFrame]:
    """Draw both samples: few columns, so that many rows hold the same, and a slice that is wrong now and then."""
    rng = np.random.default_rng(seed)
    found = {}
    for side, n in N.items():
        truly = rng.random(n) < (0.4 if side == "source" else 0.6)
        says = np.where(rng.random(n) < 0.85, truly, ~truly).astype(float)
        says[rng.random(n) < 0.1] = np.nan
        right = rng.random(n) < np.where(truly, 0.6, 0.9)
        found[side] = pd.DataFrame(
            {
                "says": says,
                "kind": rng.choice(["a", "b", "c"], n),
                "truly": truly,
                "label": 1,
                "guess": right.astype(int),
            }
        )
    return found


def samples(made: dict[str, pd.DataFrame]) -> dict[Side, md.Sample]:
    """Say which columns are what; the target has no label and no gold column."""
    return {
        "source": md.Sample(made["source"], label="label", prediction="guess"),
        "target": md.Sample(made["target"].drop(columns=["label", "truly"]), prediction="guess"),
    }


def audited(made: dict[str, pd.DataFrame], asked: dict[Side, list[int]]) -> SliceAudit:
    """Answer for some rows by the truth, in the order given."""
    audit = SliceAudit(COLUMNS)
    known = samples(made)
    for side, rows in asked.items():
        keys = known[side].row_keys(COLUMNS)
        for row in rows:
            audit = audit.put(side, keys.name(row), "truly_in" if made[side]["truly"][row] else "truly_out")
    return audit


def stated(made: dict[str, pd.DataFrame], **settings: object) -> Fit:
    """State the problem of one slice."""
    known = samples(made)
    rule = md.Flag("dark", column="says", **settings)  # type: ignore[arg-type]
    return md.prepare(known["source"], known["target"], [rule], model=known["source"].models[0])


MADE = frames()
MEASURED = md.Noise(measured=True)


def test_an_audit_of_every_row_is_the_gold_column():
    """The same corrections, estimate and interval, although many rows hold the same."""
    audit = audited(MADE, {"source": list(range(N["source"]))})
    assert len(audit.source) == N["source"]
    for name in ("mandoline", "denoised"):
        how = md.EstimatorSettings(name=name)
        column, answers = (
            report_model(stated(MADE, noise=MEASURED, **known), how) for known in ({"gold": "truly"}, {"audit": audit})
        )
        assert answers.estimate == column.estimate
        assert answers.interval == column.interval
        assert answers.problem.corrections().target.tolist() == column.problem.corrections().target.tolist()


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(0, N["source"], 4)), st.data())
def test_the_order_of_answers_does_not_matter(rows, data):
    """Nor do answers that were changed or taken back on the way."""
    straight = audited(MADE, {"source": sorted(rows)})
    turned = audited(MADE, {"source": list(rows)})
    keys = samples(MADE)["source"].row_keys(COLUMNS)
    for row in data.draw(st.lists(st.sampled_from(range(N["source"])), max_size=5)):
        key, answer = keys.name(row), data.draw(st.sampled_from(ANSWERS))
        before = next((one for one in ANSWERS if key in getattr(turned.source, one)), None)
        turned = turned.put("source", key, answer).put("source", key, before)
    assert turned == straight
    assert hash(turned) == hash(straight)
    assert repr(turned) == repr(straight)


def test_a_persons_answer_goes_before_the_gold_column():
    """Where the person says nothing, the column speaks."""
    audit = audited(MADE, {"source": []})
    name = samples(MADE)["source"].row_keys(COLUMNS).name
    wrong = {0: not MADE["source"]["truly"][0], 1: not MADE["source"]["truly"][1]}
    for row, answer in wrong.items():
        audit = audit.put("source", name(row), "truly_in" if answer else "truly_out")
    truth = stated(MADE, noise=MEASURED, gold="truly", audit=audit).truths["source"].answers["dark"]
    expected = np.where(MADE["source"]["truly"], 1, -1)
    expected[[0, 1]] *= -1
    assert truth.tolist() == expected.tolist()


def test_answers_about_target_rows_measure_its_own_corrections():
    """As if they had been counted and stated; the source's stay what they are."""
    rows: dict[Side, list[int]] = {"source": list(range(0, 160, 2)), "target": list(range(60))}
    audit = audited(MADE, rows)
    problem = stated(MADE, audit=audit, noise=md.Noise(measured=True, target_measured=True)).problem
    there = MADE["target"].iloc[:60]
    assert problem.audit is not None
    assert problem.audit.target is not None
    for code, says in ((1, 1.0), (-1, 0.0)):
        known = there[there["says"] == says]["truly"]
        assert problem.audit.target.counts[0, code + 1].tolist() == [(~known).sum(), known.sum()]
    alone = stated(MADE, audit=audit, noise=MEASURED).problem
    assert problem.corrections().source.tolist() == alone.corrections().source.tolist()


@pytest.mark.parametrize("name", ["mandoline", "denoised"])
def test_audited_target_rows_move_the_estimate_as_differences_say(name):
    """The influence of a target row through the corrections it helped to measure, against counting it twice."""
    audit = audited(MADE, {"source": [], "target": list(range(60))})
    problem = stated(MADE, audit=audit, noise=md.Noise(md.Correction(0.85, 0.1), target_measured=True)).problem
    estimator = get_estimator(name)
    part = estimator.estimate(problem).influence.target_audit
    assert part.rows.tolist() == list(range(60))
    codes, truth = problem.patterns.codes[problem.members.target[:60], 0], problem.audit.target.answers[:60, 0]
    step = 1e-5
    for place in range(0, 60, 9):
        values = []
        for sign in (1, -1):
            alike = codes == codes[place]
            counts = alike * (1 + sign * step * (np.arange(60) == place))
            own = problem.rule.own_target.copy()
            share = (counts * (truth == 1)).sum() / counts.sum()
            moved = own[0, codes[place] + 1] + share - (truth[alike] == 1).mean()
            own[0, codes[place] + 1] = moved
            values.append(estimator.means(replace(problem, rule=replace(problem.rule, own_target=own)))[0])
        assert part.moves[place] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-8)


def test_fewer_answers_make_a_wider_interval():
    """In either sample; and squares of the rows' pieces add up to the variance."""
    noise = md.Noise(measured=True, target_measured=True)
    widths = []
    for n in (15, 60):
        audit = audited(MADE, {"source": list(range(n)), "target": list(range(n))})
        problem = stated(MADE, audit=audit, noise=noise).problem
        outcome = get_estimator("denoised").estimate(problem)
        error = outcome.influence.standard_error()
        widths.append(error)
        assert sum(piece @ piece for piece in outcome.influence.pieces(problem.members)) == pytest.approx(error**2)
        assert error > outcome.error_if_known
    assert widths[0] > widths[1]


def test_answers_find_their_rows_again():
    """Elsewhere in the file, in another engine, beside other columns; a row that holds something else is another."""
    audit = audited(MADE, {"source": list(range(30))})
    mixed = MADE["source"].sample(frac=1.0, random_state=2).reset_index(drop=True)
    others = {
        "mixed": mixed,
        "polars": pl.from_pandas(mixed),
        "arrow": pl.from_pandas(mixed).to_arrow(),
        "more": mixed.assign(more=np.arange(len(mixed)), guess=0),
    }
    expected = np.bincount(audit.truth("source", samples(MADE)["source"]) + 1)
    for name, frame in others.items():
        found = audit.truth("source", md.Sample(frame))
        assert np.bincount(found + 1).tolist() == expected.tolist(), name
    changed = MADE["source"].assign(kind="z")
    assert not audit.truth("source", md.Sample(changed)).any()
    assert audit.lost("source", md.Sample(changed)) == 30


def test_lost_answers_are_a_finding_and_the_others_stay():
    made = {**MADE, "source": MADE["source"].iloc[20:].reset_index(drop=True)}
    unlike = MADE["source"].assign(kind=[f"k{i}" for i in range(N["source"])])
    audit = audited({**MADE, "source": unlike}, {"source": list(range(60))})
    made = {**MADE, "source": unlike.iloc[20:].reset_index(drop=True)}
    report = report_model(stated(made, audit=audit, noise=MEASURED), md.EstimatorSettings())
    (finding,) = [one for one in report.findings if one.code == "audited_rows_lost"]
    assert "20 of 60 audit answers for slice 'dark'" in finding.message
    assert (report.problem.audit.answers != 0).sum() == 40


def test_a_changed_rule_keeps_the_answers_and_moves_the_strata():
    audit = audited(MADE, {"source": list(range(40))})
    known = samples(MADE)
    rules = [
        md.Flag("dark", column="says", audit=audit),
        md.Category("dark", column="kind", values=("a",), audit=audit),
    ]
    states = []
    for rule in rules:
        cells = md.prepare(known["source"], known["target"], [rule], model=known["source"].models[0]).cells
        states.append(audit_state(cells, "dark", audit).strata)
    assert [sum(one.answered for one in found) for found in states] == [40, 40]
    first = MADE["source"].iloc[:40]
    assert states[1][0].answered == (first["kind"] == "a").sum()
    assert states[1][0].truly_in == first[first["kind"] == "a"]["truly"].sum()


def test_rows_are_drawn_by_stratum_and_none_twice():
    """In and out in turn, abstained too; skipped rows do not come back; stopping and going on changes nothing."""
    cells = stated(MADE).cells
    audit, asked = SliceAudit(COLUMNS), []
    for _ in range(60):
        question = audit_state(cells, "dark", audit).question
        assert question == audit_state(cells, "dark", audit).question
        asked.append((question.side, question.key))
        audit = audit.put(question.side, question.key, "skipped" if len(asked) % 10 == 0 else "truly_in")
    assert len(set(asked)) == 60
    strata = audit_state(cells, "dark", audit).strata
    assert [(one.side, one.code) for one in strata] == [(side, code) for side in N for code in (1, -1, 0)]
    assert {one.asked for one in strata} == {10}
    alone = [audit_state(cells, "dark", SliceAudit(COLUMNS), sides=("target",), seed=seed) for seed in (1, 2, 3)]
    assert {found.question.side for found in alone} == {"target"}
    assert len({found.question.row for found in alone}) > 1


def test_enough_is_a_matter_of_width():
    """Agreeing answers are enough sooner than others; an audit of all rows is enough, whatever it says."""
    cells = stated(MADE).cells
    few = audit_state(cells, "dark", audited(MADE, {"source": list(range(40)), "target": list(range(40))}))
    assert not few.is_enough
    assert 0 < few.progress < 1
    everyone = audited(MADE, {side: list(range(n)) for side, n in N.items()})
    found = audit_state(cells, "dark", everyone)
    assert (found.is_enough, found.progress, found.question) == (True, 1.0, None)
    assert found.has("source")
    assert not audit_state(cells, "dark", SliceAudit(COLUMNS)).has("source")


def test_the_project_file_holds_the_answers_and_the_command_line_has_the_same_numbers(tmp_path: Path, capsys):
    made = frames(3)
    audit = audited(made, {"source": list(range(0, 160, 3)), "target": list(range(0, 120, 3))})
    made["source"].to_csv(tmp_path / "source.csv", index=False)
    made["target"].drop(columns=["label", "truly"]).to_csv(tmp_path / "target.csv", index=False)
    noise = md.Noise(measured=True, target_measured=True)
    project = md.Project(
        name="audited",
        source_path=Path("source.csv"),
        target_path=Path("target.csv"),
        label="label",
        models=(md.Model("m", "guess"),),
        slices=(md.Flag("dark", column="says", audit=audit, noise=noise),),
        base=tmp_path,
    )
    path = tmp_path / "project.toml"
    md.save_project(project, path)
    assert md.load_project(path).slices == project.slices
    report = md.estimate(md.load_project(path))
    assert main(["estimate", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["estimate"] == report.estimate
    assert told["interval"] == list(report.interval)
    known = samples(made)
    assert report.estimate == md.estimate(known["source"], known["target"], list(project.slices)).estimate


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {},
            ("the audit of [[slices]] number 1 ('s') has no columns. Add columns, the columns that identify its rows."),
        ),
        (
            {"columns": ["x"], "source": {"truly_in": ["a"], "skipped": ["a"]}},
            "[[slices]] number 1 ('s'): Row 'a' is both truly_in and skipped in an audit. Keep one.",
        ),
        (
            {"columns": ["x"], "source": {"inside": ["a"]}},
            (
                "Unknown key 'inside' in source of the audit of [[slices]] number 1 ('s'). Expected: truly_in, "
                "truly_out, skipped."
            ),
        ),
        (
            {"columns": "x"},
            "[[slices]] number 1 ('s'): columns of an audit must be a list of column names. Got 'x'.",
        ),
    ],
)
def test_what_is_wrong_with_an_audit_is_said(table, message):
    content = {
        "version": 1,
        "source": {"path": "a.csv"},
        "target": {"path": "b.csv"},
        "task": {"label": "y"},
        "models": [{"name": "m", "prediction": "p"}],
        "slices": [{"name": "s", "kind": "missing", "column": "x", "audit": table}],
    }
    with pytest.raises(md.ProjectError) as error:
        md.parse_project(content, ".")
    assert str(error.value) == message


def test_measuring_without_answers_says_what_to_do():
    with pytest.raises(md.MandolineError, match="has no gold labels on labelled rows"):
        stated(MADE, audit=SliceAudit(COLUMNS), noise=MEASURED)
    audit = audited(MADE, {"source": [], "target": [0]})
    with pytest.raises(md.MandolineError, match="no new row with a gold label is"):
        stated(MADE, audit=audit, noise=md.Noise(target_measured=True))


def test_what_a_person_sees_of_a_row_is_neither_label_nor_answer():
    known = samples(MADE)
    rule = md.Not("light", of=(md.Flag("dark", column="says"),))  # type: ignore[arg-type]
    assert audit_columns(rule, known["source"], known["target"]) == ("says", "kind")


@given(st.lists(st.integers(1, 200), min_size=4, max_size=4))
def test_published_precision_and_recall_give_the_corrections_of_the_table_they_come_from(counts):
    """Any table of four counts: its precision, recall and rate lead back to it."""
    hit, false, missed, rest = counts
    n = sum(counts)
    if hit / (hit + false) == missed / (missed + rest):
        return
    found = published_correction(hit / (hit + false), hit / (hit + missed), (hit + false) / n)
    assert found.inside == pytest.approx(hit / (hit + false))
    assert found.outside == pytest.approx(missed / (missed + rest))


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((90, 0.5, 0.2), "precision must be between 0 and 1. Got 90. Did you mean 0.9?"),
        ((0.9, 0.0, 0.2), "A slice with a precision or a recall of 0 is never right."),
        (
            (0.9, 0.5, 1.0),
            "The slice contains 100.0% of the rows, so precision and recall do not show what it misses.",
        ),
        ((0.9, 0.2, 0.5), "are impossible for a slice that contains 50.0% of the rows."),
        ((0.2, 0.2, 0.2), "mean that the slice carries no information"),
    ],
)
def test_impossible_publications_are_refused_in_a_sentence(numbers, message):
    with pytest.raises(md.ProjectError) as error:
        published_correction(*numbers)
    assert message in str(error.value)


def test_a_second_rule_taken_for_the_truth_is_a_gold_column_without_gaps():
    """With the rows behind it; where it abstains it says nothing."""
    codes = stated(MADE).problem
    says = codes.patterns.codes[codes.members.source, 0]
    truth = np.where(MADE["source"]["truly"], 1, -1).astype(np.int8)
    found = agreement_with("dark", says, truth)
    column = stated(MADE, gold="truly", noise=MEASURED).problem.corrections().source[0]
    assert [found.correction.outside, found.correction.abstain, found.correction.inside] == pytest.approx(column)
    assert found.n == N["source"]
    truth[:100] = 0
    assert agreement_with("dark", says, truth).n == N["source"] - 100
