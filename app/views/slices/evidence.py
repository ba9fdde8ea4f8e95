"""Evidence for corrections: an audit of rows one at a time, a second rule, precision and recall from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits, state, visit
from app.views import parts
from app.words import corrections, highlighted, wording
from mandoline_core import Correction, MandolineError, Slice
from mandoline_core.formatting import counted, show_percent
from mandoline_core.metrics import get_metric
from mandoline_core.report import charts
from mandoline_core.slices import Answer, Side

Change = Callable[..., None]  # makes an edit of a slice: its name, what the edit is called, and the edit


def show(workspace: Workspace, rule: Slice, change: Change) -> None:
    """Offer the ways to learn how far to trust a slice.

    Parameters
    ----------
    change : callable
        Makes an edit of the slice: given its name, what the edit is called, and the edit.
    """
    if rule.is_family:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        show_audit(workspace, rule)
        with st.popover("Enter precision and recall", icon=":material/menu_book:"):
            _published(workspace, rule.name, change)
        others = compute.second_rules(workspace, rule.name)
        if others:
            with st.popover("Compare with another rule", icon=":material/compare:"):
                _second_rule(workspace, rule.name, others, change)


def gold_column(workspace: Workspace, rule: Slice, row: compute.CorrectionRow | None, change: Change) -> None:
    """Choose the column of gold labels, and measure the slice on it."""
    if rule.is_family:
        return
    columns = [column for column in compute.answer_columns(workspace) if column not in rule.reads]
    columns = list(dict.fromkeys([*columns, *([] if rule.gold is None else [rule.gold])]))
    if not columns:
        st.caption(
            "To measure the slice, add a column of gold labels (yes/no, true/false or 1/0) to the labelled data."
        )
        return
    key = visit.bind(f"gold:{rule.name}", rule.gold)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Column of gold labels",
            columns,
            index=None,
            key=key,
            placeholder="None",
            help="Whether a labelled row is truly in the slice. Cells may be empty.",
            on_change=_choose_gold,
            args=(rule.name, key, change),
        )
        if rule.gold is not None:
            st.button(
                "Measure",
                icon=":material/straighten:",
                key=f"measure:{rule.name}",
                help="" if row is None else f"On {row.measured_on:,} labelled rows with a gold label.",
                on_click=change,
                args=(
                    rule.name,
                    f"measure {rule.name}",
                    partial(edits.set_preset, name=rule.name, sure=edits.MEASURED, start=Correction()),
                    "gold",
                ),
                disabled=rule.noise is not None and rule.noise.measured,
            )
    parts.show_refusal(f"{rule.name}:gold", once=True)


def _choose_gold(name: str, key: str, change: Change) -> None:
    """Name the column of gold labels, or forget it with what was measured on it."""
    column = visit.typed(key)
    label = f"remove gold labels of {name}" if column is None else f"use gold labels {column} for {name}"
    change(name, label, lambda project: edits.set_gold(project, name, column), "gold")


def _published(workspace: Workspace, name: str, change: Change) -> None:
    """Take precision and recall that someone else has measured."""
    st.caption("From your own measurement or a publication.")
    shares = {
        word: st.number_input(
            f"{word}, in percent", 0.0, 100.0, 90.0, 1.0, format="%g", key=f"{word}:{name}", help=what
        )
        for word, what in (
            ("Precision", "Of the rows that the rule matches, the share truly in the slice."),
            ("Recall", "Of the rows truly in the slice, the share that the rule matches."),
        )
    }
    with parts.boundary():
        found = compute.from_published(workspace, name, shares["Precision"] / 100, shares["Recall"] / 100)
        inside, outside = show_percent(found.inside), show_percent(round(found.outside, 4))
        st.markdown(wording.plain(f"Truly in the slice: {inside} of its yes, {outside} of its no."))
        args = (name, f"enter precision of {name}", partial(edits.state_corrections, name=name, source=found))
        st.button("Use these numbers", type="primary", key=f"published:{name}", on_click=change, args=args)


def _second_rule(workspace: Workspace, name: str, others: list[str], change: Change) -> None:
    """Take another slice for the truth, where it does not abstain."""
    key = f"second_rule:{name}"
    other = st.selectbox("A more reliable rule for the same property", others, index=None, key=key, placeholder="None")
    if other is None:
        return
    with parts.boundary():
        found = compute.agreements(workspace, name, other)
        for side, one in found.items():
            shares = one.correction.inside, one.correction.outside
            inside, outside = (show_percent(round(share, 4)) for share in shares)
            said = (
                f"On {one.n:,} {wording.SIDES[side]} rows, {other} matches {inside} of the "
                f"{counted(one.n_inside, 'row')} that {name} matches, and {outside} of the other {one.n_outside:,}."
            )
            st.markdown(wording.plain(said))
        source, target = (found[side].correction for side in compute.BOTH)
        edit = partial(edits.state_corrections, name=name, source=source, target=target)
        args = (name, f"correct {name} by {other}", edit)
        st.button("Use this rule", type="primary", key=f"second:{name}", on_click=change, args=args)


def matrix(used: compute.CorrectionInUse, title: str) -> str:
    """Draw the corrections of a slice in one sample as a small table."""
    shares = used.inside, used.outside, used.abstain
    return charts.correction_matrix(*shares, title=title, dark=parts.is_dark(), intervals=used.intervals)


_WIDTH, _SHORT = 2000, 60  # characters of a text: enough to judge it by, and few enough to stand beside others
_SAYS: dict[Answer, tuple[str, str, str]] = {
    "truly_in": ("In slice", "J", "check"),
    "truly_out": ("Not in slice", "K", "close"),
    "skipped": ("Skip", "S", "skip_next"),
}
_ROWS: dict[str, tuple[Side, ...]] = {
    "Both": ("source", "target"),
    "Labelled rows": ("source",),
    "New rows": ("target",),
}


def show_audit(workspace: Workspace, rule: Slice) -> None:
    """Offer to audit a slice, and open the audit where it was asked for; what was answered is always kept."""
    if rule.is_family:
        return
    if compute.in_tables(workspace.on_all_rows):
        st.caption(
            "No audit: single rows of a table cannot be looked up. Use a column of gold labels, or choose a "
            "reliability."
        )
        return
    n = 0 if rule.audit is None else len(rule.audit.source) + len(rule.audit.target)
    st.button(
        "Audit rows" if not n else f"Audit rows ({n:,} done)",
        icon=":material/fact_check:",
        key=f"audit:{rule.name}",
        help="Label rows one at a time: is the rule right?",
        on_click=visit.remember,
        args=("auditing", rule.name),
        disabled=workspace.view_only,
    )
    if visit.remember("auditing") == rule.name:
        title = f"Does this row belong to {wording.plain(rule.name)}?"
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
        st.caption(f"Rule: {wording.plain(turn.rule.describe())}. Judge the row, not the rule.")
        _row(turn)
        _keys(name, turn)
        st.progress(turn.state.progress, corrections.progress_words(turn.state))
        _so_far(workspace, name, turn)
        parts.show_refusal("audit", once=True)


def _row(turn: compute.AuditTurn) -> None:
    """Show the row: long texts with what the rule matches marked, then the other values."""
    question = turn.state.question
    with st.container(border=True, key="audit_row"):
        if question is None:
            st.markdown("No rows left.")
            return
        st.caption(f"A {wording.SIDES[question.side]} row")
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
            "Undo last", icon=":material/undo:", shortcut="U", key=f"answer:back:{n}", on_click=_take_back,
            args=(name, n), disabled=not n,
        )  # fmt: skip
        st.button(
            "Use audit", icon=":material/done_all:", shortcut="E", key="audit_use", type="primary", on_click=_use,
            args=(name, turn), disabled=not any(turn.state.has(side) for side in compute.BOTH),
            help="Measure the corrections on these rows.",
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
    """Take the last of `n` answers back, once."""
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
    """Save an answer at once, whatever it makes of the corrections: no answer is ever lost."""
    try:
        state.change(
            f"audit {name}",
            partial(edits.answer_row, name=name, columns=columns, side=side, key=key, answer=answer),
        )
    except MandolineError as error:
        parts.note_refusal("audit", error)
        return False
    return True


def _use(name: str, turn: compute.AuditTurn) -> None:
    """Measure on the answers, and close."""
    sides = tuple(side for side in compute.BOTH if turn.state.has(side))
    if parts.change_beside("audit", f"measure {name}", partial(edits.use_audit, name=name, sides=sides)):
        _leave()
        visit.forget_widgets()


def _so_far(workspace: Workspace, name: str, turn: compute.AuditTurn) -> None:
    """Show the matrix as the answers have it, with its intervals, and what the estimate would be."""
    st.caption("; ".join(map(corrections.stratum_words, turn.state.strata)) + ".")
    if not any(turn.state.has(side) for side in compute.BOTH):
        return
    try:
        row = compute.audited_row(workspace, name, turn.state)
        effect = compute.audit_effect(workspace, name, turn.state)
    except MandolineError as error:
        st.caption(f"Not usable yet: {wording.tell(error)}")
        return
    sides = {"Labelled data": row.source[name], "New data": row.target[name]}
    st.html(charts.side_by_side([matrix(used, title) for title, used in sides.items() if used.intervals]))
    if effect is not None:
        share = get_metric(workspace.project.metric).share
        st.markdown(wording.plain(corrections.effect_words(*effect, share=share)))
