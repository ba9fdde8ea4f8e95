"""Estimate: the number, how sure it is, what moved it, and what to do about what is doubtful."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import charts, compute, parts, remedies, state, tables, wording
from app.state import Workspace
from mandoline_core import MandolineError, ModelReport
from mandoline_core.rendering import is_share, show_value

FIRST_FINDINGS = 4
ORDERS = ("as listed", "largest shift first", "largest effect first", "my own")


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
    weights(workspace, report)
    ablation(workspace, report)
    balance(workspace)
    models(workspace)


def tour(workspace: Workspace) -> None:
    """Show a newcomer the way, step by step, until dismissed."""
    if state.remember("tour_done") or workspace.revision.document.get("tour") is False:
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
                st.page_link("views/data.py", label="Use my data", icon=":material/upload:")
            elif number > 1:
                st.page_link("views/slices.py", label="Go to Slices", icon=":material/content_cut:")


def close_tour() -> None:
    """Put the tour away, for this project and for this visit."""
    state.look(tour=False)
    state.remember("tour_done", "yes")


def no_estimate(workspace: Workspace, error: MandolineError) -> None:
    """Say why there is no estimate, and lead on."""
    parts.show_error(error)
    with st.container(horizontal=True):
        remedy_buttons(remedies.error_remedies(error, workspace.project), "error")
        st.page_link("views/slices.py", label="Change the slices", icon=":material/content_cut:")
        st.page_link("views/data.py", label="Change the data", icon=":material/table:")


def headline(workspace: Workspace, report: ModelReport) -> None:
    """Say the number in a sentence, then large, beside the source score and the truth."""
    parts.headline(report, workspace)
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
    found = (*report.findings, *compute.pair_findings(workspace))
    if not found:
        st.success("Nothing stands out: the slices overlap, and no row counts for too much.", icon=":material/check:")
        return
    alike = {name: row.most_like for name, row in compute.table(workspace).items() if row.most_like is not None}
    rest = st.expander(f"{len(found) - FIRST_FINDINGS} more") if len(found) > FIRST_FINDINGS else None
    for number, finding in enumerate(found):
        place = rest if rest is not None and number >= FIRST_FINDINGS else st.container()
        with place:
            parts.show_finding(finding)
            with st.container(horizontal=True):
                remedy_buttons(remedies.remedies(finding, report, workspace.project, alike), f"finding{number}")


def remedy_buttons(offered: tuple[remedies.Remedy, ...], key: str) -> None:
    """Offer what the app can do."""
    for number, remedy in enumerate(offered):
        st.button(wording.plain(remedy.label), key=f"remedy:{key}:{number}", on_click=apply, args=(remedy,))


def apply(remedy: remedies.Remedy) -> None:
    """Do what a remedy says; undo brings it back."""
    try:
        state.change(remedy.label[:1].lower() + remedy.label[1:], remedy.edit)
    except MandolineError as error:
        st.toast(wording.plain(str(error)), icon=":material/error:")
        return
    st.toast(f"Done: {wording.plain(remedy.label)}. Undo brings it back.")


def weights(workspace: Workspace, report: ModelReport) -> None:
    """Show how much each labelled row counts, and which rows count most."""
    st.subheader("How much each labelled row counts", help=wording.TOOLTIPS["how much each row counts"])
    picture, words = st.columns([4, 5])
    with picture:
        log_counts = st.toggle("Log counts", key="log_counts", help="Makes bars of a few rows visible.")
        parts.chart(
            charts.weight_histogram(report, log_counts=log_counts, dark=parts.is_dark()),
            "weights",
            alt="How many labelled rows count how many times",
        )
    with words:
        st.markdown("**The heaviest rows, by the slices they are in**")
        table = tables.pattern_table(compute.heaviest(workspace))
        st.dataframe(
            table,
            hide_index=True,
            column_config={
                "in slices": st.column_config.TextColumn(width="medium"),
                "labelled": st.column_config.NumberColumn(help="Labelled rows like this", format="localized"),
                "new": st.column_config.NumberColumn(help="New rows like this", format="localized"),
                "share": st.column_config.NumberColumn(
                    help="Share of the estimate that rests on them", format="percent"
                ),
            },
        )
        download(table, "heaviest rows")


def ablation(workspace: Workspace, report: ModelReport) -> None:
    """Show the estimate as slices are added in an order of the person's choice, and without each."""
    st.subheader("What each slice did to the estimate")
    order = slice_order(workspace, report)
    if not order:
        st.info("Choose at least one slice to draw the curve.")
        return
    curves = compute.curves(workspace, order)
    share, dark = is_share(report), parts.is_dark()
    curve, bars = st.columns([3, 2])
    with curve:
        truth = report.truth if workspace.revealed else None
        parts.chart(
            charts.ablation_curve(curves, truth=truth, share=share, dark=dark),
            "curve",
            alt="The estimate and its interval as slices are added from left to right",
        )
    with bars:
        full = curves.cumulative[-1].estimate
        if full is not None:
            parts.chart(
                charts.leave_one_out(curves, full=full, share=share, dark=dark),
                "without",
                alt="How the estimate would change without each slice",
            )
    said = [wording.without_slice(*effect, share=share) for effect in tables.effects(curves)[:3]]
    st.markdown("\n".join(f"- {sentence}" for sentence in said))
    download(tables.curve_table(curves), "slice ablation")


