"""The second opinion: Mandoline's number unless its verdict is red, then doubly robust with room for all who pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.checks import second_opinion_on
from mandoline_core.estimators import VOICES, get_estimator
from tests.core.answered import answers, state
from tests.core.projects import run_json, write_project

MODEL = md.Model("m", "pred", {"no": "p_no", "yes": "p_yes"})
RULES = [md.Category("there", column="place", values=("there",))]


def draw_world(rng: np.random.Generator, n: int, *, hard: float, place: float) -> pd.DataFrame:
    """Draw rows of a calibrated model that is less sure of hard rows, and less sure at a place."""
    is_hard, there = rng.random(n) < hard, rng.random(n) < place
    spread = np.where(is_hard, 6.0, 0.6) * np.where(there, 2.0, 1.0)
    chance = rng.beta(spread, spread)
    return pd.DataFrame(
        {
            "hard": is_hard.astype(int),
            "place": np.where(there, "there", "here"),
            "p_no": 1 - chance,
            "p_yes": chance,
            "pred": np.where(chance > 0.5, "yes", "no"),
            "label": np.where(rng.random(n) < chance, "yes", "no"),
        }
    )


def draw_frames(rng: np.random.Generator, hard: tuple[float, float]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw both samples; their places differ, and how many rows are hard may."""
    source = draw_world(rng, 800, hard=hard[0], place=0.3)
    return source, draw_world(rng, 600, hard=hard[1], place=0.6).drop(columns="label")


def draw_samples(
    rng: np.random.Generator, hard: tuple[float, float], model: md.Model = MODEL
) -> tuple[md.Sample, md.Sample]:
    """Give both frames their roles."""
    source, target = draw_frames(rng, hard)
    return md.Sample(source, label="label", models=[model]), md.Sample(target, models=[model])


CALM, ROUGH = (0.2, 0.2), (0.1, 0.7)  # how many rows are hard, in source and target
EXPLAINED, HIDDEN = (draw_samples(np.random.default_rng(0), hard) for hard in (CALM, ROUGH))


def test_where_slices_explain_the_change_it_is_their_number() -> None:
    """Number and interval alike; what the model's confidence says is said beside it."""
    report = md.estimate(*EXPLAINED, RULES).first
    opinion = second_opinion_on(report)
    assert opinion is not None
    assert (opinion.estimate, opinion.interval, opinion.follows) == (report.estimate, report.interval, "mandoline")
    heard = {name: md.estimate(*EXPLAINED, RULES, estimator=name).estimate for name in VOICES}
    assert opinion.methods == pytest.approx(heard)
    assert opinion.message == (
        f"Second opinion: Doubly robust gives {heard['doubly_robust']:.1%}, your slices give {report.estimate:.1%}. "
        f"Methods that pass their self-test give {min(heard.values()):.1%} to {max(heard.values()):.1%} "
        "(doubly_robust, mandoline, pape, doc, atc, cot). No check failed, so your slices are used."
    )


def test_where_they_do_not_it_is_doubly_robust_with_an_interval_that_spans_all() -> None:
    """The estimate itself does not move: nothing switches in silence."""
    report = md.estimate(*HIDDEN, RULES).first
    assert report.verdict is not None
    assert report.verdict.level == "red"
    opinion = second_opinion_on(report)
    heard = {name: md.estimate(*HIDDEN, RULES, estimator=name, spread=False).first for name in VOICES}
    values = [one.estimate for one in heard.values()]
    assert opinion is not None
    assert (opinion.estimate, opinion.follows) == (heard["doubly_robust"].estimate, "doubly_robust")
    low, high = opinion.interval
    assert low == min(one.interval[0] for one in heard.values())
    assert high == max(one.interval[1] for one in heard.values())
    assert opinion.message == (
        f"Second opinion: Doubly robust gives {opinion.estimate:.1%}, your slices give {report.estimate:.1%}. "
        f"Methods that pass their self-test give {min(values):.1%} to {max(values):.1%} "
        "(doubly_robust, mandoline, pape, doc, atc, cot). A check failed, so nothing is known to be right. "
        f"An interval that covers them all: {opinion.estimate:.1%} ({100 * low:.1f} to {100 * high:.1f})."
    )
    wrong = second_opinion_on(md.estimate(*HIDDEN, RULES, metric="error").first)
    assert wrong is not None
    assert wrong.estimate == pytest.approx(1 - opinion.estimate)
    assert wrong.interval == pytest.approx((1 - opinion.interval[1], 1 - opinion.interval[0]))


