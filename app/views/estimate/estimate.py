"""Estimate: the number, how sure it is, what moved it, and what to do about what is doubtful."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, remedies, state
from app.views import harmless, live, offers, parts
from app.views.estimate import evidence
from app.words import wording
from mandoline_core import MandolineError, ModelReport, Spread
from mandoline_core.formatting import show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS

FIRST_FINDINGS = 4
MOST_TRIED = 8  # remedies: each is an estimate


def main() -> None:
    """Show the page."""
    st.title("Estimate")
    workspace = compute.current()
    problem = live.summary(workspace)
    if problem is not None:
        no_estimate(workspace, problem)
        return
    report = compute.report(workspace)
    headline(workspace, report)
    for show in (
        (findings, numbers) if report.is_red else (numbers, findings)
    ):  # what helps comes before what cannot be quoted
        show(workspace, report)
    evidence.show()


def no_estimate(workspace: Workspace, error: MandolineError) -> None:
    """Lead on from where there is no estimate."""
    harmless.declared(workspace)
    with st.container(horizontal=True):
        offered = remedies.error_remedies(error, workspace.project)
        for number, offer in enumerate(offers.worth_offering(workspace, offered, MOST_TRIED)):
            offers.button(*offer, f"remedy:error:{number}")
        parts.lead_on()


def headline(workspace: Workspace, report: ModelReport) -> None:
    """Say the number as its verdict allows, what the model's own confidence says, and where to read why."""
    parts.headline(report, workspace)
    found = report.verdict
    with st.container(horizontal=True, vertical_alignment="center"):
        if found is not None and found.level != "red":  # then the heading says it
            parts.verdict_badge(found)
        st.page_link("views/trust/trust.py", label="See every check", icon=":material/verified_user:")
    if found is not None and found.level == "green":
        st.caption(wording.tell(found.reason))
    opinion = compute.second_opinion(workspace)
    if opinion is not None and opinion.follows == "cot":
        st.info(wording.tell(opinion.message), icon=":material/alt_route:")
    elif opinion is not None:
        st.caption(wording.tell(opinion.message))


def numbers(workspace: Workspace, report: ModelReport) -> None:
    """Show the estimate beside the labelled data's score and, once it was asked for, the truth."""
    picture, truth = st.columns([3, 1], vertical_alignment="center")
    spread = compute.spread(workspace)
    with picture:
        figure = charts.estimate_strip(
            report, reveal=workspace.revealed, spread=None if spread is None else spread.interval, dark=parts.is_dark()
        )
        parts.chart(figure, "strip", alt="The estimate with its interval beside the labelled data's score")
        st.caption(wording.source_caption(report))
        choice(workspace, spread)
    with truth:
        reveal(workspace, report)


def choice(workspace: Workspace, spread: Spread | None) -> None:
    """Say how much hangs on the choice of slices, once somebody asked for it."""
    if spread is not None:
        if spread.finding is not None:
            parts.show_finding(spread.finding)
        else:
            st.caption(wording.tell(spread.sentence), help=TOOLTIPS["spread"])
        return
    job = compute.suggestion_job(workspace)
    parts.show_job_error(job)
    if job is not None and job.running:
        parts.job_panel(lambda: compute.suggestion_job(compute.current()), "spread")
    else:
        st.button(
            "How much hangs on my choice of slices?",
            icon=":material/alt_route:",
            type="tertiary",
            key="spread",
            help=TOOLTIPS["spread"],
            on_click=try_others,
            args=(workspace,),
        )


def try_others(workspace: Workspace) -> None:
    """Try other choices of slices in the background."""
    compute.start_suggestions(workspace, spread=True)


def reveal(workspace: Workspace, report: ModelReport) -> None:
    """Show the truth once it was asked for; where there is none, say how to bring it."""
    try:
        n_labelled, n_target, _ = compute.label_count(workspace)
    except MandolineError as error:
        parts.show_error(error)
        return
    whole = n_labelled == n_target
    shown = show_value(report.truth, share=is_share(report)) if workspace.revealed and report.truth is not None else "?"
    st.metric("New data, truth", shown if whole else "not known")
    if not whole:
        some = f"{n_labelled:,} of {n_target:,} new rows have a label: see Trust." if n_labelled else ""
        st.caption(some or "There are no labels for the new data. That is what the estimate is for.")
        st.page_link("views/data/data.py", label="Bring labels", icon=":material/upload:")
    elif workspace.revealed:
        st.caption(wording.truth_caption(report))
        st.button(
            "Hide truth", key="hide", icon=":material/visibility_off:", on_click=state.look, kwargs={"revealed": False}
        )
    else:
        st.caption("The new data have labels, put aside and used for nothing.")
        st.button(
            "Reveal truth", key="reveal", icon=":material/visibility:", on_click=state.look, kwargs={"revealed": True}
        )


def findings(workspace: Workspace, report: ModelReport) -> None:
    """Show what is doubtful, worst first, with a button for what the app can do about it."""
    st.subheader("What to know before quoting it")
    found = report.findings
    if not found:
        harmless.declared(workspace)
        st.success("Nothing stands out: the slices overlap, and no row counts for too much.", icon=":material/check:")
        return
    alike = {name: row.most_like for name, row in compute.table(workspace).items() if row.most_like is not None}
    left = MOST_TRIED
    first = st.container()
    rest = st.expander(f"{len(found) - FIRST_FINDINGS} more") if len(found) > FIRST_FINDINGS else first
    for number, finding in enumerate(found):
        with first if number < FIRST_FINDINGS else rest:
            parts.show_finding(finding)
            could = remedies.remedies(finding, report, workspace.project, alike)
            offered = offers.worth_offering(workspace, could, left)
            left -= min(len(could), left)
            with st.container(horizontal=True):
                for place, offer in enumerate(offered):
                    offers.button(*offer, f"remedy:finding{number}:{place}")
            harmless.buttons(harmless.columns_of([finding]), f"finding{number}")
    harmless.declared(workspace)


main()
