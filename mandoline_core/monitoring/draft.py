"""A project drafted from two data files: guessed columns, suggested slices, and a file with comments."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from mandoline_core.data import PLURALS, Reading, Sample, guess_types_of, open_data, quoted_examples
from mandoline_core.discovery import NO_CURE, suggest
from mandoline_core.errors import DataError, MandolineError, ProjectError
from mandoline_core.formatting import listed, show_percent, wrapped
from mandoline_core.metrics import METRICS
from mandoline_core.pipeline import Progress
from mandoline_core.project import (
    EstimatorSettings,
    Project,
    RoleGuess,
    are_numbers,
    choose_models,
    dump_parts,
    guess_roles,
    start_project,
)
from mandoline_core.slices import Slice

_WIDTH = 100
_DEFAULTS = ", ".join(f"{key} = {json.dumps(value)}" for key, value in asdict(EstimatorSettings()).items())
_EXPLAINED = {
    "": "Written by `mandoline init`, for you to edit. Paths are relative to this file.",
    "source": "Labelled data: the label, the predictions, and the columns that slices use.",
    "target": "New data: the same columns, without the label. If you have labels for it, name their file with "
    'labels = "...". Labels of some rows join the estimate; labels of all are shown with --reveal.',
    "task": "The column with the true labels.",
    "models": "The models to evaluate: each has a column of predictions and, optionally, columns of probabilities.",
    "metric": f"The score to estimate: one of {listed(METRICS, most=len(METRICS))}.",
    "slices": "Slices describe how the data changed. The estimate is only as good as they are. Read each one: set "
    "enabled = true to use it, delete it if it is irrelevant, and add your own. `mandoline slices` shows the rows "
    "that they match, and `mandoline suggest` finds others.",
    "trust": "What choosing the slices on these labels adds to each model's standard error. Intervals allow for it "
    "while one of the chosen slices is in use.",
    "estimator": f"Settings of the method. Defaults: {_DEFAULTS}.",
}
_NO_SLICES = """
# An estimate needs at least one slice. Describe how the data changed, for example:
#
# [[slices]]
# name = "short"
# kind = "length"
# column = "text"
# below = 30
"""


@dataclass(frozen=True, eq=False)
class ProjectDraft:
    """Hold a first project, with the reasons for its guesses.

    Parameters
    ----------
    guess : RoleGuess
        The columns, and the reasons for them.
    doubt : str
        Why there are no slices, or none is enabled; empty if some are.
    readings : mapping of str to Reading
        Columns of text in the labelled data that are read as numbers or dates.
    """

    project: Project
    guess: RoleGuess
    doubt: str = ""
    readings: Mapping[str, Reading] = field(default_factory=dict)

    def to_toml(self) -> str:
        """Write the project file, with a comment on each part."""
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
        if heading == "source":
            return [
                f"{column}: stored as text; {show_percent(found.share)} read as {PLURALS[found.type]}."
                for column, found in self.readings.items()
            ]
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
    """Guess the roles of two files' columns, and suggest slices.

    Parameters
    ----------
    source, target : Path
        CSV or Parquet files.
    place : Path
        Where the project file will be.
    label, predictions : str, sequence of str, optional
        Columns to use instead of guesses.
    """
    tables = [(open_data(path), path.name) for path in (source, target)]
    types = guess_types_of(*(Sample(rows, name=file).drawn for rows, file in tables))
    old, new = (Sample(rows, name=file, types=found).drawn for (rows, file), found in zip(tables, types, strict=True))
    guess = _roles(old, new, label, predictions)
    if not guess.complete or guess.label is None:
        raise DataError(f"{' '.join(guess.problems)} Name them with --label COLUMN and --prediction COLUMN.")
    name = place.stem if place.stem != "project" else place.resolve().parent.name or "project"
    folder = place.parent.resolve()
    numbers = are_numbers(old, guess.label, guess.models)
    old_path, new_path = (Path(os.path.relpath(path.resolve(), folder)) for path in (source, target))
    project = start_project(name, old_path, new_path, guess.label, guess.models, numbers=numbers)
    project = replace(
        project,
        slices=(),  # suggestions replace the default slices
        edges="auto",
        base=place.parent,
        source_types=types[0],
        target_types=types[1],
    )
    return _with_slices(ProjectDraft(project, guess, readings=old.readings), progress)


def _roles(source: Sample, target: Sample, label: str | None, predictions: Sequence[str]) -> RoleGuess:
    """Guess the roles of columns that were not given."""
    for sample, columns in ((source, [label, *predictions]), (target, predictions)):
        for column in columns:
            if column is not None and column not in sample.columns:
                raise DataError.missing_column(column, sample.name, sample.columns)
    guess = guess_roles(source, target.columns, label)
    reasons = dict(guess.reasons)
    columns = list(predictions) or [model.prediction for model in guess.models if model.prediction is not None]
    for column in (label, *predictions):
        if column is not None:
            reasons[column] = "given by you"
    models = choose_models(source, target.columns, guess.label, columns) if columns else guess.models
    return replace(guess, models=models, reasons=reasons)


def _with_slices(draft: ProjectDraft, progress: Progress | None) -> ProjectDraft:
    """Add what `suggest` finds: accepted slices enabled, the others disabled."""
    try:
        found = suggest(draft.project, auto=True, progress=progress)
    except ProjectError:
        raise
    except MandolineError as error:
        return replace(draft, doubt=f"No slice could be suggested: {error}")
    # Weights that did not converge are no evidence for the accepted slices.
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
        return replace(draft, project=project, doubt="None is enabled, because no effect is beyond sampling error.")
    return replace(draft, doubt="No shift in the shared columns affects a model's score.")


def draft_summary(draft: ProjectDraft) -> str:
    """Summarize the guesses and the slices."""
    project = draft.project
    on = [rule.name for rule in project.slices if rule.enabled]
    off = len(project.slices) - len(on)
    lines = [f"label: {project.label} ({draft.guess.reasons.get(str(project.label), 'guessed')})"]
    for model in project.models:
        sure = " and its probabilities" if model.probabilities else ""
        why = draft.guess.reasons.get(str(model.prediction), "guessed")
        if model.prediction is None:
            why = draft.guess.reasons.get(next(iter(model.probabilities.values())), "guessed")
        what = model.prediction or ", ".join(f"{name}: {column}" for name, column in model.probabilities.items())
        lines.append(f"model {model.name}: {what}{sure if model.prediction else ''} ({why})")
        if METRICS[project.metric.name].share and not sure:
            lines.append("  no probabilities found (optional: one column per class, such as prob_CLASS)")
    for column, found in draft.readings.items():
        what = f"column {column}: text read as {PLURALS[found.type]}"
        lost = f"; {found.n_unread:,} values are missing, {quoted_examples(found)}" if found.n_unread else ""
        lines.append(f"{what}{lost}")
    lines.append(f"slices: {len(on)} enabled, {off} more suggested")
    lines += [f"  {name}" for name in on]
    if on:
        lines.append(wrapped(NO_CURE, ""))
    return "\n".join([*lines, *([draft.doubt] if draft.doubt else [])])


def _comment(text: str) -> str:
    """Write a comment that no column name can end."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    return "".join(f"# {line}\n" for line in textwrap.wrap(plain, _WIDTH))
