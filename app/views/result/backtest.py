"""Result: every method on shifts made of labelled rows, where the truth is known; it runs on request."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import parts
from app.views.result import evidence
from app.words import METHOD_WIDTH, WRAPPED, percent, wording
from app.words import trust as trust_words
from mandoline_core import MandolineError
from mandoline_core.comparison.backtests import ModelBacktest
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS, methods, title_of

DRAWS = compute.DRAWS


# A fragment: starting, watching and stopping it leaves the other answers on the page alone.
@st.fragment
def backtest() -> None:
    """Offer the backtest; while it runs show how far it is, and afterwards what it found."""
    with parts.answer(TOOLTIPS["backtest"]):
        workspace = compute.current()
        draws = int(visit.remember("draws") or DRAWS[1])  # the choice is not on the page while a backtest runs
        job = compute.backtest_job(workspace, draws)
        parts.show_job_error(job)
        if job is not None and job.running:
            parts.job_panel(lambda: compute.backtest_job(workspace, draws), "backtest")
        else:
            _offer(workspace, draws, job)


def _offer(workspace: Workspace, draws: int, job: compute.Job | None) -> None:
    """Show what was found with as many shifts as chosen, or a button that starts it."""
    st.segmented_control(
        "Shifts per kind",
        DRAWS,
        key=visit.bind("draws", draws),
        help="More shifts take longer. Use 100 to judge the coverage of intervals.",
        required=True,
        on_change=visit.keep,
        args=("draws", "draws"),
    )
    result = compute.backtest(workspace, draws)
    if result is not None:
        _results(result)
        return
    parts.offer_job(
        job,
        "Run backtest",
        "backtest",
        partial(_start, workspace, draws),
        "Takes seconds to minutes.",
    )
    why = visit.remember("no_backtest")
    if why:
        st.error(wording.tell(why), icon=":material/error:")
        visit.remember("no_backtest", "")


def _start(workspace: Workspace, draws: int) -> None:
    """Start a run, or let the page say next to the button why it cannot start."""
    try:
        compute.start_backtest(workspace, draws)
    except MandolineError as error:
        visit.remember("no_backtest", str(error))


def _results(found: ModelBacktest) -> None:
    """Show errors by method and kind of shift, and say what this proves."""
    st.markdown(wording.tell(methods.backtest(found, charts.method_order(found)[0])))
    figure = charts.backtest_errors(found, dark=parts.is_dark())
    parts.chart(figure, "backtest", alt="Error of every method where the truth is known")
    st.caption(
        "Next to each method: its average error on made shifts, and how often its intervals contain the true value."
    )
    proves, kinds = found.words[:3], found.words[3:]
    st.markdown("**What this shows**")
    st.markdown("\n".join(f"- {wording.tell(sentence)}" for sentence in proves))
    with st.expander("Kinds of shift, and what was left out", type="compact"):
        st.markdown("\n".join(f"- {wording.tell(sentence)}" for sentence in kinds))
        reasons: dict[str, list[str]] = {}
        for name, why in found.left_out.items():
            reasons.setdefault(why, []).append(title_of(name))
        left = [f"Left out: {wording.plain(', '.join(names))}. {wording.tell(why)}" for why, names in reasons.items()]
        left += [f"Not run, {wording.plain(kind)}: {wording.tell(why)}" for kind, why in found.skipped.items()]
        st.markdown("\n".join(f"- {sentence}" for sentence in left))
    with st.expander("Results by kind of shift", type="compact"):
        _numbers(found)


def _numbers(found: ModelBacktest) -> None:
    table = trust_words.backtest_table(found)
    errors = [column for column in table if "error" in column]
    held = [column for column in table if column.endswith("coverage")]
    shown = percent(percent(table, errors, share=found.metric.share), held, share=True)
    written = "%.1f points" if found.metric.share else "%.3g"
    st.dataframe(
        shown,
        hide_index=True,
        height="content",
        row_height=WRAPPED,
        column_config={
            "method": st.column_config.TextColumn(pinned=True, width=METHOD_WIDTH),
            **{name: st.column_config.NumberColumn(format=written) for name in errors},
            **{name: st.column_config.NumberColumn(format="%.1f%%") for name in held},
        },
    )
    evidence.download(table, "backtest")
