"""What stands behind an estimate: the weights, the slices one by one, and what nobody modelled."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app import compute
from app.project import Workspace, state, visit
from app.views import parts
from app.words import tables, wording
from mandoline_core.checks import BalanceLine, Evidence, ModelReport
from mandoline_core.formatting import together
from mandoline_core.metrics import get_metric
from mandoline_core.pipeline import MeanShift, heaviest_patterns, is_share, steps
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS

ORDERS = ("as listed", "largest shift first", "largest effect first", "my own")
MOST_NAMED = 5  # columns that are not compared


# A fragment: a click on a tab draws the tab, not the page above it.
@st.fragment
def show() -> None:
    """Show what stands behind the number, one thing at a time: only what is looked at is computed and drawn."""
    workspace = compute.current()
    report = compute.report(workspace)
    tabs = st.tabs(list(TABS), key="evidence", on_change="rerun")
    for tab, draw in zip(tabs, TABS.values(), strict=True):
        if tab.open:
            with tab:
                draw(workspace, report)


def weights(workspace: Workspace, report: ModelReport) -> None:
    """Show how much each labelled row counts, and which rows count most."""
    st.caption(wording.effective_rows_sentence(report), help=TOOLTIPS["effective rows"])
    picture, words = st.columns([2, 3])
    with picture:
        log_counts = st.toggle(
            "Log counts",
            key=visit.bind("log_counts", bool(workspace.revision.document.get("log_counts"))),
            on_change=state.look_by,
            args=("log_counts", "log_counts"),
            help="Makes bars of a few rows visible.",
        )
        figure = charts.weight_histogram(report, log_counts=log_counts, dark=parts.is_dark())
        parts.chart(figure, "weights", alt="How many labelled rows count how many times")
    with words:
        st.markdown("**The heaviest rows, by the slices they are in**")
        table = tables.pattern_table(heaviest_patterns(report))
        st.dataframe(
            table,
            hide_index=True,
            column_config={
                "in slices": st.column_config.TextColumn(width=225),
                "each counts": st.column_config.TextColumn(width=75),
                "labelled": st.column_config.NumberColumn(help="Labelled rows like this", format="localized", width=55),
                "new": st.column_config.NumberColumn(help="New rows like this", format="localized", width=45),
                "share": st.column_config.NumberColumn(
                    help="Share of the estimate that rests on them", format="percent", width=60
                ),
            },
        )
        download(table, "heaviest rows")


def ablation(workspace: Workspace, report: ModelReport) -> None:
    """Show the estimate as slices are added in an order of the person's choice, and without each."""
    order = slice_order(workspace, report)
    if not order:
        st.info("Choose at least one slice to draw the curve.")
        return
    curves = compute.curves(workspace, order)
    share, dark = is_share(report), parts.is_dark()
    curve, bars = st.columns([3, 2])
    with curve:
        truth = report.truth if workspace.revealed else None
        figure = charts.ablation_curve(curves, truth=truth, share=share, dark=dark)
        parts.chart(figure, "curve", alt="The estimate and its interval as slices are added from left to right")
    with bars:
        full = curves.cumulative[-1].estimate
        if full is not None:
            figure = charts.leave_one_out(curves, full=full, share=share, dark=dark)
            parts.chart(figure, "without", alt="How the estimate would change without each slice")
    said = [wording.without_slice(*effect, share=share) for effect in tables.effects(curves)[:3]]
    st.markdown("\n".join(f"- {sentence}" for sentence in said))
    download(tables.curve_table(curves), "slice ablation")


