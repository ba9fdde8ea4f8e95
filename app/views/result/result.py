"""Result: the number first, then one tab at a time: what is doubtful, what moved it, and what others would say."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, remedies, state, visit
from app.views import harmless, live, offers, parts
from app.views.result import checks, comparison, evidence, groups, labels, models, unmodelled, weights
from app.words import wording
from mandoline_core import MandolineError, ModelReport
from mandoline_core.formatting import show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS, facts

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
    """Say the number as its verdict allows, what the model's own confidence says, and where to read why."""
    parts.headline(report, workspace)
    found = report.verdict
    if found is not None and found.level != "red":  # then the heading says it
        parts.verdict_badge(found)
    if found is not None and found.level == "green":
        st.caption(wording.tell(found.reason))
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
        st.caption(wording.tell(facts.new_rows({report.model: report})))
        choice(workspace, job)
    with truth:
        reveal(workspace, report)


def choice(workspace: Workspace, job: compute.Job | None) -> None:
    """Say how far other plausible slices move the estimate, or how far the search for them is."""
    found = compute.spread(workspace)
    if found is not None and found.finding is not None:
        parts.show_finding(found.finding)
    elif found is not None:
        st.caption(wording.tell(found.sentence), help=TOOLTIPS["spread"])
    elif job is not None:
        st.caption("The interval is for sampling error alone so far.", help=TOOLTIPS["spread"])
        parts.show_job_error(job)
        if job.running:
            parts.job_panel(lambda: compute.spread_job(compute.current()), "spread", in_line=True)


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
