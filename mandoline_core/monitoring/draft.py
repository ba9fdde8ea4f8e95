"""A project drafted from two files: guessed roles, slices that were tried, and a file that explains itself."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mandoline_core.data import Sample, few_classes, open_data
from mandoline_core.discovery import suggest
from mandoline_core.errors import DataError, MandolineError, ProjectError
from mandoline_core.formatting import listed
from mandoline_core.metrics import METRICS
from mandoline_core.pipeline import Progress
from mandoline_core.project import (
    EstimatorSettings,
    Project,
    RoleGuess,
    choose_models,
    dump_parts,
    guess_roles,
    start_project,
)
from mandoline_core.slices import Slice

_MOST_CLASSES = 100
_WIDTH = 100
_DEFAULTS = ", ".join(f"{key} = {json.dumps(value)}" for key, value in asdict(EstimatorSettings()).items())
_EXPLAINED = {
    "": "Made by `mandoline init`; it is yours to edit. Paths are relative to this file.",
    "source": "The labelled rows: the label, the predictions, and whatever slices look at.",
    "target": "The new rows: the same columns, without the label. A file of labels for them, if there is one, goes "
    'here as labels = "..."; it is read only to reveal the truth.',
    "task": "The column of true answers.",
    "models": "What is evaluated: a column of predictions each and, where there are any, of class probabilities.",
    "metric": f"What is estimated: one of {listed(METRICS, most=len(METRICS))}.",
    "slices": "The ways in which the data changed, as rules: the estimate is as good as these. Read each; switch "
    "on what you believe with enabled = true, remove what you do not, and write your own. `mandoline slices` shows "
    "what they cover, `mandoline suggest` tries others.",
    "estimator": f"How the estimate is made. Defaults: {_DEFAULTS}.",
}
_NO_SLICES = """
# No slice yet, and an estimate needs one: write down how the data changed. For example:
#
# [[slices]]
# name = "short"
# kind = "length"
# column = "text"
# below = 30
"""


@dataclass(frozen=True, eq=False)
class ProjectDraft:
    """Hold a project to start with, and why it is as it is.

    Parameters
    ----------
    guess : RoleGuess
        The roles, and the reasons for them.
    doubt : str
        Why there are no slices, or why none is switched on; empty where some are.
    """

    project: Project
    guess: RoleGuess
    doubt: str = ""

    def to_toml(self) -> str:
        """Write the project file, with a comment that explains each part."""
        parts = []
        for heading, text in dump_parts(self.project).items():
            why = _EXPLAINED.get(heading, "")
            if heading == "slices" and self.doubt:
                why = f"{why} {self.doubt}"
            reasons = "".join(_comment(reason) for reason in self._reasons(heading))
            parts.append(f"{_comment(why)}{reasons}{text}")
            if heading == "metric" and not self.project.slices:
                parts.append(_comment(self.doubt) + _NO_SLICES.lstrip("\n"))
        return "\n".join(parts)

    def _reasons(self, heading: str) -> list[str]:
        wanted = {
            "task": [str(self.project.label)],
            "models": [column for model in self.project.models for column in model.columns],
        }.get(heading, [])
        return [f"{column}: {self.guess.reasons[column]}." for column in wanted if column in self.guess.reasons]


def draft_project(
    source: Path,
    target: Path,
    place: Path,
    *,
    label: str | None = None,
    predictions: Sequence[str] = (),
    progress: Progress | None = None,
) -> ProjectDraft:
    """Guess the roles of two files' columns, and find slices to start with.

    Parameters
    ----------
    source, target : Path
        CSV or Parquet files.
    place : Path
        Where the project file will be.
    label, predictions : str, sequence of str, optional
        Columns, where a person knows better than to have them guessed.
    """
    old, new = (Sample(open_data(path), name=path.name).drawn for path in (source, target))
    guess = _roles(old, new, label, predictions)
    if not guess.complete or guess.label is None:
        raise DataError(f"{' '.join(guess.problems)} Name them with --label COLUMN and --prediction COLUMN.")
    name = place.stem if place.stem != "project" else place.resolve().parent.name or "project"
    folder = place.parent.resolve()
    classes = few_classes(old, guess.label, _MOST_CLASSES)
    numbers = not classes and old.schema[guess.label].is_numeric()
    old_path, new_path = (Path(os.path.relpath(path.resolve(), folder)) for path in (source, target))
    project = start_project(name, old_path, new_path, guess.label, guess.models, numbers=numbers)
    project = replace(project, slices=(), base=place.parent)  # what suggestions find takes the place of the first ones
    return _with_slices(ProjectDraft(project, guess), progress)


def _roles(source: Sample, target: Sample, label: str | None, predictions: Sequence[str]) -> RoleGuess:
    """Guess the roles; what a person said stays."""
    for sample, columns in ((source, [label, *predictions]), (target, predictions)):
        for column in columns:
            if column is not None and column not in sample.columns:
                raise DataError.missing_column(column, sample.name, sample.columns)
    guess = guess_roles(source, target.columns)
    reasons = dict(guess.reasons)
    chosen = label or guess.label
    columns = list(predictions) or [str(model.prediction) for model in guess.models if model.prediction != chosen]
    for column in (label, *predictions):
        if column is not None:
            reasons[column] = "as you said"
    models = choose_models(source, target.columns, chosen, columns) if columns else ()
    return replace(guess, label=chosen, models=models, reasons=reasons)


def _with_slices(draft: ProjectDraft, progress: Progress | None) -> ProjectDraft:
    """Put in what `suggest` finds: what it accepted switched on, the rest switched off."""
    try:
        found = suggest(draft.project, auto=True, progress=progress)
    except ProjectError:
        raise
    except MandolineError as error:
        return replace(draft, doubt=f"Slices could not be suggested: {error}")
    # Weights that did not converge say nothing in favour of what was accepted.
    sound = found.accepted is not None and all(report.converged for report in found.accepted.reports.values())
    on = found.apply(draft.project) if sound else draft.project
    taken = {rule.name for rule in on.slices}
    others = [
        replace(one.rule, enabled=False, note=str(one.reason))
        for one in found.suggestions
        if isinstance(one.rule, Slice) and one.name not in taken
    ]
    project = replace(on, slices=(*on.slices, *others))
    if on.slices:
        return replace(draft, project=project)
    if others:
        return replace(draft, project=project, doubt="None is switched on: none stands out from luck.")
    return replace(draft, doubt="No column that both files have shifts in a way that matters to a model.")


def draft_summary(draft: ProjectDraft) -> str:
    """Say what was guessed and what to do next."""
    project = draft.project
    on = [rule.name for rule in project.slices if rule.enabled]
    off = len(project.slices) - len(on)
    lines = [f"label: {project.label} ({draft.guess.reasons.get(str(project.label), 'guessed')})"]
    for model in project.models:
        sure = " and its probabilities" if model.probabilities else ""
        why = draft.guess.reasons.get(str(model.prediction), "guessed")
        lines.append(f"model {model.name}: {model.prediction}{sure} ({why})")
    lines.append(f"slices: {listed(on) or 'none'} switched on, {off} more to look at")
    return "\n".join([*lines, *([draft.doubt] if draft.doubt else [])])


def _comment(text: str) -> str:
    """Write a comment; whatever a column is called, it stays one."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    return "".join(f"# {line}\n" for line in textwrap.wrap(plain, _WIDTH))
