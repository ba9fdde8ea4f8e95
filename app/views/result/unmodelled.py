"""Result: what no slice models, with one click to model it, and what the slices did."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app import compute
from app.project import Remedy, Workspace, remedies
from app.views import offers, parts
from app.views.result import evidence
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import Keyword, Slice
from mandoline_core.checks import BalanceLine, times_by_size
from mandoline_core.pipeline import MeanShift, is_share
from mandoline_core.report import charts
from mandoline_core.report.charts import NAME_WIDTH, shorten
from mandoline_core.report.words import TOOLTIPS
from mandoline_core.report.words import evidence as facts

MOST_LINES, MOST_SLICES, MOST_OFFERED = 9, 4, 5
_MATCHED = 0.05  # standard deviations; slices that abstain or are doubted match roughly
_LEAST_OF_A_NAME = 5  # characters
_Dot = tuple[str, float, float, Slice | None]  # of the figure: name, shift before and after, the slice to model it


def show(workspace: Workspace) -> None:
    """Show what weighting leaves off; what is off most is one click from being a slice or an edge."""
    with parts.answer(TOOLTIPS["standardised shift"]):
        with st.spinner("Comparing columns, words and pairs ..."):
            found = compute.report(workspace).evidence
            lines = [*(found.columns or ()), *found.pairs]
        if not lines:
            st.markdown(
                "Labelled and new data share no other column, so other changes cannot be detected. Add columns, such "
                "as origin or date."
            )
            st.page_link("views/data/data.py", label="Change the data", icon=":material/table:")
            return
        matched = _matched(found.slices)
        dots = [*_dots(lines, found.slices), *matched]
        slices = "Slices match" if all(map(_matches, found.slices)) else "Not every slice matches"
        st.caption(
            f"{slices} the new data after weighting. What stays far from 0 is a change that the estimate misses."
        )
        offers.clickable(
            workspace,
            charts.balance(
                [dot[0] for dot in dots],
                [before for _, before, _, _ in dots],
                [after for _, _, after, _ in dots],
                [dot in matched for dot in dots],
                dark=parts.is_dark(),
            ),
            {name: rule for name, _, _, rule in dots if rule is not None},
            "unmodelled",
            alt="Shift of columns, words and pairs before and after weighting",
            what="dot",
        )
        if found.domain_test is not None:
            st.markdown(wording.tell(facts.domain(found.domain_test)))
        _offers(workspace, lines, found.slices)
        evidence.fine_print(workspace, found)
        evidence.download(trust_words.unmodelled_table(lines), "changes no slice covers")
    _pairs(workspace)


def remaining(workspace: Workspace) -> None:
    """Offer a slice on what is still different, the columns that could move the estimate most first."""
    found = compute.report(workspace).evidence
    lines = [*(found.columns or ()), *found.pairs]
    if lines:
        st.caption("Still different after weighting, by how far it could move the estimate.")
        _offers(workspace, lines, found.slices)
    else:
        st.caption("Labelled and new data share no other column.")


def _pairs(workspace: Workspace) -> None:
    """Show, on request, what weighting did to pairs of slices without an edge."""
    pairs = st.expander("Pairs of slices", key="free_pairs_open", on_change="rerun")
    if not pairs.open:
        return
    with pairs, parts.boundary():
        free = compute.pairs(workspace).free
        figure = charts.pair_gaps(
            [(pair.first, pair.second) for pair in free],
            [pair.before for pair in free],
            [pair.after for pair in free],
            dark=parts.is_dark(),
        )
        parts.chart(
            figure, "free_pairs", alt="How often pairs of slices without an edge agree, before and after weighting"
        )


def _dots(lines: Sequence[BalanceLine], slices: Sequence[MeanShift]) -> list[_Dot]:
    """List the worst of what is not modelled, words one by one: by how far it could move the estimate."""
    free: list[tuple[bool, float, _Dot]] = []
    for line in lines:
        if not line.words or not line.detail.startswith("contains "):
            rule = line.suggestion if isinstance(line.suggestion, Slice) else None
            free.append((line.stands_out, line.times, (_name(line), line.before, line.after, rule)))
        for word in line.words:
            keyword = Keyword(f"{line.column} contains {word.name}", column=line.column, words=(word.name,))
            dot = f"{line.column}: {word.name}", word.before, word.after, keyword
            free.append((abs(word.z) > line.threshold, times_by_size(word.after), dot))
    off = (line for line in slices if not _matches(line))
    free += [(True, times_by_size(line.after), (line.name, line.before, line.after, None)) for line in off]
    return [dot for *_, dot in sorted(free, key=lambda one: (not one[0], -one[1]))[:MOST_LINES]]


def _matched(slices: Sequence[MeanShift]) -> list[_Dot]:
    """List some of the slices that match, which the figure shows in grey."""
    matching = sorted(filter(_matches, slices), key=lambda line: -abs(line.before))
    return [(line.name, line.before, line.after, None) for line in matching[:MOST_SLICES]]


def _matches(line: MeanShift) -> bool:
    """Tell whether weighting made a slice as frequent as in the new data, as far as anybody could see."""
    return not abs(line.after) >= _MATCHED  # where nothing can be compared, nothing is off


def _name(line: BalanceLine) -> str:
    """Name a line of the figure; of a pair that is too long for its place the first name is cut, not the second."""
    if line.kind != "pair" or not isinstance(line.suggestion, tuple):
        return line.name
    first, second = line.suggestion
    room = NAME_WIDTH - len(" + ") - len(second)
    return f"{shorten(first, max(room, _LEAST_OF_A_NAME))} + {second}"


def _offers(workspace: Workspace, lines: Sequence[BalanceLine], slices: Sequence[MeanShift]) -> None:
    """Offer to model what is off most, where that was tried and gives an estimate."""
    lines = sorted(lines, key=lambda line: (not line.stands_out, -line.times))
    notable = [line for line in lines if line.stands_out]
    if not notable:
        st.markdown("No remaining shift is beyond sampling error.")
    could = [(line, remedy) for line in notable or lines if (remedy := _remedy(line, workspace)) is not None]
    most = MOST_OFFERED if notable else 2
    compared: list[BalanceLine | MeanShift] = [*lines, *slices]
    weighted = any(abs(line.after - line.before) > 1e-9 for line in compared)
    tried = dict(offers.worth_offering(workspace, [remedy for _, remedy in could], most))
    for number, (line, remedy) in enumerate(could):
        if remedy in tried:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(wording.tell(facts.unmodelled(line, weighted=weighted)))
                offers.button(remedy, tried[remedy], f"model:{number}")


def _remedy(line: BalanceLine, workspace: Workspace) -> Remedy | None:
    rule = line.suggestion
    if isinstance(rule, Slice):
        return remedies.slice_remedy(rule)
    if rule is None or isinstance(workspace.project.edges, str):
        return None
    return remedies.edge_remedy(rule)


def corrections() -> None:
    """Show how the estimate moves with the corrections of noisy slices."""
    with parts.answer(TOOLTIPS["reliability"]):
        workspace = compute.current()
        report = compute.report(workspace)
        if report.problem.corrections().takes_codes_at_their_word:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown("All slices are exact, so there are no corrections.")
                st.page_link("views/slices/slices.py", label="Go to Slices", icon=":material/content_cut:")
            return
        with st.spinner("Varying each correction ..."):
            slopes = compute.slopes(workspace)
        share = is_share(report)
        figure = charts.correction_effects(slopes, share=share, dark=parts.is_dark())
        parts.chart(figure, "elasticity", alt="Change of the estimate per point of each correction")
        telling = trust_words.telling_slopes(slopes, share=share)
        st.markdown("\n".join(f"- **{wording.plain(s.slice)}**: {wording.tell(s.words)}" for s in telling))
        evidence.download(trust_words.slope_table(slopes), "corrections and the estimate")
