"""The frame of the Trust page: every check in a line that leads to its evidence, and a place for every question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import streamlit as st

from app.project import Workspace, visit
from app.views import harmless
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import Check, Finding, MandolineError, Verdict

QUESTIONS = {
    "rows": "Do a few rows decide?",
    "unlike": "Are there new rows unlike any labelled row?",
    "unmodelled": "What did nobody model?",
    "parts": "Did the weighting matter, and which slices did it?",
    "corrections": "How sure must you be of the corrections?",
    "meaning": "Did the meaning change?",
    "hidden": "What if something hidden changed?",
    "backtest": "Does it work on your own labels?",
    "labels": "What if you label a few new rows?",
    "theory": "What does theory promise?",
}
# The question whose answer is the evidence of a check, by the check's name.
EVIDENCE = {
    "fit": "parts",
    "rows": "rows",
    "overlap": "unlike",
    "weights": "rows",
    "slices": "parts",
    "pairs": "unmodelled",
    "corrections": "corrections",
    "columns": "unmodelled",
    "apart": "unmodelled",
    "answers": "meaning",
    "labels": "labels",
}


def checks(found: Verdict, findings: Sequence[Finding], workspace: Workspace) -> None:
    """Show every check in a line, with what was found where it did not pass; a click opens its evidence."""
    passed = [check for check in found.checks if check.state == "passed"]
    with st.container(border=True, key="checks", gap=None):
        for check in found.loudest_first:
            _line(check, workspace)
            st.caption(wording.tell(check.words))
            if columns := harmless.columns_of(findings, check.name):
                harmless.buttons(columns, check.name)
        harmless.declared(workspace)
        half = (len(passed) + 1) // 2
        for column, some in zip(st.columns(2), (passed[:half], passed[half:]), strict=True):
            with column, st.container(gap=None):
                for check in some:
                    _line(check, workspace)
    if found.level == "green":
        st.caption(
            "Green says that nothing which can be checked speaks against the number. No check can see a slice that "
            "nobody thought of and no column shows, nor labels that have come to mean something else."
        )


def _line(check: Check, workspace: Workspace) -> None:
    light = trust_words.STATES[check.state]
    said = f":{light.colour}[{light.icon} **{light.word}**] &nbsp; {wording.plain(check.question)}"
    if check.name in EVIDENCE:
        st.button(said, key=f"check:{check.name}", type="tertiary", on_click=_ask, args=(workspace.id, check.name))
    else:  # its words are all there is
        st.markdown(said)


def _ask(workspace_id: str, check: str) -> None:
    """Have the evidence of a check opened, right below the checks."""
    _, times = _asked(workspace_id)
    visit.remember(f"asked:{workspace_id}", (EVIDENCE[check], times + 1))


def _asked(workspace_id: str) -> tuple[str | None, int]:
    return visit.remember(f"asked:{workspace_id}") or (None, 0)


def questions(found: Verdict | None, workspace: Workspace, answers: Mapping[str, Callable[[], None]]) -> None:
    """Offer every question, and answer those that are open: first what was asked for, or what speaks loudest."""
    loudest = None if found is None or found.loudest is None else EVIDENCE.get(found.loudest.name)
    asked, times = _asked(workspace.id)
    first = asked or loudest
    with st.container(key="questions", gap="xsmall"):
        for name in sorted(QUESTIONS, key=lambda name: name != first):
            # A key of its own every time it is asked for, or becomes the loudest: what somebody closed opens again.
            why = f":{times}" if name == asked else ":loudest" if name == loudest else ""
            now = visit.typed(f"open:{name}{why}")
            key = visit.bind(f"open:{name}{why}", bool(why) if now is None else now)
            with st.expander(QUESTIONS[name], key=key, on_change="rerun") as place:
                if place.open:
                    answers[name]()


@contextmanager
def answer(tip: str) -> Iterator[None]:
    """Answer a question; where it has no answer here, say why, and let the other questions be."""
    st.caption(tip)
    try:
        yield
    except MandolineError as error:
        st.info(f"**No answer here.** {wording.tell(error)}", icon=":material/block:")
