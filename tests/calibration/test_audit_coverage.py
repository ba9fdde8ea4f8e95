"""Coverage where a person answered for 30 rows a slice, as many of each kind: 500 simulated worlds each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.estimators import get_estimator
from mandoline_core.pipeline import interval_of
from mandoline_core.slices import Side, SliceAudit
from tests.calibration.audited import abstaining_draws
from tests.calibration.test_measured_coverage import said_of
from tests.worlds import WorldRows, random_world

REPETITIONS, ROWS, ANSWERS = 500, 2000, 30
# So many worlds must have an estimate. There is none where the answers say next to nothing: of five answers each,
# as where both samples are asked about and slices abstain, as many may be truly in inside a slice as outside.
FEWEST = 0.9
LEAST = 0.92  # must be covered, of a nominal 95%: thirty answers are few for a linear approximation
COLUMNS = ("s0", "s1", "row")


def world(name: str, rng: np.random.Generator) -> tuple[dict[Side, WorldRows], float]:
    """Draw both samples of a world in which the estimator is right, with the target's true score."""
    if name == "mandoline":
        source, target, score = abstaining_draws(ROWS, rng)
        return {"source": source, "target": target}, score
    made = random_world(rng, n_slices=2, accuracy=rng.uniform(0.8, 0.95))
    return {side: made.draw(side, ROWS, rng) for side in ("source", "target")}, made.score("target")


def sample(draw: WorldRows) -> md.Sample:
    """Write a draw as rows with a label and an answer."""
    codes = {f"s{i}": draw.codes[:, i] for i in range(2)}
    frame = pd.DataFrame({**codes, "row": np.arange(ROWS), "label": 1.0, "guess": draw.scores})
    return md.Sample(frame, label="label", prediction="guess")


def audited(
    samples: dict[Side, md.Sample], draws: dict[Side, WorldRows], sides: tuple[Side, ...], rng: np.random.Generator
) -> list[md.Slice]:
    """Answer for rows of every stratum in turn, slice by slice."""
    noise = md.Noise(measured="source" in sides, target_measured="target" in sides)
    found: list[md.Slice] = []
    for i in range(2):
        audit = SliceAudit(COLUMNS)
        strata = [(side, code) for side in sides for code in (1, -1, 0) if (draws[side].codes[:, i] == code).any()]
        for number, (side, code) in enumerate(strata):
            n = len(range(number, ANSWERS, len(strata)))
            for row in rng.permutation(np.flatnonzero(draws[side].codes[:, i] == code))[:n]:
                inside = draws[side].truth[row, i] == 1
                key = samples[side].row_keys(COLUMNS).name(row)
                audit = audit.put(side, key, "truly_in" if inside else "truly_out")
        found.append(md.Flag(f"s{i}", column=f"s{i}", audit=audit, noise=noise))
    return found


@pytest.mark.long
@pytest.mark.parametrize("sides", [("source",), ("source", "target")], ids=["labelled rows", "both"])
@pytest.mark.parametrize("name", ["denoised", "mandoline"])
def test_intervals_with_thirty_answers_a_slice_cover(name, sides, record_property):
    """Also what they would cover if the answers' shares were taken for exact."""
    rng = np.random.default_rng(61)
    hits, short, failures = [], [], 0
    for _ in range(REPETITIONS):
        draws, truth = world(name, rng)
        samples = {side: sample(draw) for side, draw in draws.items()}
        rules = audited(samples, draws, sides, rng)
        try:
            problem = md.prepare(*samples.values(), rules, model=samples["source"].models[0]).problem
            outcome = get_estimator(name).estimate(problem)
        except md.MandolineError:
            failures += 1
            continue
        low, high = interval_of(problem, outcome, 0.95)
        hits.append(low <= truth <= high)
        short.append(abs(outcome.value - truth) <= 1.96 * outcome.error_if_known)
    said = said_of(f"{name}, {ANSWERS} answers a slice about {' and '.join(sides)} rows", hits, failures)
    record_property("measured", f"{said}; taken for exact, {np.mean(short):.1%} would")
    assert len(hits) >= FEWEST * REPETITIONS, said
    assert np.mean(hits) >= LEAST, said
