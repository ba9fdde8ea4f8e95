"""`mandoline labels`: the estimate combined with labels of a few new rows."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from mandoline_core.cli.command import JSON, PROJECT, Progress, as_json, each_model, load, say, take
from mandoline_core.formatting import show_interval, table, wrapped

if TYPE_CHECKING:
    from mandoline_core.labels import FewLabels

HELP = "Combine the estimate with labels of a few new rows."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, and the plan that chose the labelled rows."""
    plan = "the plan that chose the labelled rows, as `mandoline plan` wrote it; its label column may be filled in"
    take(parser, {**PROJECT, **JSON, "--plan FILE": plan})


def run(options: argparse.Namespace) -> None:
    """Combine and print."""
    from mandoline_core.labels import label_column, read_sheet, read_sheet_file, use_labels
    from mandoline_core.metrics import get_metric
    from mandoline_core.pipeline import state_project

    project = load(options)
    with Progress() as progress:
        request = state_project(project)
        fits, plan = each_model(request, progress), None
        if options.plan is None:
            target = project.reveal(request.target)
        else:
            sheet = read_sheet_file(options.plan, request.source)
            known = request.target if project.target_labels is None else project.reveal(request.target)
            target, plan = read_sheet(sheet, known, label_column(next(iter(fits.values()))), key=request.key)
        models = {name: use_labels(fit, project.estimator, target, plan=plan) for name, fit in fits.items()}
    if options.json:
        say(as_json({"models": {name: labels.as_dict() for name, labels in models.items()}}))
    else:
        say(_text(models, share=get_metric(project.metric).share))


def _text(models: Mapping[str, FewLabels], *, share: bool) -> str:
    """Write the score from labels alone, the estimate, and both combined; notes on all models are written once."""
    lines = [["model", "labels alone", "estimate", "combined"]]
    notes: dict[str, list[str]] = {}
    for name, labels in models.items():
        values = (labels.labels_only, labels.mandoline, labels.combined)
        lines.append([name, *(show_interval(*value, share=share) for value in values)])
        words = [f"{note.message} {note.remedy}" for note in labels.findings]
        if labels.test is not None and not any(note.startswith(labels.test.words) for note in words):
            words.insert(0, labels.test.words)
        for note in dict.fromkeys(words):
            notes.setdefault(note, []).append(name)
    remarks = [note if len(names) == len(models) else f"{', '.join(names)}: {note}" for note, names in notes.items()]
    first = next(iter(models.values()))
    head = f"{first.n_labelled:,} of {first.n_target:,} new rows have a label"
    return "\n".join([head, "", table(lines, "<<<<"), "", *(wrapped(text, "") for text in remarks)])
