"""What is kept of full runs on text shows what the paper shows."""

from __future__ import annotations

from mandoline_core.paper.experiments.overlap_ablation import STAGES
from tests.core.paper.quick import value_of
from tests.core.paper.test_stored import kept

AVERAGE = "average error, points"


def test_error_falls_with_every_step_of_the_ablation() -> None:
    found = kept("overlap-ablation")
    falls = [value_of(found, measure=AVERAGE, slices=stage) for stage in STAGES]
    assert falls == sorted(falls, reverse=True)
    assert falls[-1] < falls[0] / 3


def test_mandoline_beats_the_source_score_on_every_model_and_target_of_groups() -> None:
    found = kept("identity-groups")
    measure = "mean absolute error by model, points"
    for model in ("lr", "nb", "forest"):
        plain = value_of(found, measure=measure, model=model, method="source")
        for slices in ("metadata", "keywords", "keywords, corrected"):
            assert value_of(found, measure=measure, model=model, slices=slices) < plain / 2
    ways = [row["value"] for row in found.rows if row["measure"] == "runs adjusted the right way, %"]
    assert ways == [100.0] * 9


def test_slices_of_the_models_answers_beat_the_text_and_rank_better() -> None:
    found = kept("nli-shift")
    for metric in ("standard", "binary"):
        for method in ("source", "cbiw_features", "kmm_features", "ulsif_features"):
            errors, taus = (
                [value_of(found, measure=measure, metric=metric, method=one) for one in ("mandoline", method)]
                for measure in (AVERAGE, "Kendall's tau")
            )
            assert errors[0] < 0.8 * errors[1]
            assert taus[0] > taus[1]
        assert value_of(found, measure="models adjusted the right way, %", metric=metric, method="mandoline") > 85


def test_entropy_slices_take_off_much_of_the_error_on_every_target() -> None:
    found = kept("sentiment")
    for target in ("counterfactual", "posts", "restaurants", "products"):
        errors = [value_of(found, measure=AVERAGE, target=target, slices=slices) for slices in ("entropy", "none")]
        assert errors[0] < 0.6 * errors[1]
