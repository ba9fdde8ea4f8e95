"""SCALE.md and its picture, made anew from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).parent.parent / "SCALE.md"
PICTURE = PAGE.with_name("scale.svg")
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 560, 320, 60, 40
_COLOURS = {"polars": "#0b6e99", "duckdb": "#b4530a"}


def write_page(measured: dict[str, Any]) -> None:
    """Write the page and the picture of growth."""
    PICTURE.write_text(_picture(measured["growth"]), encoding="utf-8")
    parts = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
    growth, partitions = measured["growth"], measured["partitions"]
    filled = {
        "where": measured["where"],
        "growth": _growth(growth),
        "fits": "\n".join(_fit(engine, growth) for engine in _COLOURS),
        "within": _within(growth, measured["most_times"]),
        "engines": _engines(measured["engines"]),
        "patterns": _patterns(measured["patterns"]),
        "pattern_fits": _pattern_fits(measured["patterns"]),
        "rules": _rules(measured["text_share"]),
        "partitions": _partitions(partitions["found"]),
        "clusters": _clusters(partitions["clusters"]),
        "partition_fits": _partition_fits(partitions["fits"]),
        "width": f"{sum(partitions['widths'].values()):.1f}",
        "million": _million(measured["million"]),
    }
    for name, text in filled.items():
        parts = parts.replace(f"<{name}>", text)
    PAGE.write_text(parts, encoding="utf-8")


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [head, ["---", *["---:"] * (len(head) - 1)], *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _growth(points: list[dict[str, Any]]) -> str:
    head = ["engine", "rows", "MB on disk", "by hand, s", "whole estimate, s", "times", "by hand, MB", "estimate, MB"]
    return _table(
        head,
        [
            [
                point["engine"],
                f"{point['n_rows']:,}",
                f"{point['on_disk']:,.1f}",
                f"{point['by_hand']:.2f}",
                f"{point['ours']:.2f}",
                f"{point['ours'] / point['by_hand']:.2f}",
                f"{point['by_hand_memory']:,.0f}",
                f"{point['memory']:,.0f}",
            ]
            for point in points
        ],
    )


def _fit(engine: str, points: list[dict[str, Any]]) -> str:
    """Fit a line to seconds by rows, each point by its own size, so that small ones count."""
    some = [point for point in points if point["engine"] == engine]
    rows = np.array([point["n_rows"] for point in some], dtype=float)
    said = []
    for name, key in (("whole estimate", "ours"), ("by hand", "by_hand")):
        seconds = np.array([point[key] for point in some])
        design = np.column_stack([np.ones(len(rows)), rows]) / seconds[:, None]
        start, slope = np.linalg.lstsq(design, np.ones(len(rows)), rcond=None)[0]
        said.append(f"{name} {start:.2f} s + {1e9 * slope:.0f} ns a row")
    return f"- {engine}: " + "; ".join(said) + "."


def _within(points: list[dict[str, Any]], most: float) -> str:
    """Say at which sizes the bound holds, and at which it does not."""
    said = []
    for name, some in (
        ("within it", [one for one in points if one["ours"] <= most * one["by_hand"]]),
        ("beyond it", [one for one in points if one["ours"] > most * one["by_hand"]]),
    ):
        listed = ", ".join(
            f"{one['engine']} at {one['n_rows']:,} rows ({one['ours'] / one['by_hand']:.2f})" for one in some
        )
        said.append(f"{name}: {listed or 'none'}")
    return f"Against a bound of {most:g} times, {'; '.join(said)}."


def _engines(found: list[dict[str, Any]]) -> str:
    return _table(
        ["rows", "Polars, s", "DuckDB, s", "DuckDB over Polars", "the same by the processor's clock"],
        [
            [
                f"{one['n_rows']:,.0f}",
                f"{one['polars_seconds']:.2f}",
                f"{one['duckdb_seconds']:.2f}",
                f"{one['duckdb_seconds'] / one['polars_seconds']:.2f}",
                f"{one['duckdb_processor'] / one['polars_processor']:.2f}",
            ]
            for one in found
        ],
    )


def _patterns(costs: list[dict[str, Any]]) -> str:
    head = ["patterns", "slices", "edges", "models", "count, s", "solve, s", "interval, s", "MB"]
    return _table(
        head,
        [
            [
                f"{cost['found']:,}",
                *(str(cost["case"][key]) for key in ("n_slices", "n_edges", "n_models")),
                *(f"{cost[key]:.2f}" for key in ("count", "solve", "interval")),
                f"{cost['memory']:,.0f}",
            ]
            for cost in costs
        ],
    )


def _pattern_fits(costs: list[dict[str, Any]]) -> str:
    """Fit powers: by patterns at equal slices, and by slices, edges and models at equal patterns."""
    said = []
    plain = [cost for cost in costs if cost["case"]["n_edges"] == 0 and cost["case"]["n_models"] == 1]
    by_patterns = [cost for cost in plain if cost["case"]["n_slices"] == 20 and cost["found"] >= 10**4]
    by_slices = [cost for cost in plain if cost["found"] == 10**5]
    for name, some, key in (("patterns", by_patterns, "found"), ("slices", by_slices, "n_slices")):
        sizes = [cost["case"].get(key, cost.get(key)) for cost in some]
        powers = [
            np.polyfit(np.log(sizes), np.log([measure(cost) for cost in some]), 1)[0]
            for measure in (lambda cost: cost["solve"], lambda cost: cost["memory"])
        ]
        said.append(f"- solving grows with {name}^{powers[0]:.2f}, memory with {name}^{powers[1]:.2f};")
    largest = max(plain, key=lambda cost: (cost["found"], cost["case"]["n_slices"]))
    said.append(
        f"- at {largest['found']:,} patterns and {largest['case']['n_slices']} slices: {largest['solve']:.1f} s and "
        f"{largest['memory'] / 1000:.1f} GB, {1e6 * largest['memory'] / largest['found']:,.0f} bytes a pattern."
    )
    return "\n".join(said)


def _rules(share: float) -> str:
    return (
        f"The three keyword rules take {share:.0%} of the processor's time of the whole count (a million rows, with "
        "and without them); only fewer or cheaper rules, or more cores, make it shorter."
    )


def _partitions(found: list[dict[str, Any]]) -> str:
    return _table(
        ["slices", "rows of the partition", "cells", "bytes returned"],
        [[str(one["n_slices"]), f"{one['n_rows']:,}", f"{one['cells']:,}", f"{one['n_bytes']:,}"] for one in found],
    )


def _partition_fits(fits: dict[str, list[float]]) -> str:
    return "\n".join(
        f"- {n_slices} slices: cells = {factor:.1f} x rows^{power:.2f}; bytes = {start:,.0f} + {slope:.1f} x cells."
        for n_slices, (factor, power, start, slope) in fits.items()
    )


def _clusters(clusters: list[dict[str, Any]]) -> str:
    return _table(
        [
            "slices",
            "rows",
            "partitions",
            "cells each",
            "read to count",
            "read to draw",
            "sent to the driver",
            "shuffled",
        ],
        [
            [
                str(one["n_slices"]),
                f"1e{round(np.log10(one['n_rows']))}",
                f"{one['partitions']:,}",
                f"{one['cells']:,.0f}",
                _bytes(one["read"]),
                _bytes(one["drawn"]),
                _bytes(one["returned"]),
                "0",
            ]
            for one in clusters
        ],
    )


def _million(bounds: list[dict[str, Any]]) -> str:
    return _table(
        ["a million rows in memory", "measured", "at most"],
        [[bound["what"], f"{bound['value']:.2f}", f"{bound['at_most']:g}"] for bound in bounds],
    )


def _bytes(n: float) -> str:
    """Write bytes with a unit that leaves few digits.

    >>> _bytes(1.5e12), _bytes(2.0e6)
    ('1.5 TB', '2.0 MB')
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n / 1e3:.1f} kB"


