"""Trust: whether a few rows decide, and which new rows are unlike any labelled row."""

from __future__ import annotations

import math

import streamlit as st

from app import compute
from app.project import state, visit
from app.views import parts
from app.views.estimate import evidence
from app.views.trust.frame import answer
from app.words import tables, wording
from app.words import trust as trust_words
from mandoline_core.checks import ModelReport
from mandoline_core.pipeline import heaviest_patterns, is_share
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS

_NUMBER = 165  # pixels a number: four beside each other on a screen, two on a phone


@st.fragment
def few_rows() -> None:
    """Show how uneven the weights are, who the heaviest rows are, and what a cap would do."""
    with answer(TOOLTIPS["how much each row counts"]):
        workspace = compute.current()
        report = compute.report(workspace)
        _numbers(report)
        st.markdown(trust_words.heaviest_sentence(report, report.evidence.tail))
        with st.expander("The heaviest rows, by the slices they are in", type="compact"):
            table = tables.pattern_table(heaviest_patterns(report))
            st.table(trust_words.heaviest_table(table), hide_index=True)
            evidence.download(table, "heaviest rows")
        _trimming()


def _numbers(report: ModelReport) -> None:
    numbers, tail = report.diagnostics, report.evidence.tail
    place = st.container(horizontal=True)
    for label, value, tip in zip(
        ("Effective rows", "Rows per effective row", "Heaviest row counts", "Tail"),
        (
            f"{numbers.effective_sample_size:,.0f}",
            f"{numbers.design_effect:,.1f}",
            f"{numbers.largest_ratio:,.1f}×",  # noqa: RUF001  read as "times"
            "bounded" if tail.k is None else f"{tail.k:.2f}",
        ),
        ("effective rows", "design effect", "largest ratio", "heavy tail"),
        strict=True,
    ):
        place.metric(label, value, help=TOOLTIPS[tip], width=_NUMBER)


def _trimming() -> None:
    """Let a person cap how much a row may count; the estimate before stays beside the one after."""
    workspace = compute.current()
    report, instead = compute.weighted(workspace)
    if instead:
        st.caption(trust_words.instead_sentence(workspace.project.estimator.name, report))
    with st.spinner("Trying caps ..."):
        every = compute.trimmings(workspace)
    caps = [one.cap for one in every]
    if len(caps) < 2:
        st.markdown("Every row counts about once, so there is nothing to cap.")
        return
    kept = visit.typed("cap")
    cap = st.select_slider(
        "No row may count more than so many times",
        caps,
        key=visit.bind("cap", kept if kept in caps else math.inf),
        format_func=charts.show_cap,
        help=TOOLTIPS["trimming"],
    )
    share = is_share(report)
    chosen = next(one for one in every if one.cap == cap)
    st.markdown(trust_words.trimming_sentence(chosen, every[-1], share=share))
    figure = charts.trimming_curve(
        every, float(cap), metric=report.problem.metric.spoken, share=share, dark=parts.is_dark()
    )
    parts.chart(figure, "trimming", alt="The estimate with its interval against the most a row may count")
    st.caption("This is a look, not a setting: the estimate elsewhere in the app has no cap.")


def unlike() -> None:
    """Say which new rows are like no labelled row, and what that leaves open."""
    with answer(TOOLTIPS["rows unlike any labelled row"]):
        report = compute.report(state.workspace())
        found = report.evidence.support
        st.markdown(trust_words.overlap_sentence(found.unseen, found.rare))
        if found.worst:
            st.markdown("\n".join(f"- {wording.plain(pattern)}" for pattern in found.worst))
        if report.set_aside:
            st.markdown(
                f"**{report.set_aside:.1%}** are set aside: no weighting of the labelled rows can reach them.",
                help=TOOLTIPS["set aside"],
            )
        if found.unseen or report.set_aside:
            st.markdown(trust_words.bounds_sentence(found, report))
