"""Generated rows in Parquet, and a project that estimates on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

import mandoline_core as md

CHUNK = 1_000_000  # rows that are in memory while they are made
N_WORDS, VOCABULARY = 4, 2_000
KEYWORDS = {"negation": ("not", "never", "no"), "slang": ("lol", "omg", "tbh"), "money": ("price", "cost", "paid")}
SLICES = (
    *(md.Keyword(name, column="text", words=words) for name, words in KEYWORDS.items()),
    md.Threshold("long", column="n_words", above=22),
    md.Threshold("new", column="age", below=30),
    md.Category("web", column="channel", values=("web",)),
)
NAMES = [rule.name for rule in SLICES]


def write_rows(folder: Path, n_rows: int) -> int:
    """Write n rows, half of them source, chunk by chunk; return the bytes on disk."""
    words = make_words(np.random.default_rng(0))
    for number, side in enumerate(("source", "target")):
        path, left, writer = folder / f"{side}.parquet", n_rows // 2, None
        rng = np.random.default_rng([number, n_rows])
        while left:
            chunk = make_chunk(rng, words, min(left, CHUNK), moved=0.1 * number)
            rows = (chunk.drop("label") if number else chunk).to_arrow()
            writer = writer or pq.ParquetWriter(path, rows.schema, compression="zstd")
            writer.write_table(rows, row_group_size=CHUNK // 4)
            left -= len(chunk)
        if writer is not None:
            writer.close()
    return sum(path.stat().st_size for path in folder.glob("*.parquet"))


def make_words(rng: np.random.Generator) -> pl.Series:
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(VOCABULARY)]
    said = [word for group in KEYWORDS.values() for word in group]
    for place, word in zip(range(40, 40 + 60 * len(said), 60), said, strict=True):
        words[place] = word
    return pl.Series("word", words)


def make_chunk(rng: np.random.Generator, words: pl.Series, n: int, moved: float) -> pl.DataFrame:
    """Make rows; common words stand first, and what moves is how long texts are and where they come from."""
    drawn = (VOCABULARY * rng.random((N_WORDS, n), dtype=np.float32) ** (2.0 + moved)).astype(np.uint32)
    texts = pl.DataFrame([words.gather(drawn[i]).alias(str(i)) for i in range(N_WORDS)])
    truth = rng.random(n, dtype=np.float32) < 0.5
    right = rng.random(n, dtype=np.float32) < 0.8
    channels = np.searchsorted([0.25 + moved, 0.5, 0.75], rng.random(n, dtype=np.float32))
    answers = pl.Series(["negative", "positive"])
    return pl.DataFrame(
        {
            "text": texts.select(pl.concat_str(pl.all(), separator=" ")).to_series(),
            "n_words": rng.poisson(20 * (1 + moved), n).astype(np.int16),
            "age": (rng.standard_exponential(n, dtype=np.float32) * 80 * (1 + moved)).astype(np.int16),
            "channel": pl.Series(["web", "mail", "app", "social"]).gather(channels.astype(np.uint32)),
            "label": answers.gather(truth.astype(np.uint32)),
            "pred": answers.gather((truth == right).astype(np.uint32)),
        }
    )


def project(folder: Path, engine: str) -> md.Project:
    """Say what is to be estimated: one model, six slices of three kinds."""
    return md.Project(
        name="rows",
        source_path="source.parquet",
        target_path="target.parquet",
        source_engine=engine,
        target_engine=engine,
        label="label",
        models=(md.Model("model", "pred"),),
        slices=SLICES,
        base=folder,
    )


def estimate(folder: Path, engine: str) -> float:
    """Make the whole report, every check included; return the rows that it speaks of."""
    report = md.estimate(project(folder, engine))
    return float(report.first.n_source + report.first.n_target)
