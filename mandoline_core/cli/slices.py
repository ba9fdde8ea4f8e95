"""`mandoline slices`: what each slice covers, how far it shifts, and how the model does inside it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mandoline_core.cli.command import JSON, PROJECT, Progress, as_json, each_model, load, say, take
from mandoline_core.formatting import table

if TYPE_CHECKING:
    from mandoline_core.pipeline import SliceTable

HELP = "Show what each slice covers, how far it shifts and how the model does inside it."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project."""
    take(parser, {**PROJECT, **JSON})


def run(options: argparse.Namespace) -> None:
    """Describe the slices and print."""
    from mandoline_core.pipeline import slice_table, state_project

    project = load(options)
    with Progress() as progress:
        tables = {
            name: slice_table(fit, confidence=project.estimator.confidence)
            for name, fit in each_model(state_project(project), progress).items()
        }
    if options.json:
        say(as_json({"models": {name: [row.as_dict() for row in rows] for name, rows in tables.items()}}))
    else:
        say("\n\n".join(_text(name, rows) for name, rows in tables.items()))


def _text(model: str, rows: SliceTable) -> str:
    text = [f"Slices for model {model} (shares of rows, shift in points)", "", table(rows.cells(), "<>>>><<<")]
    for row in rows:
        if row.source_abstains or row.target_abstains:
            text.append(
                f"{row.name} abstains on {row.source_abstains:.1%} of the source "
                f"and {row.target_abstains:.1%} of the target."
            )
        if row.overlap is not None and row.overlap >= 0.5:
            text.append(f"{row.name} shares {row.overlap:.0%} of its rows with {row.most_like}.")
        if row.gold is not None:
            scores = {"precision": row.gold.precision, "recall": row.gold.recall, "F1": row.gold.f1}
            words = ", ".join(f"{name} {'-' if score is None else f'{score:.3f}'}" for name, score in scores.items())
            text.append(f"{row.name} against its gold column, {row.gold.n:,} source rows: {words}.")
    return "\n".join(text)
