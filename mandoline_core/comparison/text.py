"""A comparison as text for a terminal, and as an HTML fragment for a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from mandoline_core.comparison.results import Comparison, Difference, Entry, ModelComparison, Ranking
from mandoline_core.estimators import Mandoline, get_estimator
from mandoline_core.formatting import (
    html_table,
    listed,
    show_difference,
    show_effect,
    show_interval,
    show_points,
    show_value,
    table,
    wrapped,
)


def render_comparison(comparison: Comparison) -> str:
    """Write a comparison for a terminal: a table per model, then the rankings."""
    parts = [_model_text(comparison.name, model) for model in comparison.models.values()]
    if len(comparison.models) > 1:
        parts.append(_ranking_text(comparison))
    return "\n\n".join(parts)


def render_comparison_html(comparison: Comparison) -> str:
    """Write a comparison as an HTML fragment; every name in it is escaped."""
    parts = []
    for model in comparison.models.values():
        rows = [_head(model), *(_entry_cells(entry, model) for entry in model.entries.values() if entry.available)]
        title = escape(_title(comparison.name, model))
        parts.append(f"<h4>{title}</h4>{html_table(rows)}<p>{escape(_scores(model))}</p>")
    if len(comparison.models) > 1:
        rows = [[name, " > ".join(ranking.order)] for name, ranking in comparison.rankings.items() if ranking.order]
        parts.append(f"<h4>Models, best first</h4>{html_table([['method', 'models'], *rows])}")
        if comparison.held_back is not None:
            parts.append(f"<p>Rankings by estimates are held back. {escape(comparison.held_back)}</p>")
    return f"<div>{''.join(parts)}</div>"


def _model_text(name: str, model: ModelComparison) -> str:
    share, head = model.metric.share, _head(model)
    rows = [head]
    for heading, later in (("methods of the paper", False), ("newer methods", True)):
        entries = [e for e in model.entries.values() if e.available and get_estimator(e.estimator).later == later]
        if entries:
            rows.append([f"{heading}:", *[""] * (len(head) - 1)])
            rows += [["  " + cells[0], *cells[1:]] for cells in (_entry_cells(entry, model) for entry in entries)]
    lines = [_title(name, model), "", table(rows, "<" * len(head)), "", _scores(model)]
    if model.furthest is not None and model.disagreement is not None:
        largest = show_difference(model.disagreement, share=share)
        names = " and ".join(entry.estimator for entry in model.furthest)
        lines.append(wrapped(f"Methods with the same assumption differ by up to {largest} ({names}).", ""))
    if model.second_opinion is not None:
        lines.append(wrapped(model.second_opinion, ""))
    return "\n".join(
        [*lines, *_self_tested(model), *_notes(model), *_serious(model), *_drawn(model), *_not_applied(model)]
    )


def _title(name: str, model: ModelComparison) -> str:
    return f"{name}: {model.metric.spoken} of {model.model} on new data, by method"


def _head(model: ModelComparison) -> list[str]:
    return ["method", "estimate", "change", "self-test", *(["error"] if model.truth is not None else [])]


def _scores(model: ModelComparison) -> str:
    share = model.metric.share
    truth = "" if model.truth is None else f" Truth: {show_value(model.truth, share=share)}."
    return f"On labelled data: {show_interval(model.source, model.source_interval, share=share)}.{truth}"


def _self_tested(model: ModelComparison) -> list[str]:
    """Say what the column of self-tests shows, and who fails."""
    tested = [entry for entry in model.entries.values() if entry.self_test is not None]
    if not tested:
        return []
    failed = [entry.estimator for entry in tested if entry.failed]
    n_rows = max(entry.self_test.n_rows for entry in tested if entry.self_test is not None)
    lines = [
        wrapped(
            f"Self-test: how far a method is off between halves of {n_rows:,} labelled rows, where nothing shifts "
            "(standard error).",
            "- ",
        )
    ]
    if failed:
        biased = f"{listed(failed, most=20)} {'fails' if len(failed) == 1 else 'fail'} the self-test (!)"
        lines.append(wrapped(f"{biased}: off by more than the interval allows, so no conclusion uses it.", "! "))
    return lines


def _notes(model: ModelComparison) -> list[str]:
    """Say what intervals leave out, where an assumption cannot be tested."""
    notes = _by_reason(
        (e.interval_note, e.estimator) for e in model.entries.values() if e.available and e.interval_note
    )
    return [wrapped(f"Interval of {names}: {note}", "- ") for note, (names, _) in notes.items()]


def _serious(model: ModelComparison) -> list[str]:
    """Name the estimates not to quote, grouped by reason."""
    serious = [(e.estimator, f) for e in model.entries.values() for f in e.findings if f.severity == "serious"]
    words = {finding.code: finding.message for _, finding in reversed(serious)}
    methods = _by_reason((finding.code, method) for method, finding in serious)
    return [wrapped(f"Do not quote {names}. {words[code]}", "! ") for code, (names, _) in methods.items()]


def _drawn(model: ModelComparison) -> list[str]:
    """Name the rows that methods on columns used, if not all."""
    codes = ("rows_drawn", "on_a_draw")
    methods = _by_reason(
        (finding.message, entry.estimator)
        for entry in model.entries.values()
        for finding in entry.findings
        if finding.code in codes and finding.severity == "info"
    )
    return [wrapped(f"{names}: {message}", "- ") for message, (names, _) in methods.items()]


def _not_applied(model: ModelComparison) -> list[str]:
    """Name the methods that do not apply, grouped by reason."""
    methods = _by_reason((e.reason or "", e.estimator) for e in model.entries.values() if not e.available)
    return [
        wrapped(f"{names} {'does' if n == 1 else 'do'} not apply: {reason}", "- ")
        for reason, (names, n) in methods.items()
    ]


def _by_reason(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, int]]:
    """List the methods that share a reason, and count them."""
    methods: dict[str, list[str]] = {}
    for reason, method in pairs:
        methods.setdefault(reason, []).append(method)
    return {reason: (listed(names, most=20), len(names)) for reason, names in methods.items()}


def _entry_cells(entry: Entry, model: ModelComparison) -> list[str]:
    """Write one method's line of the table."""
    share = model.metric.share
    if entry.estimate is None or entry.interval is None or entry.change is None:
        return [entry.estimator, "-", "-", "-", *(["-"] if model.truth is not None else [])]
    moved = entry.direction in ("up", "down")
    change = f"{entry.direction} {show_difference(entry.change, share=share)}" if moved else "unchanged"
    cells = [entry.estimator, show_interval(entry.estimate, entry.interval, share=share)]
    cells += ["" if entry.estimator == "source" else change, _tested(entry, share=share)]
    return cells + ([show_points(entry.estimate - model.truth, share=share)] if model.truth is not None else [])