def _picture(points: list[dict[str, Any]]) -> str:
    """Draw seconds by rows, both on logarithmic scales: whole estimates as lines, queries by hand dashed."""
    rows, seconds = ([point[key] for point in points] for key in ("n_rows", "ours"))
    seconds = [*seconds, *(point["by_hand"] for point in points)]
    low, high = np.floor(np.log10(min(seconds))), np.ceil(np.log10(max(seconds)))
    first, last = np.log10(min(rows)), np.log10(max(rows))

    def place(n: float, time: float) -> str:
        x = _LEFT + (_WIDTH - _LEFT - 120) * (np.log10(n) - first) / max(last - first, 1)
        y = _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - 20) * (np.log10(time) - low) / (high - low)
        return f"{x:.1f},{y:.1f}"

    drawn = []
    for power in range(int(low), int(high) + 1):
        y = place(10**first, 10.0**power).split(",")[1]
        drawn.append(f'<path d="M{_LEFT} {y}H{_WIDTH - 120}" stroke="#ccc"/>')
        drawn.append(f'<text x="{_LEFT - 8}" y="{y}" text-anchor="end" dy="4">{10.0**power:g} s</text>')
    for power in range(int(first), int(last) + 1):
        x = place(10.0**power, 10.0**low).split(",")[0]
        drawn.append(f'<text x="{x}" y="{_HEIGHT - 18}" text-anchor="middle">1e{power}</text>')
    for engine, colour in _COLOURS.items():
        some = [point for point in points if point["engine"] == engine]
        for key, name, dash in (("ours", engine, ""), ("by_hand", f"{engine}, by hand", ' stroke-dasharray="4 3"')):
            line = [place(point["n_rows"], point[key]) for point in some]
            drawn.append(f'<polyline points="{" ".join(line)}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
            x, y = line[-1].split(",")
            shift = -4 if key == "ours" else 12
            drawn.append(f'<text x="{float(x) + 6:.1f}" y="{float(y) + shift:.1f}" fill="{colour}">{name}</text>')
    style = 'font-family="sans-serif" font-size="12"'
    label = f'<text x="{(_WIDTH - 60) / 2}" y="{_HEIGHT - 2}" text-anchor="middle">rows of both samples</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {style} role="img" '
        f'aria-label="Seconds by rows">\n<rect width="100%" height="100%" fill="#fff"/>\n'
        + "\n".join([*drawn, label])
        + "\n</svg>\n"
    )
