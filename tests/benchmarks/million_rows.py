"""A million rows from a Polars frame to patterns, against the bare Polars query that groups by the same rules.

Run as a script it is the process being measured: what to do, then the frame's file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import mandoline_core as md
from mandoline_core.metrics.scores import score_rows
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.project.settings import MetricSettings
from mandoline_core.slices.codes import codes
from mandoline_core.slices.resolution import resolve
from mandoline_core.slices.text import keyword_pattern
from tests.benchmarks.measuring import Bound, medians_in_turn

N_ROWS = 1_000_000  # half source, half target
N_WORDS, VOCABULARY = 20, 5_000
MOST_TIMES = 3.0
MOST_TIMES_WHOLE = 2.0
MOST_MEMORY_WHOLE = 1.5  # with the frame
ROUNDS = 5
KEYWORDS = {"negation": ("not", "never", "no"), "slang": ("lol", "omg", "tbh"), "money": ("price", "cost", "paid")}
SLICES = [
    *(md.Keyword(name, column="text", words=words) for name, words in KEYWORDS.items()),
    md.Threshold("long", column="n_words", above=22),
    md.Threshold("new", column="age", below=30),
    md.Category("web", column="channel", values=("web",)),
]


@dataclass(frozen=True)
class Cost:
    """Hold what one kind of work took: seconds, megabytes with the frame and above it, rows accounted for."""

    seconds: float
    n_rows: float
    with_frame: float
    above_frame: float


def run() -> list[Bound]:
    """Measure in processes of their own, print what was measured, and return the bounds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        _frame(np.random.default_rng(0)).write_parquet(path)
        times = _child("time", path)
        found = {what: Cost(*times[what], *_child(what, path)) for what in WORK}
    print(f"{N_ROWS:,} rows, text of {N_WORDS} words, 3 keyword, 2 threshold and 1 category slices")
    for what, cost in found.items():
        memory = f"{cost.with_frame:6.0f} MB with the frame, {cost.above_frame:4.0f} above it"
        print(f"  {what:24} {cost.seconds:7.3f} s  {memory}")
    bare, in_memory, ours, whole = found.values()
    return [
        Bound("rows counted by both, difference", abs(ours.n_rows - bare.n_rows), at_most=0),
        Bound("patterns over the bare query, time", ours.seconds / bare.seconds, at_most=MOST_TIMES),
        Bound(
            "patterns over the bare query, memory with the frame", ours.with_frame / bare.with_frame, at_most=MOST_TIMES
        ),
        # Polars' streaming engine, its default, keeps next to nothing; its other engine is the one to compare with.
        Bound(
            "patterns over the bare query in memory, memory above the frame",
            ours.above_frame / in_memory.above_frame,
            at_most=MOST_TIMES,
        ),
        Bound("whole estimate over the bare query, time", whole.seconds / bare.seconds, at_most=MOST_TIMES_WHOLE),
        Bound(
            "whole estimate over the bare query, memory with the frame",
            whole.with_frame / bare.with_frame,
            at_most=MOST_MEMORY_WHOLE,
        ),
    ]


