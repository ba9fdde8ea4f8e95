"""Pieces that pages share: the frame, the live panel, findings, errors next to what caused them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pandas as pd
import streamlit as st

from app import charts, compute
from app.project import Workspace, state
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import Finding, MandolineError, ModelReport, Verdict
from mandoline_core.estimating import is_share
from mandoline_core.formatting import show_interval, show_points, show_value
from mandoline_core.metrics import get_metric
from mandoline_core.slices import ExpressionError, compile_expression_code

_ICONS = {"serious": ":material/error:", "warning": ":material/warning:", "info": ":material/info:"}


@contextmanager
def boundary() -> Iterator[None]:
    """Show a domain error as one sentence; anything else is our bug and shows itself."""
    try:
        yield
    except MandolineError as error:
        show_error(error)


def show_error(error: MandolineError) -> None:
    """Show what is wrong and what to do, with people's own words as plain text."""
    st.error(wording.tell(error), icon=":material/error:")


def expression_is_sound(workspace: Workspace, text: str) -> bool:
    """Check an expression against the data; show what is wrong with it over a caret at the place."""
    source, _ = compute.samples(workspace)
    try:
        compile_expression_code(text, source.schema)
    except ExpressionError as error:
        show_error(error)
        st.code(error.with_caret(), language=None)
        return False
    return True


def is_dark() -> bool:
    """Tell whether the visitor's theme is dark."""
    return st.context.theme.type == "dark"


def chart(figure: object, key: str, *, alt: str) -> None:
    """Show a figure that can be downloaded."""
    st.plotly_chart(figure, key=key, theme=None, config=charts.CHART_CONFIG, alt=alt)


def sidebar() -> None:
    """Show the project, the model, undo and redo, and what to take away."""
    workspace = state.workspace()
    project = workspace.project
    with st.sidebar:
        if state.remember("lost"):
            st.warning("The link points to a project that is no longer here. This is a new one.")
        name = state.bind("project_name", project.name)
        st.text_input("Project", key=name, on_change=_rename)
        models = [model.name for model in project.models]
        if len(models) > 1:
            st.selectbox("Model", models, key=state.bind("model", workspace.model), on_change=_choose_model)
        with boundary():
            source, target = compute.samples(workspace)
            metric = get_metric(project.metric.name).spoken
            st.caption(f"{source.n_rows:,} labelled rows, {target.n_rows:,} new rows. Metric: {metric}.")
        verdict_chip(workspace)
        with st.container(horizontal=True):
            st.button("Undo", icon=":material/undo:", on_click=state.step, args=(-1,))
            st.button("Redo", icon=":material/redo:", on_click=state.step, args=(1,))
        _take_away(workspace)


def verdict_of(report: ModelReport) -> Verdict | None:
    """Return the verdict on an estimate, if all checks were made."""
    return report.verdict


def verdict_chip(workspace: Workspace) -> None:
    """Show the verdict in a few words: a dot, an icon and words, so that colour is never the only sign."""
    try:
        found = verdict_of(compute.report(workspace))
    except MandolineError:  # the page says what is wrong
        return
    if found is not None:
        light = trust_words.LIGHTS[found.level]
        st.badge(
            f"\u25cf {light.word.capitalize()}", icon=light.icon, color=light.colour, help=wording.TOOLTIPS["verdict"]
        )


def verdict_sentence(found: Verdict) -> None:
    """Say the verdict, with its light."""
    show = {"green": st.success, "amber": st.warning, "red": st.error}[found.level]
    light = trust_words.LIGHTS[found.level]
    show(f"**{light.word.capitalize()}:** {wording.tell(found.reason)}", icon=light.icon)


def _take_away(workspace: Workspace) -> None:
    with st.popover("Save and share", icon=":material/download:"):
        st.caption("Your work is saved as you go. This page's link leads back to it; whoever has the link can edit it.")
        st.download_button(
            "Download project file",
            state.exporter(workspace),
            file_name=f"{_file_name(workspace.project.name)}.toml",
            mime="application/toml",
            help="Put it beside the two data files and run: mandoline estimate",
            on_click="ignore",
        )
        if st.button("Delete project and its data", icon=":material/delete:", type="secondary"):
            _confirm_delete()


@st.dialog("Delete this project?")
def _confirm_delete() -> None:
    st.write("The project, its history and its uploaded files are removed from this computer. This cannot be undone.")
    if st.button("Delete", type="primary"):
        state.delete_project()
        st.rerun()


def _file_name(name: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "-_ " else "_" for letter in name).strip()
    return kept or "project"


def _rename() -> None:
    name = str(state.typed("project_name")).strip()
    if name:
        state.change("rename project", lambda project: replace(project, name=name))


def _choose_model() -> None:
    state.look(model=state.typed("model"))


def live_summary(workspace: Workspace) -> None:
    """Show the number in one line above the work: first on a narrow screen, and first to follow an edit."""
    with boundary():
        report = compute.report(workspace)
        share = is_share(report)
        with st.container(border=True, horizontal=True, key="live_summary", vertical_alignment="center"):
            st.metric(
                f"Estimated {report.metric} on the new data",
                show_value(report.estimate, share=share) if report.converged else "no estimate",
                show_points(report.estimate - report.source, share=share),
                delta_color="off",
                help=wording.TOOLTIPS["interval"],
                width="content",
            )
            st.markdown(
                f"{show_interval(report.estimate, report.interval, share=share)}. On your labelled data it was "
                f"{show_interval(report.source, report.source_interval, share=share)}. "
                f"It rests on {report.effective_sample_size:,.0f} effective rows.",
                help=wording.TOOLTIPS["effective rows"],
            )
            verdict_chip(workspace)


def live_panel(workspace: Workspace) -> None:
    """Show what stands behind the estimate, beside the work."""
    with boundary():
        report = compute.report(workspace)
        dark, share = is_dark(), is_share(report)
        worst = next((finding for finding in report.findings if finding.severity != "info"), None)
        if worst is not None:
            show_finding(worst)
        chart(
            charts.estimate_strip(report, reveal=workspace.revealed, dark=dark, compact=True),
            "live_strip",
            alt="Estimate with its interval beside the labelled data's score",
        )
        chart(
            charts.weight_histogram(report, dark=dark, compact=True),
            "live_weights",
            alt="How much each labelled row counts",
        )
        truth = report.truth if workspace.revealed else None
        curve = compute.curves(workspace, leave_one_out=False)
        chart(
            charts.ablation_curve(curve, truth=truth, share=share, dark=dark, compact=True),
            "live_curve",
            alt="The estimate as slices are added",
        )
        if len(workspace.project.models) > 1:
            models_table(workspace)


def models_table(workspace: Workspace) -> None:
    """Show every model's estimate in a small table."""
    rows = [
        {
            "model": name,
            "new data": show_interval(report.estimate, report.interval, share=is_share(report)),
            "labelled data": show_interval(report.source, report.source_interval, share=is_share(report)),
        }
        for name, report in compute.reports(workspace).items()
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)


def show_finding(finding: Finding) -> None:
    """Show one finding with its remedy."""
    show = {"serious": st.error, "warning": st.warning, "info": st.info}[finding.severity]
    show(f"{wording.tell(finding.message)} {wording.tell(finding.remedy)}", icon=_ICONS[finding.severity])


def headline(report: ModelReport, workspace: Workspace) -> None:
    """Say the result in a sentence."""
    st.markdown(f"#### {wording.headline(report, reveal=workspace.revealed)}")
