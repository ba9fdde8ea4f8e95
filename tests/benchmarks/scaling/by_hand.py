"""The counts behind an estimate as one would write them by hand, in each engine's own language."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from mandoline_core.slices.text import keyword_pattern
from tests.benchmarks.scaling.rows import KEYWORDS, NAMES


def by_hand(folder: Path, engine: str) -> float:
    """Count by the project's rules, one query for each sample; return the rows that were counted."""
    return (_polars if engine == "polars" else _duckdb)(folder)


def without_text(folder: Path) -> float:
    """Count by all rules but those on text."""
    return _polars(folder, {})


def _polars(folder: Path, keywords: dict[str, tuple[str, ...]] = KEYWORDS) -> float:
    names = [name for name in NAMES if name in keywords or name not in KEYWORDS]
    rules = [
        *(pl.col("text").str.contains(keyword_pattern(words)).alias(name) for name, words in keywords.items()),
        (pl.col("n_words") > 22).alias("long"),
        (pl.col("age") < 30).alias("new"),
        (pl.col("channel") == "web").alias("web"),
    ]
    score = (pl.col("label") == pl.col("pred")).alias("score")
    source, target = (pl.scan_parquet(folder / f"{side}.parquet") for side in ("source", "target"))
    by_source = source.select(*rules, score).group_by(names).agg(pl.len(), pl.col("score").sum())
    by_target = target.select(*rules).group_by(names).agg(pl.len())
    return sum(float(query.collect(engine="streaming")["len"].sum()) for query in (by_source, by_target))


def _duckdb(folder: Path) -> float:
    import duckdb

    rules = [f"regexp_matches(text, '{keyword_pattern(words)}') AS {name}" for name, words in KEYWORDS.items()]
    rules += ['n_words > 22 AS "long"', 'age < 30 AS "new"', "channel = 'web' AS web"]
    by = ", ".join(f'"{name}"' for name in NAMES)
    found = 0.0
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        for side, score in (("source", ", sum((label = pred)::INT) AS score"), ("target", "")):
            rows = connection.read_parquet(str(folder / f"{side}.parquet"))
            coded = rows.project(", ".join([*rules, *(["label", "pred"] if score else [])]))
            found += float(coded.aggregate(f"{by}, count(*) AS n{score}", by).fetchnumpy()["n"].sum())
    return found
