"""The live part of a page: the number in sight above the work, and what it is made from next to the work."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import compute
from app.project import Workspace, state, visit
from app.views import next_step, parts
from app.words import markup, wording
from mandoline_core import MandolineError
from mandoline_core.formatting import show_interval
from mandoline_core.pipeline import Ablation, is_share
from mandoline_core.report import charts


def place() -> DeltaGenerator:
    """Lay out the place that stays in sight above the work."""
    return st.container(key=markup.BAR_KEY)


def summary(
    workspace: Workspace, where: DeltaGenerator | None = None, *, shows_number: bool = True
) -> MandolineError | None:
    """Keep the number in sight above the work, with what the last edit did; return what prevents it, if anything.

    It is the one place that says so; `where` it is, if it was laid out before. On a page that begins with the number it
    says only what the last edit did.
    """
    if workspace.drawn:
        return _updating(workspace, where)
    # All is computed before anything is sent: who sends while another computes makes both wait.
    error = problem(workspace)
    edit = compute.last_edit(workspace) if error is None else None
    with where or place():
        if error is not None:
            _no_estimate(workspace, error)
            return error
        report = compute.report(workspace)
        change = ""
        if edit is not None and edit.before is not None and report.converged:
            change = markup.change_words(edit.label, edit.before, report)
        if shows_number:
            st.html(markup.bar(report, change))
        elif change:
            st.html(markup.bare_change(change))
    return None


def _updating(workspace: Workspace, where: DeltaGenerator | None) -> MandolineError | None:
    """Keep the last estimate in sight, marked, while all rows are being counted; what is below looks at the draw."""
    working = compute.still_counting(workspace)
    if working is None:  # they were counted while the page was drawn: nothing else would draw it again
        st.rerun()
    stopped = not working.job.running
    with where or place():
        # At once: what the draw says takes a moment.
        st.html(markup.updating(compute.last_estimate(workspace), stopped=stopped))
        below = st.empty()
        parts.show_working(working, "count")
        error = problem(workspace)
        if error is not None:
            parts.show_error(error)
        else:
            drawn = wording.draw_words(compute.n_looked_at(workspace), compute.n_rows(workspace))
            below.html(markup.on_draw(compute.report(workspace), drawn))
    return error


def _no_estimate(workspace: Workspace, error: MandolineError) -> None:
    """Say why there is no estimate, show the last there was, and offer the way back."""
    if any(rule.enabled for rule in workspace.project.slices):
        parts.show_error(error)
    else:
        st.info(wording.tell(error), icon=":material/info:")
    edit = compute.last_edit(workspace)
    if edit is None:
        return
    if edit.before is not None:
        st.html(markup.last_estimate(edit.before, edit.label))
    label = wording.plain(f"Undo: {edit.label}")
    st.button(label, icon=":material/undo:", key="bar_undo", on_click=state.step, args=(-1,))


def problem(workspace: Workspace) -> MandolineError | None:
    """Find what prevents an estimate."""
    try:
        compute.report(workspace)
    except MandolineError as error:
        return error
    return None


def panel(workspace: Workspace) -> None:
    """Show what the estimate is made from, next to the work, over what it was before the last edit."""
    if problem(workspace) is not None:
        return
    report, edit = compute.report(workspace), compute.last_edit(workspace)
    if workspace.drawn or (edit is not None and (edit.before is None or not markup.differs(edit.before, report))):
        edit = None
    place = f"axes:{workspace.id}:{workspace.model}"
    axes: charts.Axes = visit.remember(place) or {}
    weights = charts.small_weights(
        report, before=edit.before if edit else None, axes=axes, alt="Weights of the labelled rows"
    )
    curve = charts.small_curve(
        compute.curves(workspace, leave_one_out=False),
        before=_curve_before(edit),
        axes=axes,
        truth=report.truth if workspace.revealed else None,
        share=is_share(report),
        alt="The estimate as slices are added",
    )
    visit.remember(place, axes)
    st.html(weights + curve)
    next_step.show(workspace, report, edit)
    if len(workspace.project.models) > 1:
        models_table(workspace)


def _curve_before(edit: compute.LastEdit | None) -> Ablation | None:
    """Return the curve before the last edit, where there was one."""
    try:
        return None if edit is None else compute.curves(edit.earlier, leave_one_out=False)
    except MandolineError:
        return None


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
