"""Coverage of `init` then `estimate`: 500 worlds, files written, a project drafted, saved, loaded and estimated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mandoline_core as md
from mandoline_core.monitoring import draft_project
from tests.calibration.test_auto_coverage import POPULATION, World

WORLDS = 500


@pytest.mark.slow
def test_intervals_of_a_drafted_project_cover_at_least_90_percent(tmp_path, record_property):
    """Of 95% intervals; worlds in which nothing was enabled give no estimate, and are counted."""
    held, naive, none = [], [], 0
    for number in range(WORLDS):
        world = World(np.random.default_rng([90, number]))
        truth = float(world.draw(POPULATION, target=True)[1].mean())
        for side in ("source", "target"):
            world.sample(target=side == "target").frame.to_native().to_csv(tmp_path / f"{side}.csv", index=False)
        file = tmp_path / f"{number}.toml"
        paths = tmp_path / "source.csv", tmp_path / "target.csv"
        file.write_text(draft_project(*paths, file, label="y", predictions=["p"]).to_toml(), encoding="utf-8")
        project = md.load_project(file)
        if not any(rule.enabled for rule in project.slices):
            none += 1
            continue
        for hits, one in ((held, project), (naive, replace(project, trust=md.TrustSettings()))):
            low, high = md.estimate(one).interval
            hits.append(low <= truth <= high)
    said = (
        f"init then estimate: {np.mean(held):.1%} of {len(held)} intervals cover; taking the slices as given, "
        f"{np.mean(naive):.1%}; no slice was enabled in {none} of {WORLDS} worlds"
    )
    record_property("measured", said)
    print(said)
    assert np.mean(held) >= 0.90, said
