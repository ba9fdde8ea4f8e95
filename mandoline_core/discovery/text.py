"""Suggestions as text for a terminal."""

from __future__ import annotations

from mandoline_core.discovery.results import Accepted, Suggestion, Suggestions
from mandoline_core.formatting import show_interval, show_points, show_value, table, wrapped

ALLOWED_FOR = (
    "Slices were chosen by looking at scores, and the intervals allow for that: slices chosen on one half of the "
    "labelled rows were judged on the other, and back, and what that moves the estimate by is added to its error."
)


def suggestions_text(found: Suggestions) -> str:
    """Write suggestions as a table, with the reason for each below."""
    head = f"{found.name}: slices worth trying, by how much of the change in {found.metric} they explain"
    if not found.suggestions:
        parts = [head, "", wrapped("Nothing that is still off after weighting seems to matter to the score.", "")]
    else:
        rows = [["", "rule", "source", "target", "estimate with it", "effect", "effective rows", "z"]]
        rows += [_row(number, one, share=found.share) for number, one in enumerate(found.suggestions, start=1)]
        parts = [head, "", table(rows, "><>>>>>>"), ""]
        parts += [wrapped(f"{number}. {one.reason}", "") for number, one in enumerate(found.suggestions, start=1)]
    if found.note:
        parts += ["", wrapped(found.note, "")]
    if found.accepted is not None:
        parts += ["", _accepted(found.accepted, found)]
    return "\n".join(parts)


def _row(number: int, one: Suggestion, *, share: bool) -> list[str]:
    trial = one.first
    return [
        f"{number}.",
        one.words,
        f"{one.source:.1%}",
        f"{one.target:.1%}",
        show_interval(trial.estimate, trial.interval, share=share),
        show_points(trial.effect, share=share),
        f"{trial.effective_sample_size:,.0f}",
        f"{one.trials[one.model].z:+.1f}",
    ]


def _accepted(accepted: Accepted, found: Suggestions) -> str:
    if not accepted.rules:
        return wrapped("Nothing was accepted: no candidate stands out from luck and leaves the weights sane.", "")
    first = next(iter(accepted.curves.values()))
    rows = [["accepted", *(f"{name}" for name in accepted.curves)]]
    for number, point in enumerate(first):
        cells = [curve[number].estimate for curve in accepted.curves.values()]
        shown = ["-" if value is None else show_value(value, share=found.share) for value in cells]
        rows.append([point.slice or "(at the start)", *shown])
    lines = [table(rows, "<" + ">" * len(accepted.curves)), ""]
    for name, report in accepted.reports.items():
        said = f" {report.verdict.level.upper()}. {report.verdict.message}" if report.verdict else ""
        interval = show_interval(report.estimate, accepted.intervals[name], share=found.share)
        lines.append(wrapped(f"{name}: {interval}.{said}", ""))
    return "\n".join([*lines, wrapped(ALLOWED_FOR, "")])
