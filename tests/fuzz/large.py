"""Large inputs: small files that unpack to much, wide tables, long lines and long project files."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.fuzz import seeds


def make_large(rng: random.Random) -> dict[str, bytes]:
    """Make a project with one thing in it that is very large."""
    files = seeds.csv_files() | {"project.toml": seeds.project().encode()}
    return files | rng.choice(_WAYS)(rng)


def _wide(rng: random.Random) -> dict[str, bytes]:
    extra = [f"c{number}" for number in range(rng.choice((300, 1_000, 4_900)))]
    values = rng.choice((("1",), ("word",), ("",), ("2024-01-01",), ("0.5", "0.7", "2"), ("NA",), ("a", "b", "")))
    return wide_tables(extra, values)


def wide_tables(extra: Sequence[str], values: Sequence[str]) -> dict[str, bytes]:
    """Add columns whose cells take turns among some values."""

    def line(place: int, text: str) -> str:
        more = [values[(place * number) % len(values)] for number in range(len(extra))] if place else extra
        return ",".join([text, *more])

    return {
        f"{side}.csv": "\n".join(line(place, text) for place, text in enumerate(lines.splitlines())).encode()
        for side, lines in (("source", seeds.SOURCE), ("target", seeds.TARGET))
    }


def _signs(rng: random.Random) -> dict[str, bytes]:
    size = rng.choice((100_000, 2_000_000, 20_000_000))
    sign = rng.choice((",", '"', ";", "\n", " ", "a", "a,", '",', "\r", "é", "1\n", ",\n", "\0", "'"))
    start = rng.choice(("", seeds.SOURCE, seeds.SOURCE.splitlines()[0] + "\n"))
    return {"source.csv": (start + sign * (size // len(sign))).encode()}


def _bomb(rng: random.Random) -> dict[str, bytes]:
    size = rng.choice((1_000_000, 30_000_000))
    unit = rng.choice((b"\0", b"a", b",", b"1,1,0,0.2,0.8,it,good,1,0.5,true,2024-01-01,NA\n"))
    size *= 1 if len(unit) > 1 else 5
    content = seeds.SOURCE.encode() + unit * (size // len(unit))
    return {
        "source.csv.gz": seeds.packed(content),
        "project.toml": seeds.project(source="source.csv.gz").encode(),
    }


def _rows(rng: random.Random) -> dict[str, bytes]:
    header, *rows = seeds.SOURCE.splitlines(keepends=True)
    return {"source.csv": (header + "".join(rows) * rng.choice((1_000, 20_000))).encode()}


def _slices(rng: random.Random) -> dict[str, bytes]:
    many = rng.choice((20, 60, 120))
    rules = (seeds.SLICES.replace('"big"', f'"big{number}"').replace("2", str(number)) for number in range(many))
    return {"project.toml": seeds.project(*rules).encode()}


def _long_file(rng: random.Random) -> dict[str, bytes]:
    depth = rng.choice((100, 600, 5_000, 100_000))
    start, end = rng.choice((("[", "]"), ("{a=", "}"), ("[[", "]]"), ("", ""), ("a.", "a=1"), ('"', '"')))
    return {"project.toml": f"note = {start * depth}{end * depth}\n{seeds.project()}".encode()}


def _many_words(rng: random.Random) -> dict[str, bytes]:
    words = ", ".join(f'"word{number}"' for number in range(rng.choice((100, 2_000, 20_000))))
    part = f'[[slices]]\nname = "s"\nkind = "keyword"\ncolumn = "text"\nwords = [{words}]\n'
    return {"project.toml": seeds.project(part).encode()}


_WAYS: tuple[Callable[[random.Random], dict[str, bytes]], ...] = (
    _wide,
    _signs,
    _signs,
    _bomb,
    _rows,
    _slices,
    _long_file,
    _many_words,
)
