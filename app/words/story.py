"""The story of an estimate, slide by slide: where it started, what each slice did, where it ended, and the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.words.trust import LIGHTS
from mandoline_core import Ablation, ModelReport, Project, SliceRow
from mandoline_core.formatting import direction, show_difference, show_percent, show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report.words import headline


@dataclass(frozen=True)
class Slide:
    """Hold what one slide says, in plain text.

    Parameters
    ----------
    lead : str
        The sentence in large type.
    lines : tuple of str
        What stands below it.
    shown : int
        How many slices the curve shows.
    level : str
        The verdict's light, where the slide tells it.
    truth : bool
        Whether the curve shows the truth.
    """

    lead: str
    lines: tuple[str, ...] = ()
    shown: int = 0
    level: str = ""
    truth: bool = False


def slides(
    project: Project,
    report: ModelReport,
    curves: Ablation,
    rows: Mapping[str, Sequence[SliceRow]],
) -> list[Slide]:
    """Tell the story of an estimate, up to the truth.

    Parameters
    ----------
    rows : mapping of str to sequence of SliceRow
        The slices that each rule stands for.
    """
    share, metric = is_share(report), report.problem.metric.spoken
    start = Slide(
        f"On {report.n_source:,} labelled rows the {metric} is {show_value(report.source, share=share)}.",
        (project.name, f"How well does {report.model} do on {report.n_target:,} new rows that have no labels?"),
    )
    return [start, *_slices(project, curves, rows, share=share), _end(report, len(curves.cumulative) - 1)]


def _slices(
    project: Project, curves: Ablation, rows: Mapping[str, Sequence[SliceRow]], *, share: bool
) -> Iterator[Slide]:
    """Tell what each slice is, how it changed, and what it did to the estimate."""
    rules = {rule.name: rule for rule in project.slices}
    before = curves.cumulative[0].estimate
    for step, point in enumerate(curves.cumulative[1:], start=1):
        name = str(point.slice)
        lines = [rules[name].describe()] if name in rules else []
        moved = max(rows.get(name, ()), key=lambda row: abs(row.shift), default=None)
        if moved is not None:
            which = f"{moved.name}: " if moved.name != name else ""
            old, new = show_percent(moved.source), show_percent(moved.target)
            lines.append(f"{which}{old} of the labelled rows, {new} of the new rows")
        yield Slide(f"{name}: {_move(before, point.estimate, share)}", tuple(lines), shown=step)
        before = before if point.estimate is None else point.estimate


def _move(before: float | None, after: float | None, share: bool) -> str:
    if after is None:
        return "no estimate up to here"
    if before is None or (way := direction(after - before, share=share)) == "the same":
        return f"still {show_value(after, share=share)}"
    return f"{show_difference(after - before, share=share)} {way}, {show_value(after, share=share)}"


def _end(report: ModelReport, shown: int) -> Slide:
    """Say the estimate as far as the verdict allows: what stands in its way comes first."""
    said = headline(report)
    if not said.can_be_quoted:
        lines = (said.obstacle, said.sentence)
        return Slide(next(filter(None, lines)), tuple(filter(None, lines))[1:], shown=shown, level="red")
    light = LIGHTS[said.level].word.capitalize() if said.level in LIGHTS else ""
    return Slide(said.sentence, tuple(filter(None, (light, said.obstacle))), shown=shown, level=said.level)


def reveal(report: ModelReport, shown: int) -> Slide:
    """Tell the truth, and how far the estimate was off; the report must have it."""
    share = is_share(report)
    if report.truth is None:
        return Slide("The truth is not known: too few new rows have a label.", shown=shown)
    value, (low, high) = report.truth, report.interval
    where = "inside" if low <= value <= high else "outside"
    off = show_difference(report.estimate - value, share=share)
    lead = f"The truth: {show_value(value, share=share)}"
    return Slide(lead, (f"The estimate was {off} off. The truth lies {where} its interval.",), shown=shown, truth=True)
