"""Runtime: the cost of every method as rows grow, relative to Mandoline in the same run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from mandoline_core.arrays import CodeArray, Floats
from mandoline_core.data import Sample
from mandoline_core.estimators import get_estimator
from mandoline_core.paper.evaluation import SCORE
from mandoline_core.paper.experiment import MEASURE, Experiment, FigureSpec, Plan, Row, over_seeds, printed
from mandoline_core.pipeline import prepare
from mandoline_core.project import MethodSettings, MetricSettings
from mandoline_core.report import estimate_from_codes
from mandoline_core.slices import Flag

ROW_LEVEL = "solver on rows"
SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000)  # rows of each sample
N_SLICES, N_FEATURES = 8, 10
EDGES = ((0, 1), (2, 3), (4, 5), (6, 7))
# Methods, and up to how many rows they are timed: those with a kernel take the square of the rows, or more.
MOST = {
    "mandoline": 100_000,
    ROW_LEVEL: 100_000,
    "simple": 100_000,
    "cbiw_slices": 100_000,
    "ulsif_slices": 100_000,
    "kmm_slices": 100_000,
    "cbiw_features": 100_000,
    "ulsif_features": 10_000,
    "kmm_features": 3_000,
}
MEASURED, SECONDS = "time over Mandoline's", "seconds"


def rows(rng: np.random.Generator, n_rows: int, shift: float) -> tuple[Floats, CodeArray, Floats]:
    """Draw columns, slices, which are their signs, and scores, which depend on slices."""
    columns = rng.normal(shift, 1.0, (n_rows, N_FEATURES))
    codes = np.where(columns[:, :N_SLICES] > 0, 1, -1).astype(np.int8)
    return columns, codes, (rng.random(n_rows) < 0.75 + 0.05 * codes[:, :4].mean(axis=1)).astype(float)


def row_level_estimate(
    source: CodeArray, scores: Floats, target: CodeArray, edges: Sequence[tuple[int, int]] = ()
) -> float:
    """Solve for the weights on rows, as the authors' released code does it: to compare costs with.

    Minimises n_t log sum exp(Phi_s d) - sum Phi_t d over all rows by BFGS, with numerical gradients, from zero.

    The released code starts from a random point instead; from zero it needs no more steps.

    Examples
    --------
    >>> source, target = np.array([[1], [-1], [-1], [-1]]), np.array([[1], [-1]])
    >>> round(row_level_estimate(source, np.array([0.0, 1.0, 1.0, 1.0]), target), 4)
    0.5
    """
    source_potentials, target_potentials = (
        # Row by row, as the released code lays them out: in column order its products would be faster than they are.
        np.ascontiguousarray(np.hstack([codes, *(codes[:, [i]] * codes[:, [j]] for i, j in edges)]), dtype=float)
        for codes in (source, target)
    )

    def loss(delta: Floats) -> float:
        return float(len(target) * logsumexp(source_potentials @ delta) - (target_potentials @ delta).sum())

    delta = minimize(loss, np.zeros(source_potentials.shape[1]), method="BFGS").x
    return float(softmax(source_potentials @ delta) @ scores)


def work_of(method: str, rng: np.random.Generator, n_rows: int) -> Callable[[], object]:
    """Prepare the inputs of a method, and return the call to time: from rows in memory to the estimate."""
    (columns, codes, scores), (new_columns, new_codes, _) = (rows(rng, n_rows, shift) for shift in (0.0, 0.3))
    if method == ROW_LEVEL:
        return partial(row_level_estimate, codes, scores, new_codes, EDGES)
    if "features" not in get_estimator(method).needs:
        edges = EDGES if method == "mandoline" else ()
        return partial(estimate_from_codes, codes, scores, new_codes, edges=edges, estimator=method)
    names = [f"x{i}" for i in range(N_FEATURES)]
    source = pd.DataFrame(columns, columns=names).assign(first=codes[:, 0], **{SCORE: scores})
    target = pd.DataFrame(new_columns, columns=names).assign(first=new_codes[:, 0])
    problem = prepare(
        Sample(source),
        Sample(target),
        [Flag("first", column="first")],
        model=None,
        metric=MetricSettings("mean", column=SCORE),
        methods=MethodSettings(features=tuple(names), max_rows=n_rows),
    ).problem
    return partial(get_estimator(method).estimate, problem)


def seconds_of(method: str, rng: np.random.Generator, n_rows: int) -> float:
    """Time a method by the clock of its own thread; short ones several times.

    It gets new rows each time, so that nothing can be cached.
    """
    times: list[float] = []
    while sum(times) < 0.2 and len(times) < 5:
        work = work_of(method, rng, n_rows)
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return statistics.median(times)


def run(plan: Plan) -> Iterator[Row]:
    """Time every method at every size, in turn, so that a busy moment hits all of them."""
    sizes = (100, 300) if plan.quick else SIZES
    for method in MOST:
        work_of(method, plan.draw(0), 100)()  # imports once what a method needs
    for number, n_rows in enumerate(sizes):
        methods = [method for method, most in MOST.items() if n_rows <= most]
        taken: dict[str, list[float]] = {method: [] for method in methods}
        for seed in range(plan.seeds):
            for place, method in enumerate(methods):
                done = (seed + place / len(methods)) / plan.seeds
                plan.say(f"{n_rows:,} rows: {method}", (number + done) / len(sizes))
                taken[method].append(seconds_of(method, plan.draw(seed, n_rows), n_rows))
        for method in methods:
            ratios = [one / own for one, own in zip(taken[method], taken["mandoline"], strict=True)]
            yield over_seeds(ratios, method, measure=MEASURED, rows=n_rows)


_TASKS = ("CelebA", "CivilComments", "SNLI to MNLI")
_SECONDS = {
    "mandoline": (0.03, 37.6, 0.05),
    "cbiw_features": (32, 158, 0.25),
    "kmm_features": (185, 306, 63.25),
    "cbiw_finetuned": (856, 2350, 239),
    "ulsif_features": (361, 371, 13.38),
}


def _paper() -> Iterator[Row]:
    for method, times in _SECONDS.items():
        for task, taken, own in zip(_TASKS, times, _SECONDS["mandoline"], strict=True):
            for measure, value in ((SECONDS, taken), (MEASURED, taken / own)):
                yield printed(method, value, "appendix, runtime table", measure=measure, rows=task)


EXPERIMENT = Experiment(
    name="runtime",
    title="Cost of every method as rows grow",
    place="appendix, runtime table",
    shows=(
        "Mandoline counts rows with the same slices once, so its cost is that of counting: it hardly grows up "
        "to tens of thousands of rows. Solving for the same weights row by row with a numerical gradient, as "
        "the released code does, costs many times as much. So do kernel methods, which compare rows with rows. "
        "All are timed in one run on one thread; numbers are ratios to Mandoline's processor time, including "
        "checks and interval."
    ),
    differs=(
        "The paper gives seconds on three machines for its own data; here they are ratios. Its Mandoline works "
        "on rows. The data here has 8 slices, 4 edges and 10 numeric columns. The solver on rows returns only a "
        "number; Mandoline also an interval and every check. Kernel methods on columns are timed up to 10,000 "
        "and 3,000 rows. CBIW-FT, which trains a network, is not timed."
    ),
    run=run,
    figures=(
        FigureSpec(
            title="A solver on rows and methods with a kernel cost many times what counting costs",
            x="rows",
            x_title="rows of each sample",
            y_title="processor time over Mandoline's",
            where={MEASURE: MEASURED},
            log_x=True,
            log_y=True,
        ),
    ),
    paper=tuple(_paper()),
    seeds=3,
    quick_seeds=1,
)
