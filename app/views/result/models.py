"""Models: the numbers of each, and which is better by which method."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import compute
from app.project import Workspace
from app.views import parts
from app.views.result import comparison, evidence, methods
from app.words import comparison as words
from app.words import percent, tables, wording
from mandoline_core.comparison import Comparison
from mandoline_core.formatting import counted
from mandoline_core.metrics import get_metric
from mandoline_core.report import charts
from mandoline_core.report.words import methods as methods_words
from mandoline_core.report.words import title_of

FIRST_PAIRS = 3


def show(workspace: Workspace) -> None:
    """Show every model's numbers, how every method ranks the models, and how much they differ by the method in use."""
    numbers(workspace)
    if len(workspace.project.models) < 2:
        no_ranking("Ranking needs a second model. Add its predictions on the Data page.")
        return
    found = comparison.ask(workspace)
    if found is None:
        return
    methods.progress(workspace, "quick", found[1])
    if n_coming := compute.n_coming(workspace):
        st.markdown(f"Ranking waits for {counted(n_coming, 'estimate')}.")
        return
    everything = compute.compare_models(workspace)
    if len(everything.models) < 2:
        no_ranking("Ranking needs a second model that can be scored. Check its columns on the Data page.")
        return
    if everything.held_back is not None:
        labelled = everything.rankings["source"].order if "source" in everything.rankings else ()
        st.warning(f"Ranking held back. {wording.tell(everything.held_back)}", icon=":material/front_hand:")
        st.markdown(f"On labelled data, best first: {wording.plain(', '.join(labelled))}.")
        return
    figure = charts.model_dots(everything, chosen=workspace.project.estimator.name, dark=parts.is_dark())
    parts.chart(figure, "models_ranked", alt="The estimate of every method for every model")
    pairs(everything, workspace.project.estimator.name)
    known = any(model.truth is not None for model in everything.models.values())
    if not known:
        st.caption("To see which method was right, reveal the truth.")
    with st.expander("Ranking by every method", expanded=known):
        order_table(everything)


def numbers(workspace: Workspace) -> None:
    """Show every model's numbers."""
    table = tables.model_table(compute.reports(workspace), reveal=workspace.revealed)
    shares = ("estimate", "low", "high", "labelled data", "left out", "true value")
    share = get_metric(workspace.project.metric).share
    formats = {name: st.column_config.NumberColumn(format="%.1f%%" if share else "%.4g") for name in shares}
    formats["effective rows"] = st.column_config.NumberColumn(format="localized")
    # Separators come with the format; whole rows do not. The download keeps every digit.
    shown = percent(table.round({"effective rows": 0}), shares, share=share)
    st.dataframe(shown, hide_index=True, column_config=formats)
    evidence.download(table, "all models")


def no_ranking(why: str) -> None:
    """Say why models cannot be ranked, and lead on."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(why)
        st.page_link("views/data/data.py", label="Change the data", icon=":material/table:")


def order_table(everything: Comparison) -> None:
    """List how every method ranks the models and, where the truth is known, how right it was."""
    table = words.ranking_table(everything)
    share = next(iter(everything.models.values())).metric.share
    number: Any = st.column_config.NumberColumn
    written = "%.1f points" if share else "%.4g"
    st.dataframe(
        words.percent(table, ["mean error", "largest error"], share=share),
        hide_index=True,
        height="content",
        row_height=words.WRAPPED,
        column_config={
            "method": st.column_config.TextColumn(pinned=True, width=words.METHOD_WIDTH),
            "mean error": number(help="Mean absolute error over models", format=written),
            "largest error": number(help="Largest absolute error of a model", format=written),
            "tau": number(
                help="Kendall's rank correlation with the truth: 1 is the true order, -1 the reverse", format="%.2f"
            ),
            "p": number(help="Two-sided p-value of tau", format="%.2g"),
        },
    )
    evidence.download(table, "models ranked")


def pairs(everything: Comparison, picked: str) -> None:
    """Say how much the models differ by one method: the best against the others."""
    metric = next(iter(everything.models.values())).metric
    found = [one for one in everything.differences if one.estimator == picked and one.held_back is None]
    if not found:
        why = everything.rankings[picked].held_back
        if why is not None:
            st.caption(wording.tell(why))
        return
    best = next(iter(everything.rankings[picked].order), None)
    found.sort(key=lambda one: best not in (one.first, one.second))
    st.markdown(f"By **{wording.plain(title_of(picked))}**:")
    st.markdown("\n".join(f"- {wording.tell(methods_words.difference(one, metric))}" for one in found[:FIRST_PAIRS]))
    evidence.download(words.difference_table(everything.differences), "differences between models")