def _frame(rng: np.random.Generator) -> pl.DataFrame:
    """Make rows with a text of about twenty words, drawn as unevenly as words are."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(VOCABULARY)]
    for place, word in zip(
        range(40, 40 + 60 * 9, 60), (word for group in KEYWORDS.values() for word in group), strict=True
    ):
        words[place] = word
    chances = 1 / np.arange(10, VOCABULARY + 10)
    vocabulary = pl.Series("word", words)
    n_words = np.clip(rng.poisson(N_WORDS, N_ROWS), 5, 30)
    drawn = rng.choice(VOCABULARY, (30, N_ROWS), p=chances / chances.sum())
    columns = [vocabulary.gather(drawn[i]).set(pl.Series(i >= n_words), None).alias(str(i)) for i in range(len(drawn))]
    label = rng.choice(["negative", "positive"], N_ROWS)
    wrong = rng.random(N_ROWS) < 0.2
    return pl.DataFrame(
        {
            "text": pl.DataFrame(columns).select(pl.concat_str(pl.all(), separator=" ", ignore_nulls=True)).to_series(),
            "n_words": n_words,
            "age": rng.gamma(2.0, 40.0, N_ROWS),
            "channel": rng.choice(["web", "mail", "app", "social"], N_ROWS),
            "label": label,
            "pred": np.where(wrong, np.where(label == "negative", "positive", "negative"), label),
        }
    )


def _child(what: str, path: Path) -> Any:
    """Measure in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.million_rows", what, str(path)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def _bare(source: pl.DataFrame, target: pl.DataFrame, engine: str = "auto") -> float:
    """Group by the same rules in one query for each sample."""
    rules = [
        *(pl.col("text").str.contains(keyword_pattern(words)).alias(name) for name, words in KEYWORDS.items()),
        (pl.col("n_words") > 22).alias("long"),
        (pl.col("age") < 30).alias("new"),
        (pl.col("channel") == "web").alias("web"),
    ]
    names = [*KEYWORDS, "long", "new", "web"]
    score = (pl.col("label") == pl.col("pred")).alias("score")
    by_source = source.lazy().select(*rules, score).group_by(names).agg(pl.len(), pl.col("score").sum())
    by_target = target.lazy().select(*rules).group_by(names).agg(pl.len())
    return sum(float(query.collect(engine=engine)["len"].sum()) for query in (by_source, by_target))


def _patterns(source: pl.DataFrame, target: pl.DataFrame) -> float:
    """Go from frames to patterns, as `estimate` does."""
    samples = _samples(source, target)
    slices = resolve(SLICES, *samples, samples[0].models[0])
    scores = score_rows(MetricSettings(), samples[0], label="label", model=samples[0].models[0])
    count = count_patterns(codes(samples[0], slices), codes(samples[1], slices), scores.statistics)
    return count.patterns.n_source + count.patterns.n_target


def _estimate(source: pl.DataFrame, target: pl.DataFrame) -> float:
    """Make the whole report, every check included."""
    report = md.estimate(*_samples(source, target), SLICES)
    return float(report.first.n_source + report.first.n_target)


def _samples(source: pl.DataFrame, target: pl.DataFrame) -> tuple[md.Sample, md.Sample]:
    return md.Sample(source, label="label", prediction="pred"), md.Sample(target.drop("label"))


Work = Callable[[pl.DataFrame, pl.DataFrame], float]
WORK: dict[str, Work] = {
    "bare Polars query": _bare,
    "the same, in memory": partial(_bare, engine="in-memory"),
    "patterns": _patterns,
    "whole estimate": _estimate,
}


def _memory(field: str) -> float:
    """Read this process's memory from the kernel, in megabytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def _time(source: pl.DataFrame, target: pl.DataFrame) -> dict[str, tuple[float, float]]:
    """Time every kind of work, in turn: seconds and rows accounted for."""
    works = [partial(work, source, target) for work in WORK.values()]
    return dict(zip(WORK, medians_in_turn(*works, rounds=ROUNDS), strict=True))


def _peak(work: Work, source: pl.DataFrame, target: pl.DataFrame, imports: float) -> tuple[float, float]:
    """Measure the memory that one kind of work takes: with the frame, and above it."""
    work(source[:1000], target[:1000])  # thread pools are not what is measured
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the highest mark starts again from here
    for _ in range(ROUNDS):
        work(source, target)
    peak = _memory("VmHWM")
    return peak - imports, peak - before


def _main(what: str, path: str) -> None:
    imports = _memory("VmRSS")
    frame = pl.read_parquet(path)
    source, target = frame[: N_ROWS // 2], frame[N_ROWS // 2 :]
    found = _time(source, target) if what == "time" else _peak(WORK[what], source, target, imports)
    print(json.dumps(found))


if __name__ == "__main__":
    _main(*sys.argv[1:])
