"""Compare: what other methods say of this model, what each takes for granted, and how they rank several models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import live, parts
from app.views.compare import methods
from app.views.estimate import evidence
from app.words import comparison as words
from app.words import wording
from mandoline_core import ESTIMATORS, MandolineError
from mandoline_core.comparison import Comparison, ModelComparison
from mandoline_core.formatting import counted, listed
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS, title_of

FIRST_PAIRS = 3
FOUR_LINES = 84  # pixels a row
SHOWN_FIRST = ("method", "assumes", "estimate", "interval", "change", "error", "note")


def main() -> None:
    """Show the page: what methods have said so far, and how far the others are."""
    st.title("Compare")
    workspace = compute.current()
    problem = live.summary(workspace)
    try:
        with st.spinner("Asking every method ..."):
            compute.ask_quick(workspace)
            # Before it is drawn: what comes in the meantime is new.
            quick, slow = (methods.seen(workspace, pace) for pace in get_args(compute.Pace))
            comparison = compute.compare_model(workspace)
    except MandolineError as error:
        no_comparison(error, problem)
        return
    coming, waiting = compute.not_run(workspace, "quick"), compute.not_run(workspace, "slow")
    headline(workspace, comparison, coming)
    methods.progress(workspace, "quick", quick)
    figure = charts.method_dots(
        comparison, chosen=workspace.project.estimator.name, waiting=[*coming, *waiting], dark=parts.is_dark()
    )
    parts.chart(figure, "methods", alt="What every method says, with its interval")
    methods.progress(workspace, "slow", slow)
    methods.method_settings(workspace)
    method_table(comparison, coming, waiting)
    picked = pick(workspace, comparison)
    rank(workspace, picked)


def no_comparison(error: MandolineError, said: MandolineError | None) -> None:
    """Say why nothing can be compared, unless it was said already, and lead on."""
    if str(error) != str(said):
        parts.show_error(error)
    with st.container(horizontal=True):
        st.page_link("views/data/data.py", label="Change the data", icon=":material/table:")
        st.page_link("views/slices/slices.py", label="Change the slices", icon=":material/content_cut:")


def headline(workspace: Workspace, comparison: ModelComparison, coming: list[str]) -> None:
    """Say whether the methods agree before anything else; while some are still at work, how many have answered."""
    said, caution = words.agreement(comparison)
    if coming:
        names = listed((title_of(name) for name in coming), most=3)
        st.markdown(f"#### {len(comparison.entries)} methods have answered. Still to come: {wording.plain(names)}.")
    elif caution:
        st.warning(f"**{said}**", icon=":material/warning:")
        st.page_link("views/trust/trust.py", label="Go to Trust", icon=":material/verified_user:")
    else:
        st.markdown(f"#### {said}")
    name = f" of model {wording.plain(comparison.model)}" if workspace.project.models else ""
    metric = wording.plain(comparison.metric.spoken)
    st.caption(
        f"Estimates of the {metric}{name} on {comparison.n_target:,} new rows, from "
        f"{comparison.n_source:,} labelled rows. Agreement alone proves nothing: methods can err together."
    )
    if comparison.second_opinion is not None:
        st.markdown(wording.tell(comparison.second_opinion))
    if not any(rule.enabled for rule in workspace.project.slices):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("There are no slices, so the methods on slices do not apply.")
            st.page_link("views/slices/slices.py", label="Add a slice", icon=":material/content_cut:")


def method_table(comparison: ModelComparison, coming: list[str], waiting: list[str]) -> None:
    """Show what each method says, assumes and looks at."""
    st.subheader("What each method assumes")
    share = comparison.metric.share
    table = words.method_table(comparison, waiting, coming)
    st.dataframe(
        words.shown_table(table, share=share),
        hide_index=True,
        height="content",
        row_height=FOUR_LINES,
        placeholder="",
        column_order=SHOWN_FIRST + tuple(name for name in table if name not in SHOWN_FIRST),
        column_config={
            "method": st.column_config.TextColumn(pinned=True, width=130),  # with the next one, what a phone shows
            "assumes": st.column_config.TextColumn(width=235),
            "estimate": st.column_config.NumberColumn(format="%.1f%%" if share else "%.4g", width=75),
            "interval": st.column_config.TextColumn(help=TOOLTIPS["interval"], width=105),
            "change": st.column_config.TextColumn(help="Against the score on the labelled data", width=120),
            "error": st.column_config.TextColumn(help="Estimate minus truth", width=95),
            "note": st.column_config.TextColumn(width=300),
        },
    )
    evidence.download(table, "methods compared")


def pick(workspace: Workspace, comparison: ModelComparison) -> str:
    """Let a person take one of the methods for the estimate; return the method that is picked."""
    st.subheader("Use a method")
    now = workspace.project.estimator.name
    said = comparison.entries
    able = [name for name in ESTIMATORS if (said[name].available if name in said else name == now)]
    first = now if now in able else able[0]
    kept = visit.typed("picked")
    key = visit.bind("picked", first if kept not in able else kept)
    picked = st.selectbox("Method", able, format_func=title_of, key=key)
    st.caption(wording.estimator_sentence(picked))
    if picked == now:
        st.caption("The project uses this method for its estimate.")
    else:
        st.button(
            "Use this method for the estimate", key="use_method", icon=":material/check:", on_click=use, args=(picked,)
        )
    return str(picked)


def use(name: str) -> None:
    """Write the method into the project; undo brings the other back."""
    title = title_of(name)
    done = f"The estimate now comes from {title}. Undo brings the other back."
    compute.attempt(
        f"use {title}", lambda project: replace(project, estimator=replace(project.estimator, name=name)), done
    )


def rank(workspace: Workspace, picked: str) -> None:
    """Show how every method ranks the models, and how far they are apart by one."""
    st.subheader("Which model is better?")
    if len(workspace.project.models) < 2:
        no_ranking("Ranking needs a second model: add its answers on the Data page.")
        return
    if n_coming := compute.n_coming(workspace):
        st.markdown(f"Models are ranked once every quick method has answered; {counted(n_coming, 'answer')} to come.")
        return
    everything = compute.compare_models(workspace)
    if len(everything.models) < 2:
        no_ranking("Ranking needs a second model that can be scored: check its columns on the Data page.")
        return
    figure = charts.model_dots(everything, chosen=workspace.project.estimator.name, dark=parts.is_dark())
    parts.chart(figure, "models_ranked", alt="What every method says of every model")
    pairs(everything, picked)
    known = any(model.truth is not None for model in everything.models.values())
    if not known:
        st.caption("Reveal the truth on the Estimate page, if it is known, to see which method was right.")
    with st.expander("The order by every method", expanded=known):
        order_table(everything)


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
            "p": number(help="How often luck alone would give such a tau (two-sided p-value)", format="%.2g"),
        },
    )
    evidence.download(table, "models ranked")


def pairs(everything: Comparison, picked: str) -> None:
    """Say how far the models are apart by one method: the best against the others."""
    metric = next(iter(everything.models.values())).metric
    found = [difference for difference in everything.differences if difference.estimator == picked]
    best = next(iter(everything.rankings[picked].order), None)
    found.sort(key=lambda one: best not in (one.first, one.second))
    st.markdown(f"By **{wording.plain(title_of(picked))}**:")
    st.markdown("\n".join(f"- {words.difference_sentence(one, metric)}" for one in found[:FIRST_PAIRS]))
    evidence.download(words.difference_table(everything.differences), "differences between models")


main()
