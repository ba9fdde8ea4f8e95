"""Inputs of each kind: files in a folder and the words of a command line on them, made by a seeded generator."""

from __future__ import annotations

import csv
import io
import json
import random
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import tomli_w

from tests.fuzz import seeds
from tests.fuzz.large import make_large
from tests.fuzz.mutating import damage_bytes, damage_lines, damage_text, encoded, odd_text
from tests.fuzz.patterns import make_condition, make_pattern
from tests.fuzz.zips import make_zip


@dataclass(frozen=True)
class Input:
    """Hold what the command line gets: files by name, and its arguments."""

    files: dict[str, bytes]
    arguments: tuple[str, ...]


_COMMANDS = (
    *(("estimate", "--json"),) * 8,
    *(("slices", "--json"),) * 6,
    ("estimate",),
    ("slices",),
    ("check", "--json"),
    ("estimate", "--json", "--reveal"),
    ("ablation", "--json"),
)


def _input(files: dict[str, bytes], rng: random.Random, file: str = "project.toml") -> Input:
    command, *options = rng.choice(_COMMANDS)
    return Input(files, (command, file, *options))


def _csv(rng: random.Random) -> Input:
    """Damage one of two tables: cells, lines, bytes, encoding or packing."""
    files = seeds.csv_files()
    name = rng.choice(("source.csv", "source.csv", "target.csv", "labels.csv"))
    text, how = files[name].decode(), rng.random()
    if how < 0.35:
        text = _damage_cells(text, rng)
    elif how < 0.75:
        text = damage_text(text, rng)
    if rng.random() < 0.15:
        text = text.replace(",", rng.choice((";", "\t", "|", ":", ",,", " , ")))
    content = encoded(text, rng)
    if how >= 0.75 or rng.random() < 0.1:
        content = damage_bytes(content, rng)
    files[name], other = content, name
    if rng.random() < 0.2:
        other = name + ".gz"
        whole = seeds.packed(files.pop(name))
        files[other] = damage_bytes(whole, rng) if rng.random() < 0.6 else whole
    parts = (rng.choice((seeds.SLICES, *seeds.OTHERS)),)
    files["project.toml"] = seeds.project(*parts).replace(f'"{name}"', f'"{other}"').encode()
    if rng.random() < 0.015 and name != "labels.csv":  # it tries slices, and takes as long as twenty others
        sides = [other if side == name else side for side in ("source.csv", "target.csv")]
        return Input(files, ("init", *sides, "--out", "made.toml"))
    return _input(files, rng)


def _damage_cells(text: str, rng: random.Random) -> str:
    """Put odd values in cells of a column, or in all of them."""
    header, *rows = csv.reader(io.StringIO(text))
    place = rng.randrange(len(header))
    if rng.random() < 0.1:
        header[place] = odd_text(rng)
    value, every = odd_text(rng), rng.random() < 0.3
    for row in rows:
        if every or rng.random() < 0.4:
            row[place] = value if rng.random() < 0.7 else odd_text(rng)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue()


def _toml(rng: random.Random) -> Input:
    """Damage a project file: its text, or the values that it holds."""
    files = seeds.csv_files()
    text = seeds.WHOLE if rng.random() < 0.7 else seeds.project(rng.choice(seeds.OTHERS))
    how = rng.random()
    if how < 0.6:
        content = _damage_values(tomllib.loads(text), rng).encode("utf-8", errors="replace")
    elif how < 0.85:
        content = damage_text(text, rng).encode()
    elif how < 0.9:
        content = encoded(text, rng)
    else:
        content = damage_bytes(text.encode(), rng)
    files["project.toml"] = content
    return _input(files, rng)


def _damage_values(content: dict[str, Any], rng: random.Random) -> str:
    for _ in range(rng.choice((1, 1, 2, 4))):
        places = list(_places(content))
        holder, key = rng.choice(places)
        how = rng.randrange(5)
        if how == 0:
            del holder[key]
        elif how <= 2:
            holder[key] = _odd_value(rng)
        elif how == 3:
            other, its = rng.choice(places)
            holder[key] = json.loads(json.dumps(other[its])) if its in _keys(other) else _odd_value(rng)
        elif isinstance(holder, dict):
            holder[odd_text(rng)] = holder.pop(key)
        else:
            holder.extend([holder[key]] * rng.choice((1, 3, 200)))
        if not content:
            break
    return tomli_w.dumps(content)


def _keys(holder: Any) -> Any:
    return holder if isinstance(holder, dict) else range(len(holder))


