"""The story of an estimate, slide by slide: labelled data, the effect of each slice, the estimate, the true value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from mandoline_core import AblationPoint, ModelReport, Project, SliceRow
from mandoline_core.findings import MEANINGS
from mandoline_core.formatting import show_effect, show_value
from mandoline_core.pipeline import AttributionPart, is_share
from mandoline_core.report.words import facts, headline


@dataclass(frozen=True)
class Slide:
    """Hold the words of one slide, in plain text.

    Parameters
    ----------
    lead : str
        The sentence in large type.
    lines : tuple of str
        The lines below it.
    shown : int
        How many slices the curve shows.
    level : str
        Of the verdict, where the slide shows it.
    truth : bool
        Whether the curve shows the true value.
    """

    lead: str
    lines: tuple[str, ...] = ()
    shown: int = 0
    level: str = ""
    truth: bool = False


def slides(
    project: Project,
    report: ModelReport,
    effects: Sequence[AttributionPart],
    rows: Mapping[str, Sequence[SliceRow]],
) -> list[Slide]:
    """Write the slides of an estimate, up to the true value.

    Parameters
    ----------
    effects : sequence of AttributionPart
        What each slice adds, from the labelled score to the estimate.
    rows : mapping of str to sequence of SliceRow
        The slices of each rule.
    """
    share, metric = is_share(report), report.problem.metric.spoken
    start = Slide(
        f"On {report.n_source:,} labelled rows the {metric} is {show_value(report.source, share=share)}.",
        (project.name, f"How well does {report.model} do on {report.n_target:,} new rows without labels?"),
    )
    return [start, *_slices(project, effects, rows, share=share), _end(report, max(len(effects), 1))]


def story_points(report: ModelReport, effects: Sequence[AttributionPart]) -> list[AblationPoint]:
    """Go from the labelled score to the estimate, effect by effect; in one step without effects."""
    start = AblationPoint(None, report.source, report.source_interval, None)
    values = list(accumulate((part.value for part in effects), initial=report.source))[1:-1]
    named = [AblationPoint(part.rule, value, None, None) for part, value in zip(effects, values, strict=False)]
    last = effects[-1].rule if effects else "all slices"
    by_slices = report.without or report  # labels of new rows move the estimate further, on its own slide
    reached = by_slices.estimate if report.converged else None
    return [start, *named, AblationPoint(last, reached, by_slices.interval if report.converged else None, None)]


def _slices(
    project: Project, effects: Sequence[AttributionPart], rows: Mapping[str, Sequence[SliceRow]], *, share: bool
) -> Iterator[Slide]:
    """Write what each slice is, how it shifted, and its effect on the estimate."""
    rules = {rule.name: rule for rule in project.slices}
    for step, part in enumerate(effects, start=1):
        name = part.rule
        lines = [rules[name].describe()] if name in rules else []
        moved = facts.moved_most(rows.get(name, ()))
        if moved is not None:
            lines.append(f"{moved.name}: {facts.coverage(moved)}" if moved.name != name else facts.coverage(moved))
        yield Slide(f"{name}: {show_effect(part.value, part.interval, share=share)}", tuple(lines), shown=step)


def _end(report: ModelReport, shown: int) -> Slide:
    """Write the estimate as the verdict allows."""
    said = headline(report)
    if not said.can_be_quoted:
        lines = (said.obstacle, said.sentence, facts.without_labels(report))
        return Slide(next(filter(None, lines)), tuple(filter(None, lines))[1:], shown=shown, level="red")
    light = MEANINGS.get(said.level, "")
    return Slide(
        said.sentence,
        tuple(filter(None, (light, facts.without_labels(report), said.obstacle))),
        shown=shown,
        level=said.level,
    )


def reveal(report: ModelReport, shown: int) -> Slide:
    """Write the true value, and how far the estimate is off."""
    return Slide(facts.truth(report), shown=shown, truth=report.truth is not None)
