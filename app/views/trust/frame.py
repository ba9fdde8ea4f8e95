"""Parts of the Trust page that come first: the verdict, its checks, and a frame for every question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from app.views import parts
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import MandolineError, ModelReport

QUESTIONS = {
    "rows": "Do a few rows decide?",
    "unlike": "Are there new rows unlike any labelled row?",
    "unmodelled": "What did nobody model?",
    "parts": "Did the weighting matter, and which slices did it?",
    "corrections": "How sure must you be of the corrections?",
    "hidden": "What if something hidden changed?",
    "theory": "What does theory promise?",
    "meaning": "Did the meaning change?",
    "backtest": "Does it work on your own labels?",
    "labels": "What if you label a few new rows?",
}


@contextmanager
def section(name: str, tip: str | None = None) -> Iterator[None]:
    """Ask a question; where it has no answer here, say why, and let the other questions be."""
    st.subheader(QUESTIONS[name], anchor=f"trust-{name}", help=tip)
    try:
        yield
    except MandolineError as error:
        st.info(f"**No answer here.** {wording.tell(error)}", icon=":material/block:")


def contents() -> None:
    """List the questions, each a link to its answer."""
    links = [f"[{question}](#trust-{name})" for name, question in QUESTIONS.items()]
    with st.expander("Ten questions about this number", icon=":material/list:"):
        st.markdown("\n".join(f"{number}. {link}" for number, link in enumerate(links, start=1)))


def verdict(report: ModelReport) -> None:
    """Show the traffic light, its sentence, and every check with its state in words."""
    found = parts.verdict_of(report)
    if found is None:
        st.info("There is no verdict: only slice codes are known here.", icon=":material/help:")
        return
    parts.verdict_sentence(found)
    with st.container(border=True, key="checks"):
        for check in found.checks:
            light = trust_words.STATES[check.state]
            said = "" if check.state == "passed" else f"  \n{wording.tell(check.words)}"
            st.markdown(f":{light.colour}[{light.icon} **{light.word}**] &nbsp; {wording.plain(check.question)}{said}")
    st.caption(
        "Green says that nothing which can be checked speaks against the number. No check can see a slice that "
        "nobody thought of and no column shows, nor labels that have come to mean something else."
    )