@pytest.mark.parametrize("world", [EXPLAINED, HIDDEN], ids=["explained", "hidden"])
def test_as_a_method_it_says_the_same_everywhere(world: tuple[md.Sample, md.Sample]) -> None:
    """Compared, and chosen for the estimate; the verdict stays Mandoline's."""
    report = md.estimate(*world, RULES).first
    chosen = md.estimate(*world, RULES, estimator="second_opinion").first
    compared = md.compare(*world, RULES, estimators=[*VOICES, "second_opinion"]).models["m"]
    entry, opinion = compared.entries["second_opinion"], second_opinion_on(report)
    assert opinion is not None
    assert (chosen.estimate, chosen.interval) == (opinion.estimate, opinion.interval)
    assert (entry.estimate, entry.interval) == (opinion.estimate, opinion.interval)
    assert chosen.verdict is not None
    assert report.verdict is not None
    assert chosen.verdict.level == report.verdict.level
    assert second_opinion_on(chosen) is None  # it is said once, as a finding
    assert opinion.finding.message in [finding.message for finding in chosen.findings]
    assert compared.second_opinion == opinion.finding.message
    every = [compared.entries[name].change_interval or (0.0, 0.0) for name in VOICES]
    if opinion.follows == "doubly_robust":  # a change is sure only if it is by all
        assert entry.change_interval == (min(every)[0], max(high for _, high in every))


def test_there_is_none_without_probabilities_or_of_another_metric_or_method() -> None:
    """Then nothing is said, and the method says why it does not apply."""
    plain = draw_samples(np.random.default_rng(0), ROUGH, md.Model("m", "pred"))
    assert second_opinion_on(md.estimate(*plain, RULES).first) is None
    assert second_opinion_on(md.estimate(*HIDDEN, RULES, metric="f1").first) is None
    assert second_opinion_on(md.estimate(*HIDDEN, RULES, estimator="cbpe").first) is None
    found = md.compare(*plain, RULES, estimators=["second_opinion"]).models["m"]
    assert found.second_opinion is None
    assert found.entries["second_opinion"].reason == (
        "Model 'm' has no class probabilities. Set probabilities in [[models]]."
    )
    without = md.compare(*HIDDEN, [], estimators=["second_opinion"]).models["m"].entries["second_opinion"]
    assert without.reason == "There are no slices. Add or enable at least one."


def test_without_a_verdict_the_method_refuses() -> None:
    """It does not guess which of both it should follow."""
    source = answers([0.1, 0.4, 0.6, 0.8], [0, 1, 1, 1])
    why = get_estimator("second_opinion").reason(state(source, answers([0.3, 0.8])))
    assert why == "This method needs a verdict on Mandoline's estimate. Use mandoline or doubly_robust."


def write_hidden(folder: Path, **changes: Any) -> Path:
    """Write the world in which a column that no slice names changed."""
    source, target = draw_frames(np.random.default_rng(0), ROUGH)
    named = {"name": "m", "prediction": "pred", "probabilities": dict(MODEL.probabilities)}
    there = {"name": "there", "kind": "category", "column": "place", "values": ["there"]}
    changes = {"models": [named], "slices": [there], "target": {"path": "target.csv"}} | changes
    return write_project(folder, changes, source=source, target=target)


def test_every_face_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text, JSON, HTML and the comparison."""
    path = write_hidden(tmp_path)
    report = md.estimate(md.load_project(path))
    opinion = second_opinion_on(report.first)
    assert opinion is not None
    printed = run_json(capsys, "estimate", path)
    assert printed["estimate"] == report.estimate
    assert printed["second_opinion"] == printed["models"]["m"]["second_opinion"]
    assert printed["second_opinion"] == {
        "estimate": opinion.estimate,
        "interval": list(opinion.interval),
        "follows": "doubly_robust",
        "range": [min(opinion.methods.values()), max(opinion.methods.values())],
        "methods": opinion.methods,
        "left_out": {},
        "mandoline": report.estimate,
        "cot": opinion.methods["cot"],
        "message": opinion.message,
    }
    said = "Second opinion: Doubly robust gives"
    assert said in " ".join(str(report).split())
    assert said.replace("'", "&#x27;") in report.to_html()
    assert said.replace("'", "&#x27;") in report._repr_html_()
    compared = md.compare(md.load_project(path), estimators=["mandoline", "second_opinion"])
    assert said in " ".join(str(compared).split())


def test_a_project_may_choose_it(tmp_path: Path) -> None:
    """By its name in the project file; the default stays."""
    path = write_hidden(tmp_path, estimator={"name": "second_opinion"})
    report = md.estimate(md.load_project(path)).first
    assert report.estimate == report.outcome.value != report.outcome.spanned[0].value
    assert md.EstimatorSettings().name == "mandoline"
