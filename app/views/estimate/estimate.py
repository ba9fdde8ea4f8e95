"""Estimate: the number, how sure it is, what moved it, and what to do about what is doubtful."""

from __future__ import annotations

import streamlit as st

from app import charts, compute
from app.project import Workspace, remedies, state
from app.views import parts
from app.views.estimate import evidence
from app.words import wording
from mandoline_core import MandolineError, ModelReport
from mandoline_core.estimating import is_share
from mandoline_core.formatting import show_value

FIRST_FINDINGS = 4


def main() -> None:
    """Show the page."""
    st.title("Estimate")
    workspace = state.workspace()
    tour(workspace)
    try:
        report = compute.report(workspace)
    except MandolineError as error:
        no_estimate(workspace, error)
        return
    headline(workspace, report)
    findings(workspace, report)
    evidence.weights(report)
    evidence.ablation(report)
    evidence.balance(workspace)
    evidence.models(workspace)


def tour(workspace: Workspace) -> None:
    """Show a newcomer the way, step by step, until dismissed."""
    dismissed = state.remember("tour_done") or workspace.revision.document.get("tour") is False
    if dismissed or "negation" not in [rule.name for rule in workspace.project.slices]:  # it speaks of the sample
        return
    number = state.remember("tour_step") or 1
    step = wording.TOUR[number - 1]
    with st.container(border=True, key="tour"):
        st.markdown(f":material/explore: **New here? {number} of {len(wording.TOUR)}: {step.title}.** {step.text}")
        with st.container(horizontal=True, vertical_alignment="center"):
            if number < len(wording.TOUR):
                st.button("Next", key="next_step", on_click=state.remember, args=("tour_step", number + 1))
            st.button("Close the tour", key="close_tour", type="tertiary", on_click=close_tour)
            if number == len(wording.TOUR):
                st.page_link("views/data/data.py", label="Use my data", icon=":material/upload:")
            elif number > 1:
                st.page_link("views/slices/slices.py", label="Go to Slices", icon=":material/content_cut:")


def close_tour() -> None:
    """Put the tour away, for this project and for this visit."""
    state.look(tour=False)
    state.remember("tour_done", "yes")


def no_estimate(workspace: Workspace, error: MandolineError) -> None:
    """Say why there is no estimate, and lead on."""
    parts.show_error(error)
    with st.container(horizontal=True):
        remedy_buttons(remedies.error_remedies(error, workspace.project), "error")
        st.page_link("views/slices/slices.py", label="Change the slices", icon=":material/content_cut:")
        st.page_link("views/data/data.py", label="Change the data", icon=":material/table:")


def headline(workspace: Workspace, report: ModelReport) -> None:
    """Say the number in a sentence, then large, beside the source score and the truth."""
    parts.headline(report, workspace)
    verdict(report)
    share = is_share(report)
    new, old, truth, rows = st.columns(4)
    value = show_value(report.estimate, share=share) if report.converged else "none"
    new.metric("New data, estimated", value, help=wording.TOOLTIPS["interval"])
    new.caption(wording.estimate_caption(report))
    old.metric("Labelled data, measured", show_value(report.source, share=share))
    old.caption(wording.source_caption(report))
    with truth:
        reveal(workspace, report)
    rows.metric("Effective rows", f"{report.effective_sample_size:,.0f}", help=wording.TOOLTIPS["effective rows"])
    rows.caption(wording.effective_rows_sentence(report))
    parts.chart(
        charts.estimate_strip(report, reveal=workspace.revealed, dark=parts.is_dark()),
        "strip",
        alt="The estimate with its interval beside the labelled data's score",
    )


def verdict(report: ModelReport) -> None:
    """Say how far to believe the number, and where to read more."""
    found = parts.verdict_of(report)
    if found is None:
        return
    parts.verdict_sentence(found)
    st.page_link("views/trust/trust.py", label="See every check", icon=":material/verified_user:")


def reveal(workspace: Workspace, report: ModelReport) -> None:
    """Show the truth once it was asked for."""
    project = workspace.project
    has_labels = project.target_labels is not None or report.truth is not None
    shown = show_value(report.truth, share=is_share(report)) if workspace.revealed and report.truth is not None else "?"
    st.metric("New data, truth", shown if has_labels else "not known")
    if not has_labels:
        st.caption("There are no labels for the new data. That is what the estimate is for.")
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
        st.success("Nothing stands out: the slices overlap, and no row counts for too much.", icon=":material/check:")
        return
    alike = {name: row.most_like for name, row in compute.table(workspace).items() if row.most_like is not None}
    first = st.container()
    rest = st.expander(f"{len(found) - FIRST_FINDINGS} more") if len(found) > FIRST_FINDINGS else first
    for number, finding in enumerate(found):
        with first if number < FIRST_FINDINGS else rest:
            parts.show_finding(finding)
            with st.container(horizontal=True):
                remedy_buttons(remedies.remedies(finding, report, workspace.project, alike), f"finding{number}")


def remedy_buttons(offered: tuple[remedies.Remedy, ...], key: str) -> None:
    """Offer what the app can do."""
    for number, remedy in enumerate(offered):
        st.button(wording.plain(remedy.label), key=f"remedy:{key}:{number}", on_click=apply, args=(remedy,))


def apply(remedy: remedies.Remedy) -> None:
    """Do what a remedy says; undo brings it back."""
    label = remedy.label[:1].lower() + remedy.label[1:]
    state.attempt(label, remedy.edit, f"Done: {remedy.label}. Undo brings it back.")


main()
