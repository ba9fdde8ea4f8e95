"""Checks: each in a line that leads to its evidence, with what was found, what can be done, and every question."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, remedies, visit
from app.views import groups, harmless, offers, parts
from app.views.result import backtest, hidden, unmodelled, weights
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import Check, Finding, ModelReport, Verdict

MOST_TRIED = 8  # remedies: each is an estimate
MOST_FOUND = 4  # findings of a check that are shown at first
QUESTIONS = {
    "unlike": "Are there new rows unlike any labelled row?",
    "corrections": "How sensitive is this to my corrections?",
    "meaning": "Did the meaning of labels change?",
    "hidden": "What if there is a hidden change?",
    "backtest": "Does it work on my labels?",
    "theory": "What does the theory guarantee?",
}
ANSWERS = {
    "unlike": weights.unlike,
    "corrections": unmodelled.corrections,
    "meaning": hidden.meaning,
    "hidden": hidden.hidden,
    "backtest": backtest.backtest,
    "theory": hidden.theory,
}
# The question, or the tab, with the evidence of a check, by the check's name.
EVIDENCE = {
    "fit": "Effects",
    "rows": "Weights",
    "groups": "Weights",
    "overlap": "unlike",
    "weights": "Weights",
    "slices": "Effects",
    "pairs": "Balance",
    "corrections": "corrections",
    "columns": "Balance",
    "apart": "Balance",
    "answers": "meaning",
    "labels": "Label a few",
}


def show(workspace: Workspace) -> None:
    """Show every check, and the evidence that was asked for or is that of the worst."""
    report = compute.report(workspace)
    if report.verdict is not None:
        checks(workspace, report, report.verdict)
    questions(report.verdict, workspace)


def checks(workspace: Workspace, report: ModelReport, found: Verdict) -> None:
    """Show every check in a line, with what was found where it did not pass; a click opens its evidence."""
    passed = [check for check in found.checks if check.state == "passed"]
    alike = {name: row.most_like for name, row in compute.table(workspace).items() if row.most_like is not None}
    left = MOST_TRIED
    with st.container(border=True, key="checks", gap=None):
        for check in found.loudest_first:
            _line(check, workspace)
            some = [one for one in report.findings if one.check == check.name]
            if not some:
                st.caption(wording.tell(check.words))
            first, rest = some[:MOST_FOUND], some[MOST_FOUND:]
            for finding in first:
                left -= _finding(workspace, report, finding, alike, left)
            if rest:
                with st.expander(f"{len(rest)} more", type="compact"):
                    for finding in rest:
                        left -= _finding(workspace, report, finding, alike, left)
            if columns := harmless.columns_of(some, check.name):
                own = [one for one in some if one.check == check.name]
                # In red, the headline offers it.
                harmless.buttons(columns, check.name, label=not report.is_red and harmless.unseen(own))
            groups.offer(some, check.name)
        harmless.declared(workspace)
        half = (len(passed) + 1) // 2
        for column, some_passed in zip(st.columns(2), (passed[:half], passed[half:]), strict=True):
            with column, st.container(gap=None):
                for check in some_passed:
                    _line(check, workspace)
    shown = {check.name for check in found.loudest_first}
    if notes := [one for one in report.findings if one.check not in shown]:
        with st.expander(f"{len(notes)} notes" if len(notes) > 1 else "1 note", type="compact"):
            for finding in notes:
                left -= _finding(workspace, report, finding, alike, left)
    if found.level == "green":
        st.caption("Checks cannot see a change that no column shows, or a change in what labels mean.")


def _finding(workspace: Workspace, report: ModelReport, finding: Finding, alike: dict[str, str], left: int) -> int:
    """Show a finding, with a button for what the app can do about it; return how many remedies were tried."""
    parts.show_finding(finding)
    place = report.findings.index(finding)
    could = remedies.remedies(finding, report, workspace.project, alike)[:left]
    with st.container(horizontal=True):
        for number, offer in enumerate(offers.worth_offering(workspace, could, left)):
            offers.button(*offer, f"remedy:finding{place}:{number}")
    return len(could)


def _line(check: Check, workspace: Workspace) -> None:
    light = trust_words.STATES[check.state]
    said = f":{light.colour}[{light.icon} **{light.word}**] &nbsp; {wording.plain(check.question)}"
    if check.name in EVIDENCE:
        st.button(said, key=f"check:{check.name}", type="tertiary", on_click=_ask, args=(workspace.id, check.name))
    else:  # its words are all there is
        st.markdown(said)


def _ask(workspace_id: str, check: str) -> None:
    """Have the evidence of a check opened: right below the checks, or in its tab."""
    if EVIDENCE[check] not in QUESTIONS:
        visit.remember(parts.TAB, EVIDENCE[check])
        return
    _, times = _asked(workspace_id)
    visit.remember(f"asked:{workspace_id}", (EVIDENCE[check], times + 1))


def _asked(workspace_id: str) -> tuple[str | None, int]:
    return visit.remember(f"asked:{workspace_id}") or (None, 0)


def questions(found: Verdict | None, workspace: Workspace) -> None:
    """Offer every question, and answer those that are open: first what was asked for, or the worst check's."""
    doubts = () if found is None else (EVIDENCE.get(check.name) for check in found.loudest_first)
    loudest = next((question for question in doubts if question in QUESTIONS), None)  # others lead to a tab
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
                    ANSWERS[name]()
