"""`mandoline ablation`: the estimate as slices are added in order, and without each."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from mandoline_core.cli.command import JSON, PROJECT, Progress, as_json, each_model, load, say, take
from mandoline_core.formatting import show_interval, table

if TYPE_CHECKING:
    from mandoline_core.pipeline import Ablation

HELP = "Show the estimate as slices are added in order, and without each."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project."""
    take(parser, {**PROJECT, **JSON})


def run(options: argparse.Namespace) -> None:
    """Compute both curves for every model and print."""
    from mandoline_core.metrics import get_metric
    from mandoline_core.pipeline import ablation, state_project

    project = load(options)
    with Progress() as progress:
        curves = {
            name: ablation(fit, project.estimator, progress=partial(progress, f"ablation of {name}"))
            for name, fit in each_model(state_project(project), progress).items()
        }
    if options.json:
        first = next(iter(curves.values())).as_dict()
        say(as_json({**first, "models": {name: both.as_dict() for name, both in curves.items()}}))
    else:
        share = get_metric(project.metric).share
        say("\n\n".join(_text(name, both, share=share) for name, both in curves.items()))


def _text(model: str, curves: Ablation, *, share: bool) -> str:
    """Write both curves as one table."""
    lines = [["slice", "adding slices in order", "effective rows", "without this slice", "effective rows"]]
    for point, without in zip(curves.cumulative, (None, *curves.leave_one_out), strict=True):
        line = [point.slice or "(no slices)"]
        for entry in (point, without):
            if entry is None:
                line += ["", ""]
            elif entry.estimate is None or entry.interval is None or entry.effective_sample_size is None:
                line += ["no estimate", "-"]
            else:
                line.append(show_interval(entry.estimate, entry.interval, share=share))
                line.append(f"{entry.effective_sample_size:,.0f}")
        lines.append(line)
    reasons = [f"{p.slice}: {p.reason}" for p in (*curves.cumulative, *curves.leave_one_out) if p.reason]
    return "\n".join(
        [f"Estimates of {model} with some of the slices", "", table(lines, "<<><>"), *dict.fromkeys(reasons)]
    )