def slice_order(workspace: Workspace, report: ModelReport) -> tuple[str, ...]:
    """Let a person choose the order in which slices are added."""
    members = steps(report.fit)
    names = tuple(members)
    slices = report.problem.patterns.names
    view = workspace.revision.document
    how = st.segmented_control(
        "Add slices in this order",
        ORDERS,
        key=visit.bind("order_how", view.get("order_how", ORDERS[0])),
        on_change=keep_order,
    )
    if how == ORDERS[1]:
        rows = compute.table(workspace)
        return tuple(sorted(names, key=lambda name: -max(abs(rows[slices[i]].shift) for i in members[name])))
    if how == ORDERS[2]:
        strongest = [name for name, _ in tables.effects(compute.curves(workspace))]
        return tuple(dict.fromkeys([*strongest, *names]))
    if how != ORDERS[3]:
        return names
    mine = [name for name in view.get("order", names) if name in names]
    key = visit.bind("order", mine)
    st.multiselect(
        "Slices, first to last",
        names,
        key=key,
        on_change=keep_order,
        help="Remove one and add it again to move it to the end.",
    )
    return tuple(visit.typed(key))


def keep_order() -> None:
    """Remember the order with the project."""
    state.look(
        order_how=visit.typed("order_how"),
        order=visit.typed("order") or state.workspace().revision.document.get("order", []),
    )


def balance(workspace: Workspace, report: ModelReport) -> None:
    """Show what the weights did to what is modelled and, more telling, to what is not."""
    st.caption(
        "Slices match the new data by construction. Columns and pairs that no slice speaks of need not: "
        "what stays far from 0 there is a change the estimate does not know of."
    )
    dark = parts.is_dark()
    with parts.boundary():
        found = report.evidence
        lines: list[BalanceLine | MeanShift] = [*(found.columns or ()), *found.slices]
        figure = charts.balance(
            [line.name for line in lines],
            [line.before for line in lines],
            [line.after for line in lines],
            [isinstance(line, MeanShift) for line in lines],
            dark=dark,
        )
        parts.chart(figure, "balance", alt="Shift of slices and other columns before and after weighting")
        fine_print(found)
        download(tables.balance_table(lines), "balance")
    pairs = st.expander("Pairs of slices, before and after", key="free_pairs_open", on_change="rerun")
    if not pairs.open:
        return
    with pairs, parts.boundary():
        free = compute.pairs(workspace).free
        figure = charts.pair_gaps(
            [(pair.first, pair.second) for pair in free],
            [pair.before for pair in free],
            [pair.after for pair in free],
            dark=dark,
        )
        parts.chart(
            figure, "free_pairs", alt="How often pairs of slices without an edge agree, before and after weighting"
        )


def fine_print(found: Evidence) -> None:
    """Say on how many rows a comparison of columns rests, and what is not compared; labels and answers go unsaid."""
    left = [
        f"{column} ({why})" for column, why in found.left_out.items() if not why.startswith(("the label", "an answer"))
    ]
    said = [found.note] if found.note else []
    said += [f"Not compared: {', '.join(left[:MOST_NAMED])}."] if left else []
    if said:
        st.caption(wording.tell(together(said)))


def models(workspace: Workspace, _: ModelReport) -> None:
    """Show every model's numbers."""
    table = tables.model_table(compute.reports(workspace), reveal=workspace.revealed)
    shares = ("estimate", "low", "high", "labelled data", "set aside", "truth")
    share = get_metric(workspace.project.metric.name).share
    formats = {name: st.column_config.NumberColumn(format="percent" if share else "%.4g") for name in shares}
    formats["effective rows"] = st.column_config.NumberColumn(format="localized")
    # Separators come with the format; whole rows do not. The download keeps every digit.
    st.dataframe(table.round({"effective rows": 0}), hide_index=True, column_config=formats)
    download(table, "all models")


def download(table: pd.DataFrame, name: str) -> None:
    """Offer a table as CSV."""
    file_name = f"{name}.csv".replace(" ", "-")
    parts.download("Download as CSV", tables.as_csv(table), file_name, f"download:{name}")


TABS = {
    "What each slice did": ablation,
    "How much each row counts": weights,
    "What the reweighting did": balance,
    "All models": models,
}
