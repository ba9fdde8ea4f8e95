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
        with st.popover("I know its precision and recall", icon=":material/menu_book:"):
            _published(workspace, rule.name, change)
        others = compute.second_rules(workspace, rule.name)
        if others:
            with st.popover("Compare with another rule", icon=":material/compare:"):
                _second_rule(workspace, rule.name, others, change)


def gold_column(workspace: Workspace, rule: Slice, row: compute.CorrectionRow | None, change: Change) -> None:
    """Choose the column of true answers, and measure the slice on it."""
    if rule.is_family:
        return
    columns = [column for column in compute.answer_columns(workspace) if column not in rule.reads]
    columns = list(dict.fromkeys([*columns, *([] if rule.gold is None else [rule.gold])]))
    if not columns:
        st.caption(
            "To measure the slice, add a column of true answers (yes/no, true/false or 1/0) to the labelled data."
        )
        return
    key = visit.bind(f"gold:{rule.name}", rule.gold)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "A column that holds the true answer",
            columns,
            index=None,
            key=key,
            placeholder="None",
            help="Of the labelled data; empty where nobody knows. The slice is compared with it.",
            on_change=_choose_gold,
            args=(rule.name, key, change),
        )
        if rule.gold is not None:
            st.button(
                "Measure it",
                icon=":material/straighten:",
                key=f"measure:{rule.name}",
                help="" if row is None else f"On the {row.measured_on:,} labelled rows with a true answer.",
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
    """Name the column of true answers, or forget it with what was measured on it."""
    column = visit.typed(key)
    label = f"forget the true answers of {name}" if column is None else f"take {column} for the truth of {name}"
    # What the denoised estimator assumes, elsewhere on the page, is tested on it.
    change(name, label, lambda project: edits.set_gold(project, name, column), "gold", whole=True)


def _published(workspace: Workspace, name: str, change: Change) -> None:
    """Take precision and recall that someone else has measured."""
    st.caption("Measured elsewhere, by you or in a publication. What the slice misses follows from how often it fires.")
    shares = {
        word: st.number_input(
            f"{word}, in percent", 0.0, 100.0, 90.0, 1.0, format="%g", key=f"{word}:{name}", help=what
        )
        for word, what in (
            ("Precision", "Of the rows that the slice puts in, those truly in."),
            ("Recall", "Of the rows truly in, those that the slice puts in."),
        )
    }
    with parts.boundary():
        found = compute.from_published(workspace, name, shares["Precision"] / 100, shares["Recall"] / 100)
        inside, outside = show_percent(found.inside), show_percent(round(found.outside, 4))
        said = f"truly in: {inside} where it says in, {outside} where out"
        st.markdown(wording.plain(f"At its rate in the labelled data, {said}."))
        args = (name, f"take precision and recall of {name}", partial(edits.state_corrections, name=name, source=found))
        st.button("Use these numbers", type="primary", key=f"published:{name}", on_click=change, args=args)


def _second_rule(workspace: Workspace, name: str, others: list[str], change: Change) -> None:
    """Take another slice for the truth, as far as it speaks."""
    key = f"second_rule:{name}"
    other = st.selectbox(
        "A rule for the same thing that you trust more", others, index=None, key=key, placeholder="None"
    )
    if other is None:
        st.caption("Where the other says in, this slice should. It may be switched off in the estimate.")
        return
    with parts.boundary():
        found = compute.agreements(workspace, name, other)
        for side, one in found.items():
            shares = one.correction.inside, one.correction.outside
            inside, outside = (show_percent(round(share, 4)) for share in shares)
            said = (
                f"On {one.n:,} {wording.SIDES[side]} rows: truly in {inside} of the {counted(one.n_inside, 'row')} "
                f"that it puts in, and {outside} of the {counted(one.n_outside, 'row')} that it puts out."
            )
            st.markdown(wording.plain(said))
        source, target = (found[side].correction for side in compute.BOTH)
        edit = partial(edits.state_corrections, name=name, source=source, target=target)
        args = (name, f"take {other} for the truth of {name}", edit)
        st.button("Use what it says", type="primary", key=f"second:{name}", on_click=change, args=args)


def matrix(used: compute.CorrectionInUse, title: str) -> str:
    """Draw the corrections of a slice in one sample as a small table."""
    shares = used.inside, used.outside, used.abstain
    return charts.correction_matrix(*shares, title=title, dark=parts.is_dark(), intervals=used.intervals)


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


def show_audit(workspace: Workspace, rule: Slice) -> None:
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
        parts.show_refusal("audit", once=True)


def _row(turn: compute.AuditTurn) -> None:
    """Show the row: long texts with what the rule matches marked, then the other values."""
    question = turn.state.question
    with st.container(border=True, key="audit_row"):
        if question is None:
            st.markdown("There are no more rows to look at.")
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
        st.caption(f"So far they cannot be used: {wording.tell(error)}")
        return
    sides = {"Labelled data": row.source[name], "New data": row.target[name]}
    st.html(charts.side_by_side([matrix(used, title) for title, used in sides.items() if used.intervals]))
    if effect is not None:
        share = get_metric(workspace.project.metric.name).share
        st.markdown(wording.plain(corrections.effect_words(*effect, share=share)))
