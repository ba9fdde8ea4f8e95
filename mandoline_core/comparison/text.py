"""A comparison as text for a terminal."""

from __future__ import annotations

from mandoline_core.comparison.results import Comparison, Difference, Entry, ModelComparison, Ranking
from mandoline_core.estimators import Mandoline, get_estimator
from mandoline_core.formatting import listed, show_difference, show_interval, show_points, show_value, table, wrapped


def render_comparison(comparison: Comparison) -> str:
    """Write a comparison for a terminal: a table a model, then how methods rank the models."""
    parts = [_model_text(comparison.name, model) for model in comparison.models.values()]
    if len(comparison.models) > 1:
        parts.append(_ranking_text(comparison))
    return "\n\n".join(parts)


def _model_text(name: str, model: ModelComparison) -> str:
    share = model.metric.share
    known = model.truth is not None
    rows = [["method", "on the target", "against the source", *(["error"] if known else [])]]
    for heading, later in (("the paper's methods", False), ("methods since", True)):
        entries = [e for e in model.entries.values() if e.available and get_estimator(e.estimator).later == later]
        if entries:
            rows.append([f"{heading}:", *[""] * (len(rows[0]) - 1)])
            rows += [["  " + cells[0], *cells[1:]] for cells in (entry_cells(entry, model) for entry in entries)]
    lines = [
        f"{name}: {model.metric.name} of {model.model} on the target, by every method that applies",
        "",
        table(rows, "<<<" + ("<" if known else "")),
        "",
        f"On the source: {show_interval(model.source, model.source_interval, share=share)}."
        + (f" Truth: {show_value(model.truth, share=share)}." if model.truth is not None else ""),
    ]
    if model.disagreement is not None:
        apart = show_difference(model.disagreement, share=share)
        lines.append(f"The methods are up to {apart} apart. Each is right if what it assumes holds.")
    if model.second_opinion is not None:
        lines.append(wrapped(model.second_opinion, ""))
    return "\n".join([*lines, *_serious(model), *_drawn(model), *_not_applied(model)])


def _serious(model: ModelComparison) -> list[str]:
    """Say which numbers are not to be quoted, and why: once a reason, in the words of the first method it concerns."""
    found: dict[str, tuple[str, list[str]]] = {}
    for entry in model.entries.values():
        for finding in entry.findings:
            if finding.severity == "serious":
                found.setdefault(finding.code, (finding.message, []))[1].append(entry.estimator)
    return [wrapped(f"Do not quote {listed(names, most=20)}. {message}", "! ") for message, names in found.values()]


def _drawn(model: ModelComparison) -> list[str]:
    """Say what methods on columns looked at, and how exactly they were solved: once a sentence."""
    found: dict[str, list[str]] = {}
    for entry in model.entries.values():
        for finding in entry.findings:
            if finding.code in ("rows_drawn", "on_a_draw", "optimality_gap") and finding.severity == "info":
                found.setdefault(finding.message, []).append(entry.estimator)
    return [wrapped(f"{listed(names, most=20)}: {message}", "- ") for message, names in found.items()]


def _not_applied(model: ModelComparison) -> list[str]:
    """Say which methods do not apply, and why: once a reason."""
    found: dict[str, list[str]] = {}
    for entry in model.entries.values():
        if not entry.available:
            found.setdefault(entry.reason or "", []).append(entry.estimator)
    return [
        wrapped(f"{listed(names, most=20)} {'does' if len(names) == 1 else 'do'} not apply: {reason}", "- ")
        for reason, names in found.items()
    ]


def entry_cells(entry: Entry, model: ModelComparison) -> list[str]:
    """Write one method's line of the table."""
    share = model.metric.share
    if entry.estimate is None or entry.interval is None or entry.change is None:
        return [entry.estimator, "-", "-", *(["-"] if model.truth is not None else [])]
    moved = entry.direction in ("up", "down")
    said = f"{entry.direction} {show_difference(entry.change, share=share)}" if moved else "unchanged"
    cells = [entry.estimator, show_interval(entry.estimate, entry.interval, share=share)]
    cells.append("" if entry.estimator == "source" else said)
    return cells + ([show_points(entry.estimate - model.truth, share=share)] if model.truth is not None else [])


def _ranking_text(comparison: Comparison) -> str:
    share = next(iter(comparison.models.values())).metric.share
    found = [ranking for ranking in comparison.rankings.values() if ranking.order]
    judged = any(ranking.mean_absolute_error is not None for ranking in found)
    rows = [["method", "models, best first", *(["mean error", "largest", "tau (p)"] if judged else [])]]
    rows += [[r.estimator, " > ".join(r.order), *(_judged(r, share=share) if judged else [])] for r in found]
    lines = [
        f"{comparison.name}: the models ranked by every method",
        "",
        table(rows, "<" * len(rows[0])),
    ]
    if comparison.differences:
        lines += ["", "Differences between models, on the same rows:"]
        lines += [_difference_text(one, share=share) for one in comparison.differences if _is_main(one, comparison)]
    return "\n".join(lines)


def _is_main(difference: Difference, comparison: Comparison) -> bool:
    """Keep the text short: the differences by Mandoline, or by the only method there is."""
    methods = [found.estimator for found in comparison.differences]
    return difference.estimator == (Mandoline.name if Mandoline.name in methods else methods[0])


def _difference_text(found: Difference, *, share: bool) -> str:
    low, high = (show_points(end, share=share, unit=False) for end in found.interval)
    return (
        f"  {found.first} - {found.second} by {found.estimator}: {show_points(found.value, share=share)} "
        f"({low} to {high})"
    )


def _judged(ranking: Ranking, *, share: bool) -> list[str]:
    if ranking.mean_absolute_error is None or ranking.max_absolute_error is None:
        return ["-", "-", "-"]
    errors = [
        show_difference(value, share=share) for value in (ranking.mean_absolute_error, ranking.max_absolute_error)
    ]
    tau = "-" if ranking.tau is None else f"{ranking.tau:+.2f} ({ranking.p_value:.2f})"
    return [*errors, tau]
