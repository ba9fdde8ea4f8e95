"""Result: the number first, then one tab at a time: what is doubtful, what moved it, and what others would say."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, remedies, state, visit
from app.views import harmless, live, offers, parts
from app.views.data import column_types
from app.views.result import checks, comparison, evidence, groups, labels, models, unmodelled, weights
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import MandolineError, ModelReport
from mandoline_core.checks import blind_spot
from mandoline_core.formatting import show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS, facts
from mandoline_core.report.words import headline as headline_of

TABS = {
    "Checks": checks.show,
    "Effects": evidence.effects,
    "Ablation": evidence.ablation,
    "Weights": weights.show,
    "Balance": unmodelled.show,
    "Groups": groups.show,
    "Label a few": labels.show,
    "Models": models.show,
    "Methods": comparison.show,
}

_MOST_MARKED = 2  # columns that the headline offers to mark as irrelevant


def main() -> None:
    """Show the page."""
    st.title("Result")
    workspace = compute.current()
    problem = live.summary(workspace, shows_number=False)
    if problem is not None:
        no_estimate(workspace, problem)
        tabs(workspace, problem)
        return
    job = compute.ask_spread(workspace)
    report = compute.report(workspace)
    headline(workspace, report)
    if not report.is_red:
        numbers(workspace, report, job)
    tabs(workspace, None)
    if report.is_red:  # what helps comes before what cannot be quoted
        numbers(workspace, report, job)


def tabs(workspace: Workspace, problem: MandolineError | None) -> None:
    """Show one thing at a time: only what is looked at is computed and drawn."""
    shown = TABS if problem is None else {"Methods": TABS["Methods"]}
    kept = visit.remember(parts.TAB)
    key = visit.bind(parts.TAB, kept if kept in shown else next(iter(shown)))
    places = st.tabs(list(shown), key=key, on_change=visit.keep, args=(parts.TAB, key))
    for place, draw in zip(places, shown.values(), strict=True):
        if place.open:
            with place, parts.boundary(said=problem):
                draw(workspace)


def no_estimate(workspace: Workspace, error: MandolineError) -> None:
    """Lead on from where there is no estimate."""
    harmless.declared(workspace)
    with st.container(horizontal=True):
        offered = remedies.error_remedies(error, workspace.project)
        for number, offer in enumerate(offers.worth_offering(workspace, offered, checks.MOST_TRIED)):
            offers.button(*offer, f"remedy:error:{number}")
        parts.lead_on()


def headline(workspace: Workspace, report: ModelReport) -> None:
    """Say the number as its verdict allows, what is known of such verdicts, and what the model's confidence says."""
    said, found, unseen = headline_of(report, reveal=workspace.revealed), report.verdict, blind_spot(report)
    if said.level != "red":
        with st.container(key="headline"):
            st.markdown(f"#### {wording.statement(said)}", width=parts.HEADING_WIDTH)
    else:  # small, below what failed
        icon = trust_words.LIGHTS["red"].icon
        st.markdown(f"#### :red[{icon}] {wording.plain(said.obstacle)}", width=parts.HEADING_WIDTH)
        st.markdown(wording.plain(said.way_on), width=parts.HEADING_WIDTH)
        st.caption(wording.plain(f"{said.sentence} {said.measured} {said.truth}"))
    with st.container(horizontal=True, vertical_alignment="center"):
        if found is not None and found.level != "red":  # then the heading says it
            parts.verdict_badge(found)
        if unseen:
            st.page_link("views/data/data.py", label="Label a few new rows", icon=":material/label:")
    column_types.point_out(workspace)
    known = compute.experience(workspace)
    for text in (
        found.reason if found is not None and found.level == "green" else "",
        "" if known is None else known.message,
        unseen,
    ):
        if text:
            st.caption(wording.tell(text), width=parts.HEADING_WIDTH)
    if found is not None and found.level == "red" and found.loudest is not None:
        some = [one for one in report.findings if one.check == found.loudest.name]
        if harmless.unseen(some):
            harmless.buttons(harmless.columns_of(some)[:_MOST_MARKED], "headline", label=True)
    opinion = compute.second_opinion(workspace)
    if opinion is not None and opinion.follows != "mandoline":
        st.info(wording.tell(opinion.message), icon=":material/alt_route:")
    elif opinion is not None:
        st.caption(wording.tell(opinion.message))


def numbers(workspace: Workspace, report: ModelReport, job: compute.Job | None) -> None:
    """Show the estimate next to the labelled data's score and, once it was asked for, the truth."""
    picture, truth = st.columns([3, 1], vertical_alignment="center")
    with picture:
        figure = charts.estimate_strip(report, reveal=workspace.revealed, dark=parts.is_dark())
        parts.chart(figure, "strip", alt="The estimate with its interval, and the score on the labelled data")
        intervals(workspace, report, job)
    with truth:
        reveal(workspace, report)


def intervals(workspace: Workspace, report: ModelReport, job: compute.Job | None) -> None:
    """Say what the intervals are of: how far other plausible slices move the estimate, or that they are being tried."""
    said = facts.new_rows({report.model: report})
    found = None if report.sampling_interval is None else compute.spread(workspace)  # may be known since
    if found is not None and found.finding is None:
        said += f" {found.sentence}"
    elif found is None and job is not None:
        said += " The interval is for sampling error alone so far."
    st.caption(wording.tell(said), help=TOOLTIPS["spread"] if found is not None or job is not None else None)
    if found is not None and found.finding is not None:
        parts.show_finding(found.finding)
    elif found is None and job is not None:
        parts.show_job_error(job)
        if job.running or compute.spread(workspace) is not None:
            # Not at once: a page that is drawn again before its end forgets what was open below.
            parts.job_panel(lambda: job, "spread", seen=lambda: job.running, drawn=True, in_line=True)


def reveal(workspace: Workspace, report: ModelReport) -> None:
    """Show the truth once it was asked for; if absent, say how to bring it."""
    try:
        n_labelled, n_target, _ = compute.label_count(workspace)
    except MandolineError as error:
        parts.show_error(error)
        return
    whole = n_labelled == n_target
    shown = show_value(report.truth, share=is_share(report)) if workspace.revealed and report.truth is not None else "?"
    st.metric("New data, true value", shown if whole else "not known")
    if not whole:
        some = f"{n_labelled:,} of {n_target:,} new rows have a label: see Label a few." if n_labelled else ""
        st.caption(some or "The new data have no labels.")
        st.page_link("views/data/data.py", label="Add labels", icon=":material/upload:")
    elif workspace.revealed:
        st.caption("Computed from the labels of the new data.")
        st.button(
            "Hide truth", key="hide", icon=":material/visibility_off:", on_click=state.look, kwargs={"revealed": False}
        )
    else:
        st.caption("The new data have labels. The estimate does not use them.")
        st.button(
            "Reveal truth", key="reveal", icon=":material/visibility:", on_click=state.look, kwargs={"revealed": True}
        )


main()
