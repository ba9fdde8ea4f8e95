"""A comparison as an HTML fragment, for a notebook."""

from __future__ import annotations

from html import escape

from mandoline_core.comparison.results import Comparison, ModelComparison
from mandoline_core.comparison.text import entry_cells
from mandoline_core.formatting import html_table, show_interval, show_value


def render_comparison_html(comparison: Comparison) -> str:
    """Write a comparison as an HTML fragment; every name in it is escaped."""
    parts = [_model_html(comparison.name, model) for model in comparison.models.values()]
    if len(comparison.models) > 1:
        rows = [[ranking.estimator, " > ".join(ranking.order)] for ranking in comparison.rankings.values()]
        parts.append(f"<h4>Models, best first</h4>{html_table([['method', 'models'], *rows])}")
    return f"<div>{''.join(parts)}</div>"


def _model_html(name: str, model: ModelComparison) -> str:
    head = ["method", "on the target", "against the source", *(["error"] if model.truth is not None else [])]
    rows = [entry_cells(entry, model) for entry in model.entries.values() if entry.available]
    said = f"On the source: {show_interval(model.source, model.source_interval, share=model.metric.share)}."
    if model.truth is not None:
        said += f" Truth: {show_value(model.truth, share=model.metric.share)}."
    title = escape(f"{name}: {model.metric.name} of {model.model} on the target, by every method that applies")
    return f"<h4>{title}</h4>{html_table([head, *rows])}<p>{escape(said)}</p>"
