"""Support shift: an irrelevant column that nearly separates labelled from new data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mandoline_core.paper.evaluation import SCORE, mean_estimates
from mandoline_core.paper.experiment import Experiment, FigureSpec, Plan, Row, printed, relative_error, write_project
from mandoline_core.project import MethodSettings, MetricSettings, TrustSettings
from mandoline_core.slices import Threshold

KERNELS = ("kmm_features", "ulsif_features")
METHODS = ("source", "mandoline", "cbiw_features", *KERNELS)
N_ROWS = 10_000  # of each sample
MOST_ROWS = 1_000  # that methods with a kernel look at: they take the square of the rows, or more
PROBABILITIES = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0)  # of the spurious column being 1 in the source
_QUICK_PROBABILITIES = (0.1, 0.001)
_INSIDE = (0.75, 0.25)  # of the slice: source, target
_SLICES = (Threshold("slice", column="g", above=0),)
_FEATURES = ("x", "spurious")


def samples(rng: np.random.Generator, probability: float, n_rows: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw both samples.

    Parameters
    ----------
    probability : float
        Of the spurious column being 1 in the source.
    """
    deviation, coefficient = np.sqrt(rng.uniform(0.5, 1.5)), rng.uniform(2.0, 6.0)
    frames = []
    for inside, spurious in zip(_INSIDE, (probability, 1.0), strict=True):
        g = np.where(rng.random(n_rows) < inside, 1, -1)
        x = rng.normal(g, deviation)
        y = rng.random(n_rows) < 1 / (1 + np.exp(-coefficient * x))
        a = rng.random(n_rows) < spurious
        frames.append(pd.DataFrame({"g": g, "x": x, "spurious": a.astype(int), SCORE: y.astype(int)}))
    return frames[0], frames[1]


def run(plan: Plan) -> Iterator[Row]:
    """Measure the relative error of every method at every probability p."""
    probabilities = _QUICK_PROBABILITIES if plan.quick else PROBABILITIES
    n_rows, most = (2_000, 200) if plan.quick else (N_ROWS, MOST_ROWS)
    for number, probability in enumerate(probabilities):
        errors: dict[str, list[float]] = {name: [] for name in METHODS}
        for seed, rng in enumerate(plan.generators()):
            done = (number + seed / plan.seeds) / len(probabilities)
            plan.say(f"spurious column in {probability:.2%} of labelled rows", done)
            source, target = samples(rng, probability, n_rows)
            asked = {name: most if name in KERNELS else n_rows for name in METHODS}
            for name, value in mean_estimates(source, target, _SLICES, asked, features=_FEATURES, seed=seed).items():
                errors[name].append(value - target[SCORE].mean())
        for name in METHODS:
            yield relative_error(errors[name], errors["source"], name, probability=probability)


def project(plan: Plan, folder: Path) -> Path:
    """Write the samples of the first seed, with the spurious column in one source row of a thousand."""
    source, target = samples(plan.draw(0), 0.001, N_ROWS)
    return write_project(
        folder,
        source,
        target,
        name="support-shift",
        metric=MetricSettings("mean", column=SCORE),
        slices=_SLICES,
        methods=MethodSettings(features=_FEATURES, max_rows=MOST_ROWS),
        trust=TrustSettings(harmless={"spurious": "nothing depends on it"}),
        note="The spurious column is 1 in all new rows and hardly ever in labelled rows. It is irrelevant.",
    )


EXPERIMENT = Experiment(
    name="support-shift",
    title="A spurious column nearly separates the samples",
    place="Figure 2, left",
    shows=(
        "One slice shifts from 75% of the labelled data to 25% of the new data, and affects the score. A "
        "second, irrelevant column is always 1 in the new data and 1 with a small probability p in the labelled "
        "data. Methods on columns give too much weight to the few labelled rows where it is 1; as p goes to 0, "
        "a classifier does worse than no weighting. Mandoline uses only the slice."
    ),
    differs=(
        "The paper does not say how it draws the variance of x and the coefficient of y; here they are uniform "
        "in 0.5 to 1.5 and in 2 to 6. Its figure shows only CBIW, with a number only for Mandoline. KMM and "
        "uLSIF are additions, on 1,000 rows of each sample: with small p few of these rows can mislead them. At "
        "p = 0 no row can mislead CBIW either, as the paper says."
    ),
    run=run,
    figures=(
        FigureSpec(
            title="A classifier on columns fails as the spurious column separates the samples",
            x="probability",
            x_title="probability p of the spurious column in the labelled data (0 is in the table)",
            y_title="error relative to no weighting",
            log_x=True,
        ),
    ),
    paper=(
        *(printed("mandoline", 0.01, "Figure 2, for every p", probability=p) for p in PROBABILITIES),
        printed("cbiw_features", "above 1", "section 4.1, small p", probability=0.0003),
    ),
    seeds=30,
    project=project,
)
