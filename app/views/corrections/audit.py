"""The audit: rows of a slice, one at a time; a person says with a key whether each is truly in."""

from __future__ import annotations

from dataclasses import astuple
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits, state, visit
from app.views import parts
from app.words import corrections, highlighted, wording
from mandoline_core import MandolineError, Slice
from mandoline_core.formatting import counted
from mandoline_core.report import charts
from mandoline_core.slices import Answer, Side

_WIDTH, _SHORT = 2000, 60  # characters of a text: enough to judge it by, and few enough to stand beside others
_SAYS: dict[Answer, tuple[str, str, str]] = {
    "truly_in": ("Truly in", "J", "check"),
    "truly_out": ("Not", "K", "close"),
    "skipped": ("Skip", "S", "skip_next"),
}
_ROWS: dict[str, tuple[Side, ...]] = {
    "Both": ("source", "target"),
    "Labelled rows": ("source",),
    "New rows": ("target",),
}


def show(workspace: Workspace, rule: Slice) -> None:
    """Offer to audit a slice, and open the audit where it was asked for; what was answered is always kept."""
    if rule.is_family:
        return
    if compute.in_tables(workspace.on_all_rows):
        st.caption(
            "The rows stay in a table, where single rows cannot be looked up again, so there is no audit here. Measure "
            "on a column of true answers, or state how sure you are."
        )
        return
    n = 0 if rule.audit is None else len(rule.audit.source) + len(rule.audit.target)
    st.button(
        "Audit rows" if not n else f"Audit rows ({counted(n, 'answer')})",
        icon=":material/fact_check:",
        key=f"audit:{rule.name}",
        help="Look at rows of this slice, one at a time, and say with a key whether each is truly in.",
        on_click=visit.remember,
        args=("auditing", rule.name),
        disabled=workspace.view_only,
    )
    if visit.remember("auditing") == rule.name:
        title = f"Is it truly {wording.plain(rule.name)}?"
        st.dialog(title, width="large", on_dismiss=_leave)(_ask)(rule.name)


def _leave() -> None:
    visit.remember("auditing", "")
    visit.remember("audit_trail", ())


def _ask(name: str) -> None:
    """Show one row with the keys to answer, and what the answers so far say."""
    if visit.remember("auditing") != name:
        st.rerun()
    with parts.boundary():
        workspace = compute.current()
        asked = st.segmented_control(
            "Rows to look at",
            list(_ROWS),
            default="Both",
            required=True,
            key="audit_rows",
            label_visibility="collapsed",
        )
        turn = compute.audit_turn(workspace, name, _ROWS[asked or "Both"])
        st.caption(f"The rule: {wording.plain(turn.rule.describe())}. Say what is so, whatever the rule says.")
        _row(turn)
        _keys(name, turn)
        st.progress(turn.state.progress, corrections.progress_words(turn.state))
        _so_far(workspace, name, turn)
        if error := visit.remember("audit_refused"):
            parts.show_error(error)
            visit.remember("audit_refused", "")


def _row(turn: compute.AuditTurn) -> None:
    """Show the row: long texts with what the rule matches marked, then the other values."""
    question = turn.state.question
    with st.container(border=True, key="audit_row"):
        if question is None:
            st.markdown("There are no more rows to look at.")
            return
        st.caption(f"A {corrections.SIDES[question.side]} row")
        short = []
        for column, value in turn.row.items():
            text = "missing" if value is None else str(value)
            marking = [leaf for leaf in turn.rule.leaves if column in leaf.reads]
            if len(text) > _SHORT or (isinstance(value, str) and marking):
                (shown,) = highlighted([text], *marking, width=_WIDTH)
                st.markdown(f":gray[{wording.plain(column)}] {shown}")
            else:
                short.append(f"{wording.plain(column)}: {wording.plain(text)}")
        if short:
            st.caption(" · ".join(short))


