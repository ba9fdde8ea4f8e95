"""Remedies: what the app offers to do about a finding is about what the finding names."""

from __future__ import annotations

import numpy as np
import pandas as pd

from app.project.remedies import remedies
from mandoline_core import Flag, Model, Project, Sample, estimate


def test_a_column_that_is_off_gets_its_own_slice_also_beside_a_twin() -> None:
    """Two columns that hold the same are off by the same numbers, to the last digit."""
    rng = np.random.default_rng(0)
    frames = []
    for centre in (0.0, 3.0):
        values = rng.normal(centre, 1.0, 400)
        frames.append(
            pd.DataFrame(
                {"label": rng.integers(0, 2, 400), "pred": rng.integers(0, 2, 400), "first": values, "second": values}
            ).assign(flag=rng.integers(0, 2, 400))
        )
    source = Sample(frames[0], label="label", prediction="pred")
    report = estimate(source, Sample(frames[1].drop(columns="label"), prediction="pred"), [Flag("flag", column="flag")])
    (model,) = report.models.values()
    project = Project(
        name="twins", source_path="a", target_path="b", label="label", models=(Model("m", prediction="pred"),)
    )
    found = [finding for finding in model.findings if finding.code == "unmodelled_shift"]
    assert [finding.numbers["columns"] for finding in found] == [("first",), ("second",)]
    offered = [remedy.label for finding in found for remedy in remedies(finding, model, project)]
    assert [label.split()[1] for label in offered] == ["first", "second"]
