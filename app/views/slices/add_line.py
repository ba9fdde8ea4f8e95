"""Adding a slice: one line to type a rule into, and a menu of the kinds that the data allow."""

from __future__ import annotations

import time
from dataclasses import replace

import streamlit as st

from app import components, compute
from app.project import Workspace, edits, state, visit
from app.views import parts
from app.words import offers, wording
from mandoline_core import MandolineError, Slice
from mandoline_core.metrics import get_metric
from mandoline_core.slices import KINDS, example_line, read_line

_AGAIN = 10.0  # seconds in which nobody types the same line twice on purpose
_LINE, _MENU, _TAKEN, _TRIED = "add_line", "add_kind", "add_taken", "add_tried"
_HELP = """
- `actor, plot, "not good"`: words and phrases in a text
- `age >= 65`, `10 < age < 20`, `age between 10 and 20`
- `country = SE`, `country in SE, NO`, `age is missing`
- `words(text) < 30`, `characters(text) > 200`
- `/pattern/`, `title ~ pattern`
- `entropy`, `predicted = yes`, `confidence < 0.6`
- `classifier`, `classifier(age, text)`: rows that look new
- `short and slang`, `not short`: combinations of your slices
- `name: rule`: a rule with a name

"""


def show(workspace: Workspace) -> None:
    """Show the line and the menu, and what is wrong with what was typed."""
    survey, kinds = compute.survey(workspace), compute.offers(workspace)
    with st.container(key="adding", gap="small"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                f"Add a slice: a word, or a rule such as {wording.plain(example_line(survey))}",
                key=_LINE,
                placeholder="Type and press Enter",
                autocomplete="off",
                help=parts.more(_HELP, "good-slices"),
                on_change=_take_line,
            )
            st.menu_button(
                "Pick a kind",
                list(kinds),
                format_func=_described,
                icon=":material/add:",
                key=_MENU,
                on_click=_take_kind,
            )
        parts.show_refusal(_LINE)
        _try_line()


# A fragment of its own: nothing else is drawn again while one types.
@st.fragment
def _try_line() -> None:
    """Say what the line would match and do, while it is being typed."""
    components.answer_typing(_LINE, _would_do, key=_TRIED)


def _would_do(typed: str) -> str:
    taken = visit.remember(_TAKEN)
    if taken and taken[0].strip() == typed and not visit.typed(_LINE):
        return ""  # it has been added
    try:
        workspace = compute.current()
        row, found = compute.dry_run(workspace, read_line(typed, compute.survey(workspace)))
    except MandolineError as error:
        return str(error)
    step = "" if found is None else wording.step_to(found.before, found.after, share=found.share)
    metric = get_metric(workspace.project.metric)
    return offers.dry_run(row, step, metric.spoken, share=metric.share)


def _described(kind: str) -> str:
    return f"**{KINDS[kind].title}**: {KINDS[kind].purpose}"


def _take_line() -> None:
    """Add the slice that was typed, and empty the line; what cannot be read stays in it."""
    typed = str(visit.typed(_LINE))
    if not typed.strip():
        return
    if _was_taken(typed):
        visit.empty(_LINE)
        return
    try:
        name = _add(read_line(typed, compute.survey(state.workspace())))
    except MandolineError as error:
        parts.note_refusal(_LINE, error, _LINE)
    else:
        visit.empty(_LINE)
        visit.remember(_TAKEN, (typed, name, time.monotonic()))


def _was_taken(typed: str) -> bool:
    """Tell whether a line comes again: a browser that has not heard of the first time sends it when one leaves it."""
    taken = visit.remember(_TAKEN)
    if not taken or taken[0] != typed or time.monotonic() - taken[2] > _AGAIN:
        return False
    return any(rule.name == taken[1] for rule in state.workspace().project.slices)


def _take_kind() -> None:
    """Add a slice of the kind that was picked, or say what is to be done before."""
    kind = str(visit.typed(_MENU))
    start = compute.offers(state.workspace()).get(kind)
    try:
        if isinstance(start, Slice):
            # A combination is of slices that nobody has chosen yet: it waits until it is switched on.
            _add(replace(start, enabled=not start.made_of))
        elif start is not None:
            raise start
    except MandolineError as error:
        parts.note_refusal(_LINE, error, _LINE)


def _add(rule: Slice) -> str:
    name = edits.free_name(state.workspace().project, rule.name)
    compute.change(f"add {name}", lambda project: edits.add_slice(project, rule))
    visit.remember("editing", name)
    parts.note_refusal(_LINE, None)
    return name
