"""`mandoline slices`: the rows that each slice matches, and the score in it."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING

from mandoline_core.cli.command import JSON, PROJECT, Progress, as_json, each_model, load, say, take
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import show_effect, show_percent, table

if TYPE_CHECKING:
    from mandoline_core.pipeline import Attribution, SliceTable

HELP = "Show each slice's share of rows, its shift, its score and its effect."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project."""
    take(parser, {**PROJECT, **JSON})


def run(options: argparse.Namespace) -> None:
    """Print a table of slices and their effects for every model."""
    from mandoline_core.pipeline import attribute, slice_table, state_project

    project = load(options)
    tables, effects = {}, {}
    with Progress() as progress:
        for name, fit in each_model(state_project(project), progress).items():
            tables[name] = slice_table(fit, confidence=project.estimator.confidence)
            with suppress(MandolineError):  # no method or metric for it, or no estimate
                effects[name] = attribute(fit, project.estimator)
    if options.json:
        rows = {name: [row.as_dict() for row in rows] for name, rows in tables.items()}
        say(as_json({"models": rows, "effects": {name: found.as_dict() for name, found in effects.items()}}))
    else:
        say("\n\n".join(_text(name, rows, effects.get(name)) for name, rows in tables.items()))


def _text(model: str, rows: SliceTable, effects: Attribution | None) -> str:
    text = [
        f"Slices for model {model} (shares of rows, shift in points and standard deviations)",
        "",
        table(rows.cells(), "<>>>><<<"),
    ]
    pairs = set()
    for row in rows:
        if row.source_abstains or row.target_abstains:
            text.append(
                f"{row.name} abstains on {show_percent(row.source_abstains)} of the labelled data "
                f"and {show_percent(row.target_abstains)} of the new data."
            )
        pair = frozenset((row.name, row.most_like))
        if row.overlap is not None and row.overlap >= 0.5 and pair not in pairs:
            pairs.add(pair)
            both = f"{show_percent(row.overlap)} of the rows in either are in both"
            text.append(f"{row.name!r} and {row.most_like!r} overlap: {both}.")
        if row.gold is not None:
            scores = {"precision": row.gold.precision, "recall": row.gold.recall, "F1": row.gold.f1}
            words = ", ".join(f"{name} {'-' if score is None else f'{score:.3f}'}" for name, score in scores.items())
            text.append(f"{row.name} compared with its gold labels on {row.gold.n:,} labelled rows: {words}.")
    if effects is not None:
        parts = [(part.rule, part.value, part.interval) for part in effects.parts]
        parts.append(("all together", effects.total, effects.total_interval))
        lines = [[name, show_effect(value, interval, share=rows.share)] for name, value, interval in parts]
        text += ["", table([["slice", "effect on the estimate"], *lines], "<<")]
    return "\n".join(text)
