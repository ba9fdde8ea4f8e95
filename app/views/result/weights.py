"""Result: whether a few rows dominate, and which new rows are unlike any labelled row."""

from __future__ import annotations

import math

import streamlit as st

from app import compute
from app.project import Workspace, state, visit
from app.views import parts
from app.views.result import evidence
from app.words import percent, tables, wording
from mandoline_core.checks import ModelReport
from mandoline_core.formatting import show_times
from mandoline_core.pipeline import heaviest_patterns, is_share
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS
from mandoline_core.report.words import evidence as facts
from mandoline_core.report.words import facts as report_facts

_NUMBER = 165  # pixels a number: four beside each other on a screen, two on a phone


@st.fragment
def show(_: Workspace) -> None:
    """Show how much each labelled row counts, which rows count most, and what a cap would do."""
    workspace = compute.current()
    report = compute.report(workspace)
    st.caption(wording.tell(f"{report_facts.basis(report)}."), help=parts.more(TOOLTIPS["effective rows"], "weights"))
    _numbers(report)
    st.markdown(wording.tell(facts.tail(report.evidence.tail)))
    picture, words = st.columns([2, 3])
    with picture:
        log_counts = st.toggle(
            "Log scale",
            key=visit.bind("log_counts", bool(workspace.revision.document.get("log_counts"))),
            on_change=state.look_by,
            args=("log_counts", "log_counts"),
            help="Shows bars of a few rows.",
        )
        figure = charts.weight_histogram(report, log_counts=log_counts, dark=parts.is_dark())
        parts.chart(figure, "weights", alt="Histogram of the weights of labelled rows")
    with words:
        st.markdown("**Heaviest rows, by slices**")
        heaviest(report)
    with parts.answer(TOOLTIPS["weight"]):
        _trimming()


def heaviest(report: ModelReport) -> None:
    """List the heaviest rows by their slices."""
    table = tables.pattern_table(heaviest_patterns(report))
    st.dataframe(
        percent(table, ["share"], share=True),
        hide_index=True,
        column_config={
            "in slices": st.column_config.TextColumn(width=225),
            "weight": st.column_config.TextColumn(width=75),
            "labelled": st.column_config.NumberColumn(help="Labelled rows", format="localized", width=55),
            "new": st.column_config.NumberColumn(help="New rows", format="localized", width=45),
            "share": st.column_config.NumberColumn(help="Share of the total weight", format="%.1f%%", width=60),
        },
    )
    evidence.download(table, "heaviest rows")


def _numbers(report: ModelReport) -> None:
    numbers, tail = report.diagnostics, report.evidence.tail
    place = st.container(horizontal=True)
    for label, value, tip in zip(
        ("Effective rows", "Design effect", "Largest weight", "Tail index"),
        (
            f"{numbers.effective_sample_size:,.0f}",
            f"{numbers.design_effect:,.1f}",
            show_times(numbers.largest_ratio),
            "bounded" if tail.k is None else f"{tail.k:.2f}",
        ),
        ("effective rows", "design effect", "largest ratio", "heavy tail"),
        strict=True,
    ):
        place.metric(label, value, help=TOOLTIPS[tip], width=_NUMBER)


def _trimming() -> None:
    """Let the user cap the weights; the estimate before stays next to the one after."""
    workspace = compute.current()
    report, instead = compute.weighted(workspace)
    if instead:
        said = facts.instead(workspace.project.estimator.name, report.estimate, share=is_share(report))
        st.caption(wording.tell(said))
    with st.spinner("Trying caps ..."):
        every = compute.trimmings(workspace)
    caps = [one.cap for one in every]
    if len(caps) < 2:
        st.markdown("All weights are near 1, so there is nothing to cap.")
        return
    kept = visit.typed("cap")
    cap = st.select_slider(
        "Maximum weight",
        caps,
        key=visit.bind("cap", kept if kept in caps else math.inf),
        format_func=facts.show_cap,
        help=TOOLTIPS["trimming"],
    )
    share = is_share(report)
    chosen = next(one for one in every if one.cap == cap)
    st.markdown(wording.tell(facts.trimming(chosen, every[-1], share=share)))
    figure = charts.trimming_curve(
        every, float(cap), metric=report.problem.metric.spoken, share=share, dark=parts.is_dark()
    )
    parts.chart(figure, "trimming", alt="The estimate with its interval against the maximum weight")
    st.caption(f"Preview only: the project's estimate has no cap. {wording.SAMPLING_ONLY}")


def unlike() -> None:
    """Say which new rows are like no labelled row, and what that leaves open."""
    with parts.answer(TOOLTIPS["rows without a match"]):
        report = compute.report(state.workspace())
        found = report.evidence.support
        st.markdown(wording.tell(facts.overlap(found.unseen, found.rare)))
        if found.worst:
            st.markdown("\n".join(f"- {wording.plain(pattern)}" for pattern in found.worst))
        if report.set_aside:
            st.markdown(wording.tell(report_facts.left_out(report)), help=TOOLTIPS["left out"])
        if found.unseen or report.set_aside:
            st.markdown(wording.tell(facts.bounds(found, report)))
