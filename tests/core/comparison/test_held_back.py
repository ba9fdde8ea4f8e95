"""Rankings and differences are held back where a verdict is red, and disagreement is among methods alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.comparison import Entry, ModelComparison
from mandoline_core.pipeline import SelfTest
from mandoline_core.report.words import methods
from tests.core.checks.test_second_opinion import CALM, ROUGH, RULES, draw_frames

MODELS = [md.Model("m", "pred", {"no": "p_no", "yes": "p_yes"}), md.Model("w", "worse", {"no": "p_no", "yes": "p_yes"})]
ASKED = ["source", "mandoline", "doubly_robust", "cot"]


def compare_two(hard: tuple[float, float], *, labels: bool = False) -> md.Comparison:
    """Compare a model with one that says the opposite of every tenth row."""
    source, target = draw_frames(np.random.default_rng(0), hard)
    frames = []
    for frame in (source, target):
        flipped = np.arange(len(frame)) % 10 == 0
        other = np.where(frame["pred"] == "yes", "no", "yes")
        frames.append(frame.assign(worse=np.where(flipped, other, frame["pred"])))
    if labels:
        frames[1] = frames[1].assign(label=frames[1]["pred"])
    new = md.Sample(pd.DataFrame(frames[1]), label="label" if labels else None, models=MODELS)
    return md.compare(md.Sample(frames[0], label="label", models=MODELS), new, RULES, estimators=ASKED)


@pytest.fixture(scope="module")
def red() -> md.Comparison:
    """Compare where a column that no slice names changed."""
    return compare_two(ROUGH)


def test_red_holds_back_the_ranking_and_the_differences(red: md.Comparison) -> None:
    """In JSON and text, with the reason; the ranking on labelled data is a fact and stays."""
    plain = red.as_dict()
    assert {plain["models"][name]["verdict"] for name in ("m", "w")} == {"red"}
    assert plain["held_back"].startswith("The verdict on m, w is red. On real shifts with a red verdict")
    assert plain["rankings"]["source"]["order"] == ("m", "w")
    assert plain["rankings"]["source"]["held_back"] is None
    for name in ("mandoline", "doubly_robust"):
        assert plain["rankings"][name]["order"] == ()
        assert plain["rankings"][name]["held_back"] == plain["held_back"]
    held = {one["estimator"]: one for one in plain["differences"]}
    assert held["source"]["value"] > 0
    assert (held["mandoline"]["value"], held["mandoline"]["interval"]) == (None, None)
    assert held["mandoline"]["held_back"] == plain["held_back"]
    text = " ".join(str(red).split())
    assert "! Rankings and differences by estimates are held back. The verdict on m, w is red." in text
    assert "m - w by source:" in text
    assert "m - w by mandoline" not in text
    assert "Rankings by estimates are held back." in red._repr_html_()


def test_outside_red_models_are_ranked_but_never_by_optimal_transport() -> None:
    """Its bias differs from model to model."""
    found = compare_two(CALM)
    assert found.held_back is None
    assert found.rankings["mandoline"].order == ("m", "w")
    assert "m - w by mandoline" in str(found)
    assert found.rankings["cot"].order == ()
    assert found.rankings["cot"].held_back is not None
    assert found.rankings["cot"].held_back.startswith("Optimal transport does not rank models")
    by_transport = [one for one in found.differences if one.estimator == "cot"]
    assert [one.value for one in by_transport] == [None]


def test_a_known_truth_judges_the_rankings_in_red() -> None:
    """Then nothing is claimed: methods are scored."""
    found = compare_two(ROUGH, labels=True)
    assert {model.verdict for model in found.models.values()} == {"red"}
    assert found.held_back is None
    assert found.rankings["mandoline"].tau == 1.0
    assert found.rankings["cot"].order == ()


def entries_of(red: md.Comparison, **estimates: float) -> ModelComparison:
    """Set the estimates of methods that pass their self-test."""
    entries = {
        name: Entry(
            name,
            available=True,
            estimate=value,
            interval=(value - 0.01, value + 0.01),
            self_test=SelfTest(0, 0.01, 800),
        )
        for name, value in estimates.items()
    }
    return replace(red.models["m"], entries=entries)


def test_the_banner_is_silent_where_only_another_assumption_is_away(red: md.Comparison) -> None:
    """Label shift is another assumption than slices; a method that fails its self-test is not heard."""
    alike = entries_of(red, source=0.9, simple=0.80, mandoline=0.805, bbse=0.4, doc=0.7, atc=0.71)
    assert methods.agreement(alike) == ("Methods with the same assumption agree within 1.0 points.", False)
    assert alike.disagreement == pytest.approx(0.01)
    apart = entries_of(red, simple=0.80, mandoline=0.9, bbse=0.4)
    said, caution = methods.agreement(apart)
    assert caution
    assert said.startswith("Methods with the same assumption disagree by 10.0 points: Post-stratification")
    failing = replace(apart.entries["simple"], self_test=SelfTest(0.1, 0.01, 800, failed=True))
    left = replace(apart, entries=apart.entries | {"simple": failing})
    assert left.disagreement is None
    assert methods.agreement(left) == ("No two methods share an assumption and pass their self-test.", False)