def _tested(entry: Entry, *, share: bool) -> str:
    if entry.self_test is None:
        return "-"
    bias, error = (
        show_points(value, share=share, sign=sign, unit=False)
        for value, sign in ((entry.self_test.bias, True), (entry.self_test.standard_error, False))
    )
    return f"{bias} ({error}){' !' if entry.failed else ''}"


def _ranking_text(comparison: Comparison) -> str:
    share = next(iter(comparison.models.values())).metric.share
    rankings = [ranking for ranking in comparison.rankings.values() if ranking.order]
    judged = any(ranking.mean_absolute_error is not None for ranking in rankings)
    rows = [["method", "models, best first", *(["mean error", "largest", "tau (p)"] if judged else [])]]
    rows += [[r.estimator, " > ".join(r.order), *(_judged(r, share=share) if judged else [])] for r in rankings]
    lines = [
        f"{comparison.name}: ranking of the models, by method",
        "",
        table(rows, "<" * len(rows[0])),
    ]
    if comparison.held_back is not None:
        lines += ["", wrapped(f"Rankings and differences by estimates are held back. {comparison.held_back}", "! ")]
    shown = [difference for difference in comparison.differences if difference.held_back is None]
    if shown:
        # Keep it short: the differences by Mandoline, or by the first method there is.
        methods = [difference.estimator for difference in shown]
        main = Mandoline.name if Mandoline.name in methods else methods[0]
        lines += ["", "Differences between models (paired):"]
        lines += [_difference_text(d, share=share) for d in shown if d.estimator == main]
    return "\n".join(lines)


def _difference_text(difference: Difference, *, share: bool) -> str:
    if difference.value is None or difference.interval is None:
        raise ValueError("A difference that is held back is not shown.")
    by = show_effect(difference.value, difference.interval, share=share)
    return f"  {difference.first} - {difference.second} by {difference.estimator}: {by}"


def _judged(ranking: Ranking, *, share: bool) -> list[str]:
    if ranking.mean_absolute_error is None or ranking.max_absolute_error is None:
        return ["-", "-", "-"]
    errors = [
        show_difference(value, share=share) for value in (ranking.mean_absolute_error, ranking.max_absolute_error)
    ]
    tau = "-" if ranking.tau is None else f"{ranking.tau:+.2f} ({ranking.p_value:.2f})"
    return [*errors, tau]
