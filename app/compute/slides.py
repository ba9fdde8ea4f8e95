"""The slides of the model on show: the same facts as the report's, from what is kept already."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Literal, get_args

from app.compute import counting, keys
from app.compute.data import samples
from app.compute.estimates import codes_of, effects, experience, fit, report, second_opinion
from app.compute.keys import kept
from app.compute.trust import weighted
from app.project import Workspace
from mandoline_core import MandolineError
from mandoline_core.pipeline import Attribution, slice_table
from mandoline_core.report import HiddenChange, hidden_change
from mandoline_core.report.deck import Example, Slide, Story, find_examples, make_slides

EXAMPLES = "example_rows"  # how the choice is kept with the project
Audience = Literal["nobody", "editors", "everyone"]
AUDIENCES: tuple[Audience, ...] = get_args(Audience)


def slides(workspace: Workspace, *, rows_too: bool, truth: bool) -> list[Slide]:
    """Write the slides.

    Parameters
    ----------
    rows_too : bool
        Whether to show two rows of the data.
    truth : bool
        Whether to end with the true value, where it is known; it stays as hidden as it was elsewhere.
    """
    project, found = workspace.project, fit(workspace)
    known = report(replace(workspace, revealed=True) if truth else workspace)
    story = Story(
        name=project.name,
        report=known,
        rows=tuple(slice_table(found, confidence=project.estimator.confidence)),
        rules={rule.name: rule.describe() for rule in project.slices},
        effects=_effects(workspace),
        examples=_examples(workspace) if rows_too else (),
        opinion=second_opinion(workspace),
        experience=experience(workspace),
        hidden=_hidden(workspace),
        decision=project.decision,
        note=project.note,
    )
    return make_slides(story, truth=truth)


def _effects(workspace: Workspace) -> Attribution | None:
    """Find what each slice adds; nothing where the method or the metric has no effects of slices."""
    with suppress(MandolineError):
        return effects(workspace)
    return None


def _hidden(workspace: Workspace) -> HiddenChange | None:
    with suppress(MandolineError):
        return _bounds(workspace)
    return None


@kept(by=keys.solution)
def _bounds(workspace: Workspace) -> HiddenChange:
    return hidden_change(weighted(workspace)[0])


@kept(by=keys.solution)
def _examples(workspace: Workspace) -> tuple[Example, ...]:
    whole = fit(workspace)
    if counting.in_tables(workspace):
        return ()  # rows stay where they are
    source, target = samples(workspace)
    return find_examples(source, target, whole.cells.slices, slice_table(whole), codes_of)


def example_rows(workspace: Workspace) -> Audience:
    """Say who sees rows of the data on slides: unless told otherwise, those who may edit."""
    found = workspace.revision.document.get(EXAMPLES)
    return next((one for one in AUDIENCES if one == found), "editors")
