"""Trust: every method on shifts made of labelled rows, where the truth is known; it runs on request."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import parts
from app.views.estimate import evidence
from app.views.trust.frame import answer
from app.words import METHOD_WIDTH, WRAPPED, percent, wording
from app.words import what_if as supposing_words
from mandoline_core import MandolineError
from mandoline_core.comparison.backtests import ModelBacktest
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS, title_of

DRAWS = (10, 30, 100)


# A fragment: starting, watching and stopping it leaves the other answers on the page alone.
@st.fragment
def backtest() -> None:
    """Offer the backtest; while it runs show how far it is, and afterwards what it found."""
    with answer(TOOLTIPS["backtest"]):
        workspace = compute.current()
        st.caption(
            "Shifts are made out of your labelled rows, where the truth is known, and every quick method has to find "
            "it without looking at the labels."
        )
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
        "Shifts of each kind",
        DRAWS,
        key=visit.bind("draws", draws),
        help="More take longer and say more: 100 tell an honest interval from one that is too short.",
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
        "Try it on my labels",
        "backtest",
        partial(_start, workspace, draws),
        "It takes seconds to minutes, in the background. You can stop it.",
    )
    why = visit.remember("no_backtest")
    if why:
        st.error(wording.tell(why), icon=":material/error:")
        visit.remember("no_backtest", "")


def _start(workspace: Workspace, draws: int) -> None:
    """Start a run, or let the page say beside the button why it cannot start."""
    try:
        compute.start_backtest(workspace, draws)
    except MandolineError as error:
        visit.remember("no_backtest", error.sentence)


def _results(found: ModelBacktest) -> None:
    """Show errors by method and kind of shift, and say what this proves."""
    st.markdown(supposing_words.backtest_sentence(found))
    figure = charts.backtest_errors(found, dark=parts.is_dark())
    parts.chart(figure, "backtest", alt="How far every method was off where the truth was known")
    st.caption("Beside each method: its error to expect, and how often its intervals held the truth.")
    proves, kinds = found.words[:3], found.words[3:]
    st.markdown("**What it proves, and what not**")
    st.markdown("\n".join(f"- {wording.tell(sentence)}" for sentence in proves))
    with st.expander("The kinds of shift, and what was left out", type="compact"):
        st.markdown("\n".join(f"- {wording.tell(sentence)}" for sentence in kinds))
        reasons: dict[str, list[str]] = {}
        for name, why in found.left_out.items():
            reasons.setdefault(why, []).append(title_of(name))
        left = [f"Left out: {wording.plain(', '.join(names))}. {wording.tell(why)}" for why, names in reasons.items()]
        left += [f"Not tried by {wording.plain(kind)}: {wording.tell(why)}" for kind, why in found.skipped.items()]
        st.markdown("\n".join(f"- {sentence}" for sentence in left))
    with st.expander("The numbers by kind of shift", type="compact"):
        _numbers(found)


def _numbers(found: ModelBacktest) -> None:
    table = supposing_words.backtest_table(found)
    errors = [column for column in table if "error" in column]
    held = [column for column in table if column.endswith("held")]
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
            **{name: st.column_config.NumberColumn(format="%.0f%%") for name in held},
        },
    )
    evidence.download(table, "backtest")