def slice_order(workspace: Workspace, report: ModelReport) -> tuple[str, ...]:
    """Let a person choose the order in which slices are added."""
    names = report.problem.patterns.names
    view = workspace.revision.document
    how = st.segmented_control(
        "Add slices in this order",
        ORDERS,
        key=state.bind("order_how", view.get("order_how", ORDERS[0])),
        on_change=keep_order,
    )
    if how == ORDERS[1]:
        rows = compute.table(workspace)
        return tuple(sorted(names, key=lambda name: -abs(rows[name].shift)))
    if how == ORDERS[2]:
        return tuple(name for name, _ in tables.effects(compute.curves(workspace)))
    if how != ORDERS[3]:
        return names
    mine = [name for name in view.get("order", names) if name in names]
    key = state.bind("order", mine)
    st.multiselect(
        "Slices, first to last",
        names,
        key=key,
        on_change=keep_order,
        help="Remove one and add it again to move it to the end.",
    )
    return tuple(state.typed(key))


def keep_order() -> None:
    """Remember the order with the project."""
    state.look(
        order_how=state.typed("order_how"),
        order=state.typed("order") or state.workspace().revision.document.get("order", []),
    )


def balance(workspace: Workspace) -> None:
    """Show what the weights did to what is modelled and, more telling, to what is not."""
    st.subheader("What the reweighting did")
    st.caption(
        "Slices match the new data by construction. Columns and pairs that no slice speaks of need not: "
        "what stays far from 0 there is a change the estimate does not know of."
    )
    dark = parts.is_dark()
    columns, pairs = st.columns(2)
    with columns, parts.boundary():
        lines = compute.balance(workspace)
        parts.chart(
            charts.balance(
                [line.name for line in lines],
                [line.before for line in lines],
                [line.after for line in lines],
                [line.modelled for line in lines],
                dark=dark,
            ),
            "balance",
            alt="Shift of slices and other columns before and after weighting",
        )
        download(tables.balance_table(lines), "balance")
    with pairs, parts.boundary():
        found = compute.pairs(workspace)
        free = [n for n, pair in enumerate(found.all) if pair not in found.edges]
        parts.chart(
            charts.pair_gaps(
                [found.all[n] for n in free], [found.before[n] for n in free], [found.after[n] for n in free], dark=dark
            ),
            "free_pairs",
            alt="How often pairs of slices without an edge agree, before and after weighting",
        )


def models(workspace: Workspace) -> None:
    """Show every model's numbers."""
    st.subheader("All models")
    table = tables.model_table(compute.reports(workspace), reveal=workspace.revealed)
    shares = ("estimate", "low", "high", "labelled data", "set aside", "truth")
    share = workspace.project.metric.name != "mean"
    formats = {name: st.column_config.NumberColumn(format="percent" if share else "%.4g") for name in shares}
    formats["effective rows"] = st.column_config.NumberColumn(format="%.0f")
    st.dataframe(table, hide_index=True, column_config=formats)
    download(table, "all models")


def download(table: pd.DataFrame, name: str) -> None:
    """Offer a table as CSV."""
    st.download_button(
        "Download as CSV",
        tables.as_csv(table),
        file_name=f"{name}.csv".replace(" ", "-"),
        mime="text/csv",
        key=f"download:{name}",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )


main()