def _keys(name: str, turn: compute.AuditTurn) -> None:
    """Answer by key."""
    question = turn.state.question
    visit.remember("audit_shown", question or "")
    key = "" if question is None else f"{question.side}:{question.key}"
    with st.container(horizontal=True):
        for answer, (word, shortcut, icon) in _SAYS.items():
            st.button(
                word,
                icon=f":material/{icon}:",
                shortcut=shortcut,
                key=f"answer:{answer}:{key}",
                on_click=_answer,
                args=(name, turn, answer),
                disabled=question is None,
            )
        n = len(_trail())
        st.button(
            "Take back", icon=":material/undo:", shortcut="U", key=f"answer:back:{n}", on_click=_take_back,
            args=(name, n), disabled=not n,
        )  # fmt: skip
        st.button(
            "Use the answers", icon=":material/done_all:", shortcut="E", key="audit_use", type="primary", on_click=_use,
            args=(name, turn), disabled=not any(turn.state.has(side) for side in compute.BOTH),
            help="Measure the corrections on what you answered, and go back.",
        )  # fmt: skip


def _answer(name: str, turn: compute.AuditTurn, answer: Answer) -> None:
    """Take an answer about the row that was drawn last, once.

    While a page is being drawn, the buttons of the row before are still there and hear the same key.
    """
    question = turn.state.question
    if question is None or visit.remember("audit_shown") != question:
        return
    visit.remember("audit_shown", "")
    if _save(name, turn.columns, question.side, question.key, answer):
        visit.remember("audit_trail", (*_trail(), (turn.columns, question.side, question.key)))


def _take_back(name: str, n: int) -> None:
    """Take the last of so many answers back, once."""
    trail = _trail()
    if len(trail) != n:
        return
    *before, (columns, side, key) = trail
    if _save(name, columns, side, key, None):
        visit.remember("audit_trail", tuple(before))


def _trail() -> tuple[tuple[tuple[str, ...], Side, str], ...]:
    """List the rows answered since the audit was opened, in order."""
    return visit.remember("audit_trail") or ()


def _save(name: str, columns: tuple[str, ...], side: Side, key: str, answer: Answer | None) -> bool:
    """Save an answer at once, whatever it makes of the corrections: what a person made is never lost."""
    try:
        state.change(
            f"audit {name}",
            partial(edits.answer_row, name=name, columns=columns, side=side, key=key, answer=answer),
        )
    except MandolineError as error:
        visit.remember("audit_refused", error)
        return False
    return True


def _use(name: str, turn: compute.AuditTurn) -> None:
    """Measure on the answers, and close."""
    sides = tuple(side for side in compute.BOTH if turn.state.has(side))
    try:
        compute.change(f"measure {name}", partial(edits.use_audit, name=name, sides=sides))
    except MandolineError as error:
        visit.remember("audit_refused", error)
        return
    _leave()
    visit.forget_widgets()


def _so_far(workspace: Workspace, name: str, turn: compute.AuditTurn) -> None:
    """Show the matrix as the answers have it, with its intervals, and what the estimate would be."""
    st.caption("; ".join(map(corrections.stratum_words, turn.state.strata)) + ".")
    if not any(turn.state.has(side) for side in compute.BOTH):
        return
    try:
        row, effect = (
            compute.audited_row(workspace, name, turn.state),
            compute.audit_effect(workspace, name, turn.state),
        )
    except MandolineError as error:
        st.caption(f"So far they cannot be used: {wording.tell(error)}")
        return
    tables = []
    for side, title in (("source", "Labelled data"), ("target", "New data")):
        used = getattr(row, side)[name]
        if used.intervals:
            tables.append(
                charts.correction_matrix(
                    used.inside, used.outside, used.abstain, title=title, dark=parts.is_dark(), intervals=used.intervals
                )
            )
    st.html(charts.side_by_side(tables))
    if effect is not None:
        st.markdown(wording.plain(corrections.effect_words(*astuple(effect)[:-1], share=effect.share)))
