"""Many slices: chains and graphs of uncertain ones by their length, and a whole report over reading the rows.

Everything runs on one thread and is timed by the processor's clock: ratios then do not depend on what else the
machine is doing.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import mandoline_core as md
from mandoline_core.checks.checks import report_model
from mandoline_core.data import read_table
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.pipeline.fits import make_problem
from mandoline_core.project.settings import EstimatorSettings
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.corrections import correction_rule
from mandoline_core.weighting.problem import Problem
from tests.benchmarks.measuring import Bound, medians_in_turn

N_ROWS, CHAIN, GRAPH = 20_000, 12, 14
N_MANY, N_SLICES = 100_000, 20
MOST_TIMES_LONGER = 3.0  # a table more for every few slices, and more second moments
MOST_TIMES_GRAPH = 80.0  # a table of 16,384 combinations with 105 potentials, where all at once would take 1,000 times
MOST_TIMES_READING = 3.0
NOISE = Noise(Correction(inside=0.95, outside=0.04))


def run() -> list[Bound]:
    """Measure, print what was measured, and return the bounds."""
    with threadpool_limits(1):
        return [*_graphs(), *_whole_report()]


def _graphs() -> list[Bound]:
    rng = np.random.default_rng(0)
    problem = _uncertain(rng, GRAPH)
    some = problem.select(list(range(CHAIN)))
    chains = [replace(some, edges=_chain(n)) for n in (CHAIN // 2, CHAIN)]
    graph = replace(problem, edges=tuple(itertools.combinations(range(GRAPH), 2)))
    estimator = get_estimator("mandoline")
    works: list[Callable[[], float]] = [lambda one=one: estimator.estimate(replace(one)).value for one in chains]
    (half, _), (whole, _), (all_pairs, _) = medians_in_turn(
        *works, lambda: estimator.estimate(replace(graph)).value, rounds=3, clock=time.process_time
    )
    print(f"{N_ROWS:,} rows a sample, slices all uncertain, an estimate with its interval")
    print(f"  {CHAIN} slices, a chain of {CHAIN // 2:2}      {half:7.3f} s   {len(some.patterns):,} patterns")
    print(f"  {CHAIN} slices, a chain of {CHAIN:2}      {whole:7.3f} s")
    print(f"  {GRAPH} slices, all pairs joined {all_pairs:7.3f} s   {len(graph.patterns):,} patterns")
    return [
        Bound(
            f"a chain of {CHAIN} uncertain slices over one of {CHAIN // 2}, time",
            whole / half,
            at_most=MOST_TIMES_LONGER,
        ),
        Bound(f"all pairs of {GRAPH} over a chain of {CHAIN}, time", all_pairs / whole, at_most=MOST_TIMES_GRAPH),
    ]


def _uncertain(rng: np.random.Generator, n_slices: int) -> Problem:
    """Draw samples whose slices hang together, so that patterns are fewer than rows."""
    source, target = (
        np.where(rng.standard_normal((N_ROWS, n_slices)) + 2 * rng.standard_normal((N_ROWS, 1)) < cut, 1, -1)
        for cut in rng.uniform(-1.5, 0.5, (2, n_slices))
    )
    scores = (rng.random(N_ROWS) < 0.75 + 0.1 * source.mean(axis=1)).astype(float)[:, None]
    count = count_patterns(source.astype(np.int8), target.astype(np.int8), scores)
    problem = make_problem(count, scores, get_metric("accuracy"), EstimatorSettings())
    return replace(problem, rule=correction_rule([NOISE] * n_slices))


def _chain(n: int) -> tuple[tuple[int, int], ...]:
    return tuple((i, i + 1) for i in range(n - 1))


def _whole_report() -> list[Bound]:
    rng = np.random.default_rng(1)
    slices = [md.Threshold(f"x{i} high", column=f"x{i}", above=0.0) for i in range(N_SLICES)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for side, shift in (("source", 0.0), ("target", 0.1)):
            frame = _rows(rng, shift)
            frame.to_csv(folder / f"{side}.csv", index=False)
            frame.to_parquet(folder / f"{side}.parquet")

        def read(kind: str) -> list[pd.DataFrame]:
            return [read_table(folder / f"{side}.{kind}") for side in ("source", "target")]

        frames = read("parquet")

        def prepare() -> md.Fit:
            known = md.Sample(frames[0], label="label", prediction="pred")
            return md.prepare(known, md.Sample(frames[1].drop(columns="label")), slices, model=known.models[0])

        prepare()  # imports once what is needed
        fit = prepare()
        with threadpool_limits(1):  # processor time counts all threads, and reading has one
            (text, _), (parquet, _), (codes, _), (report, found) = medians_in_turn(
                lambda: read("csv"),
                lambda: read("parquet"),
                prepare,
                lambda: report_model(_fresh(fit), EstimatorSettings()),
                rounds=3,
                clock=time.process_time,
            )
    print(f"{N_MANY:,} rows a sample, {N_SLICES} independent slices, {found.n_patterns:,} patterns")
    print(f"  reading both samples          {text:7.3f} s as CSV   {parquet:.3f} s as Parquet")
    print(f"  codes, patterns and columns   {codes:7.3f} s")
    print(f"  solve, interval and report    {report:7.3f} s   {report / parquet:.1f} times Parquet")
    return [
        Bound(
            f"report on {N_SLICES} slices over reading the CSV files, time", report / text, at_most=MOST_TIMES_READING
        ),
        Bound(f"report on {N_SLICES} slices over counting them, time", report / codes, at_most=MOST_TIMES_READING),
    ]


def _fresh(fit: md.Fit) -> md.Fit:
    """Forget what an earlier report worked out and kept."""
    patterns = replace(fit.problem.patterns)
    cells = replace(fit.cells, count=fit.cells.count._replace(patterns=patterns))
    return replace(fit, problem=replace(fit.problem, patterns=patterns, groups=()), cells=cells)


def _rows(rng: np.random.Generator, shift: float) -> pd.DataFrame:
    columns = {f"x{i}": rng.normal(shift * (i % 3 - 1), 1.0, N_MANY) for i in range(N_SLICES)}
    label = rng.integers(0, 2, N_MANY)
    wrong = rng.random(N_MANY) < np.where(columns["x0"] > 0, 0.3, 0.15)
    return pd.DataFrame({**columns, "label": label, "pred": np.where(wrong, 1 - label, label)})


if __name__ == "__main__":
    for bound in run():
        print(bound)