def _places(value: Any) -> Any:
    """Go through every place of nested tables and lists, as what holds it and its key there."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(pairs):
        yield value, key
        yield from _places(item)


def _odd_value(rng: random.Random) -> Any:
    how = rng.randrange(8)
    if how <= 1:
        return odd_text(rng)
    if how == 2:
        return rng.choice((0, -1, 1, 2, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 10**18, 10**30, 10**400))
    if how == 3:
        return rng.choice((0.0, -0.0, float("nan"), float("inf"), 1e308, -1e308, 5e-324, 0.5, 1.0, 1.5, 1e-9))
    if how == 4:
        return rng.choice((True, False))
    if how == 5:
        return [odd_text(rng) for _ in range(rng.choice((0, 1, 2, 3, 40)))]
    if how == 6:
        return {odd_text(rng): _odd_value(rng) for _ in range(rng.randrange(3))}
    names = ("y", "p", "a", "text", "n", "x", "flag", "when", "big", "negation", "m", "source.csv", "*.csv", "polars")
    return rng.choice(
        (*names, "duckdb", "spark", "bootstrap", "crossfit", "strict", "auto", "kmm", "expression", "not")
    )


def _parquet(rng: random.Random) -> Input:
    """Damage Parquet by its bytes, or write columns of other types; on any engine."""
    side = rng.randrange(2)
    packing, pages = rng.choice(("none", "snappy", "gzip", "zstd")), rng.random() < 0.5
    both = [seeds.parquet(number, packing, pages=pages) for number in range(2)]
    both[side] = damage_bytes(both[side], rng) if rng.random() < 0.8 else _other_types(seeds.tables()[side], rng)
    names = {"source": "source.parquet", "target": "target.parquet"}
    engine = rng.choice(("", "", "", "", "", "auto", "polars", "duckdb"))
    text = seeds.project(rng.choice((seeds.SLICES, *seeds.OTHERS)), engine=engine, **names)
    files = {**dict(zip(names.values(), both, strict=True)), "labels.csv": seeds.LABELS.encode()}
    return _input({**files, "project.toml": text.encode()}, rng)


def _other_types(table: pa.Table, rng: random.Random) -> bytes:
    place = rng.randrange(len(table.column_names))
    n_rows, file = len(table), io.BytesIO()
    column = rng.choice(
        (
            lambda: pa.array([[1]] * n_rows),
            lambda: pa.array([{"a": 1}] * n_rows),
            lambda: pa.array([b"\xff\xfe"] * n_rows),
            lambda: pa.array([b"\xff\xfe"] * n_rows).view(pa.string()),
            lambda: pa.nulls(n_rows),
            lambda: pa.array([2**64 - 1] * n_rows, pa.uint64()),
            lambda: pa.array([2**62] * n_rows, pa.timestamp("us")),
            lambda: pa.array([0] * n_rows, pa.timestamp("ns", "Nowhere/Here")),
            lambda: pa.array([1] * n_rows).cast(pa.decimal128(38, 2)),
            lambda: pa.array([float("nan"), float("inf")] * n_rows)[:n_rows],
            lambda: pa.array([10] * n_rows, pa.duration("s")),
            lambda: pa.array([10] * n_rows, pa.time32("s")),
            lambda: pa.array(["a"] * n_rows).dictionary_encode(),
            lambda: pa.array([1.5] * n_rows, pa.float16()),
            lambda: pa.array([True] * n_rows),
        )
    )()
    name = table.column_names[place] if rng.random() < 0.9 else odd_text(rng)
    pq.write_table(table.set_column(place, name, column), file)
    return file.getvalue()


def _condition(rng: random.Random) -> Input:
    return _with_slice({"kind": "expression", "text": make_condition(rng)}, rng)


def _regex(rng: random.Random) -> Input:
    pattern = make_pattern(rng)
    if rng.random() < 0.2:
        quoted = pattern.replace('"', r"\"")
        return _with_slice({"kind": "expression", "text": f'matches(text, "{quoted}")'}, rng)
    if rng.random() < 0.2:
        return _with_slice({"kind": "keyword", "column": "text", "words": [pattern, odd_text(rng)]}, rng)
    return _with_slice({"kind": "regex", "column": "text", "pattern": pattern}, rng)


def _with_slice(rule: dict[str, Any], rng: random.Random) -> Input:
    files = seeds.csv_files()
    engine = rng.choice(("", "", "", "", "", "", "", "polars", "duckdb"))
    part = "[[slices]]\n" + tomli_w.dumps({"name": "s", **rule})
    files["project.toml"] = seeds.project(part, engine=engine).encode("utf-8", errors="replace")
    return _input(files, rng)


def _zip(rng: random.Random) -> Input:
    files = seeds.csv_files() | {"project.toml": seeds.project().encode()}
    if rng.random() < 0.3:
        name = rng.choice(sorted(files))
        files[name] = encoded(damage_lines(files[name].decode(), rng), rng)
    return _input({"project.zip": make_zip(files, rng)}, rng, "project.zip")


def _large(rng: random.Random) -> Input:
    return _input(make_large(rng), rng)


MAKERS: dict[str, Callable[[random.Random], Input]] = {
    "csv": _csv,
    "toml": _toml,
    "parquet": _parquet,
    "expression": _condition,
    "regex": _regex,
    "zip": _zip,
    "large": _large,
}


def make_input(seed: int, kind: str, number: int) -> Input:
    """Make one input, always the same one."""
    return MAKERS[kind](random.Random(f"{seed} {kind} {number}"))  # noqa: S311 - damage, not secrets
