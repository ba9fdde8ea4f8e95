"""The board: one card for each rule, with how sure a person is of it first, and what that means when it is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app import compute
from app.project import Workspace, edits, visit
from app.views import parts
from app.views.corrections import evidence
from app.words import wording
from mandoline_core import Correction, MandolineError, Noise, Project, Slice
from mandoline_core.formatting import counted, show_percent
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS

PAIR_LIST = "pair_list"  # whether the list of pairs is open
WHOLE = "whole_board"  # whether the board has to be drawn as a whole
SAYS = {
    "inside": "Truly in, when the slice says in",
    "outside": "Truly in, when the slice says out",
    "abstain": "Truly in, when the slice abstains",
}
SIDES = {"source": "labelled data", "target": "new data"}
WAYS = {
    "derived": "as often wrong",
    "same": "the same matrix",
    "separate": "set separately",
    "measured": "as audited",
}
WAY_WORDS = {
    "derived": "The slice errs as often as in the labelled data; what its answers mean follows from that.",
    "same": "What the slice says means the same as in the labelled data.",
    "measured": "Measured on what you answered about new rows.",
}
SURE_HELP = (
    "{what} **Exact**: what the slice says is so. **Rather sure**: where it says in, {sure_in} are, and where it says "
    "out, {sure_out} are in all the same. **Unsure**: {unsure_in} and {unsure_out}. **Measured**: compared with a "
    "column of true answers. **Own**: your own numbers."
)


def show(workspace: Workspace) -> dict[str, DeltaGenerator]:
    """Show the closed cards, and return the places of the open ones; rules switched off come as a name only."""
    sure, unsure = (edits.PRESETS[name] for name in ("rather sure", "unsure"))
    st.subheader(
        "How sure are you?",
        help=SURE_HELP.format(
            what=TOOLTIPS["how sure you are of this slice"],
            sure_in=show_percent(sure.inside),
            sure_out=show_percent(sure.outside),
            unsure_in=show_percent(unsure.inside),
            unsure_out=show_percent(unsure.outside),
        ),
    )
    rows, opened = _rows(workspace), opened_cards(workspace)
    places: dict[str, DeltaGenerator] = {}
    with st.container(gap="xxsmall"):
        for rule in workspace.project.slices:
            if not rule.enabled:
                st.caption(f":material/toggle_off: {wording.plain(rule.name)} is switched off.")
            elif rule.name in opened:
                places[rule.name] = st.container()
            else:
                card(workspace, rule, rows.get(rule.name), is_open=False)
    return places


def show_open(workspace: Workspace, places: Mapping[str, DeltaGenerator]) -> None:
    """Show the cards that are open, or were when their places were laid out."""
    rows, opened = _rows(workspace), opened_cards(workspace)
    for rule in workspace.project.slices:
        if rule.name in places:
            with places[rule.name]:
                card(workspace, rule, rows.get(rule.name), is_open=rule.name in opened)


def _rows(workspace: Workspace) -> Mapping[str, compute.CorrectionRow]:
    """Look the numbers up; without them, what the bar says is wrong can still be mended in the cards."""
    try:
        return compute.correction_rows(workspace)
    except MandolineError:
        return {}


def opened_cards(workspace: Workspace) -> tuple[str, ...]:
    """List the cards that are open: the first, until a person opens or closes one."""
    found = visit.remember("opened_cards")
    return tuple(rule.name for rule in workspace.project.slices if rule.enabled)[:1] if found is None else found


def toggle_card(workspace: Workspace, name: str, *, keep: bool = False) -> None:
    """Open a card, or close it; `keep` leaves an open one open."""
    opened = opened_cards(workspace)
    if name not in opened:
        visit.remember("opened_cards", (*opened, name))
    elif not keep:
        visit.remember("opened_cards", tuple(other for other in opened if other != name))


def card(workspace: Workspace, rule: Slice, row: compute.CorrectionRow | None, *, is_open: bool) -> None:
    """Show one rule: its name, how sure a person is of it and what that does; opened, all that can be set."""
    place = [other.name for other in workspace.project.slices].index(rule.name)
    with st.container(border=is_open, key=f"card_{place}", gap="xsmall"):
        with st.container(
            horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap="xsmall"
        ):
            st.button(
                wording.plain(rule.name),
                icon=f":material/{'expand_more' if is_open else 'chevron_right'}:",
                type="tertiary",
                key=f"open:{rule.name}",
                help="Close" if is_open else "Open: sliders, new data, true answers",
                wrap=True,
                on_click=toggle_card,
                args=(workspace, rule.name),
            )
            preset_control(workspace, rule, row)
        if row is not None and (is_open or rule.noise is not None):
            st.caption(rate_words(row))
        parts.show_refusal(f"{rule.name}:", once=True)
        if is_open:
            details(workspace, rule, row)


def preset_control(workspace: Workspace, rule: Slice, row: compute.CorrectionRow | None) -> None:
    """Choose how sure one is of a slice."""
    now = edits.preset_of(rule)
    offered = [*edits.PRESETS, edits.OWN]
    if rule.gold is not None or now == edits.MEASURED or (rule.audit is not None and len(rule.audit.source)):
        offered.insert(-1, edits.MEASURED)
    key = visit.bind(f"sure:{rule.name}", now)
    st.segmented_control(
        f"How sure are you of {wording.plain(rule.name)}?",
        offered,
        format_func=str.capitalize,
        required=True,
        label_visibility="collapsed",
        wrap=True,
        key=key,
        on_change=choose_preset,
        args=(workspace, rule.name, key, as_stated(row, "source")),
    )


def choose_preset(workspace: Workspace, name: str, key: str, start: Correction) -> None:
    """Take a preset, measure, or open the card to set numbers of one's own, from those in use."""
    sure = visit.typed(key)
    if sure == edits.OWN:
        toggle_card(workspace, name, keep=True)
    label = {edits.MEASURED: f"measure {name}", edits.OWN: f"set corrections of {name}"}
    change_card(
        name,
        label.get(sure, f"make {name} {sure}"),
        lambda project: edits.set_preset(project, name, sure, start),
    )


def as_stated(row: compute.CorrectionRow | None, side: str) -> Correction:
    """Write the corrections in use, the first member's in a family, as a person would state them."""
    used = None if row is None else next(iter(getattr(row, side).values()), None)
    if used is None or round(used.inside, 2) == round(used.outside, 2):  # a person may not state that a slice is idle
        return Correction()
    return Correction(round(used.inside, 2), round(used.outside, 2))


def rate_words(row: compute.CorrectionRow) -> str:
    """Say what becomes of a slice's rate; of a family only how many slices it is."""
    if len(row.source) != 1:
        return f"Stands for {counted(len(row.source), 'slice')}, corrected alike."
    said = [f"{show_rate(used)} of the {SIDES[side]}" for side in SIDES for used in getattr(row, side).values()]
    return f"Inside: {', '.join(said)}."


def show_rate(used: compute.CorrectionInUse) -> str:
    """Write the share of rows inside, with what it becomes when corrected.

    >>> show_rate(compute.CorrectionInUse(0.9, 0.0, None, says=0.1, truly=0.09))
    '10.0% → 9.0%'
    """
    says, truly = f"{used.says:.1%}", f"{used.truly:.1%}"
    return says if says == truly else f"{says} → {truly}"


def details(workspace: Workspace, rule: Slice, row: compute.CorrectionRow | None) -> None:
    """Show all that can be set for one rule, under the matrices that it makes."""
    if row is None or not row.source:
        evidence.gold_column(workspace, rule, row, change_card)
        return
    measured = rule.noise is not None and rule.noise.measured
    matrices(rule, row)
    sliders(rule, "source", row, disabled=measured)
    if measured:
        st.caption(f"Measured on {row.measured_on:,} labelled rows. Choose Own to move these.")
    new_data(rule, row)
    evidence.gold_column(workspace, rule, row, change_card)
    evidence.show(workspace, rule, change_card)
    with st.container(horizontal=True):
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            key=f"reset:{rule.name}",
            help="Take the slice at its word, in both data.",
            on_click=change_card,
            args=(rule.name, f"reset {rule.name}", partial(edits.set_noise, name=rule.name, noise=None)),
            disabled=rule.noise is None,
        )
        copying(workspace, rule)


def sliders(rule: Slice, side: str, row: compute.CorrectionRow, *, disabled: bool = False) -> None:
    """Show one sample's corrections as sliders with a number box beside each."""
    used = next(iter(getattr(row, side).values()))
    for says, label in SAYS.items():
        value = getattr(used, says)
        if value is not None:
            percent(rule.name, side, says, f"{label} ({SIDES[side]})", 100 * value, disabled=disabled)


def percent(name: str, side: str, says: str, label: str, value: float, *, disabled: bool) -> None:
    """Show one correction as a slider in whole percents and as a box for any; either writes the project."""
    place = f"{name}:{side}:{says}"
    slide, box = (visit.bind(visit.renewable(f"{kind}:{place}"), round(value, 2)) for kind in ("slide", "type"))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", wrap=False):
        st.slider(
            label,
            0.0,
            100.0,
            step=1.0,
            format="%g%%",
            key=slide,
            disabled=disabled,
            on_change=move,
            args=(name, side, says, "slide", slide),
        )
        st.number_input(
            f"{label}, in percent",
            0.0,
            100.0,
            step=1.0,
            format="%g",
            key=box,
            disabled=disabled,
            label_visibility="collapsed",
            width=95,
            on_change=move,
            args=(name, side, says, "type", box),
        )


def move(name: str, side: str, says: str, kind: str, key: str) -> None:
    """Take a slider's or a box's value into the corrections; the other of the two is made anew.

    With every move the browser sends what all controls hold. When a move comes before the answer to the last one, the
    other control still holds the value of before, as if a person had typed it: one that was made anew is not heard.
    """
    place, other = f"{name}:{side}:{says}", "type" if kind == "slide" else "slide"
    if key != visit.renewable(f"{kind}:{place}"):
        return
    visit.renew(f"{other}:{place}")
    share = round(float(visit.typed(key)) / 100, 6)
    where = "" if side == "source" else " in the new data"
    change_card(name, f"correct {name}{where}", lambda project: edits.set_share(project, name, side, says, share))


def new_data(rule: Slice, row: compute.CorrectionRow) -> None:
    """Choose how the new data's corrections come about; sliders only where they can be moved."""
    key = visit.bind(f"way:{rule.name}", edits.way(rule))
    st.segmented_control(
        "In the new data",
        [way for way in WAYS if way != "measured" or (rule.audit is not None and len(rule.audit.target))],
        format_func=lambda way: WAYS[way].capitalize(),
        required=True,
        help=f"{TOOLTIPS['derived corrections']} {TOOLTIPS['same matrix']}",
        key=key,
        on_change=choose_way,
        args=(rule.name, key, as_stated(row, "target")),
    )
    # As chosen, not as saved: separate numbers that are all exact are none to be saved.
    chosen = visit.typed(key)
    if chosen in WAY_WORDS:
        st.caption(WAY_WORDS[chosen])
    else:
        sliders(rule, "target", row)


def choose_way(name: str, key: str, start: Correction) -> None:
    """Switch between derived, the same, and separate corrections for the new data."""
    way = visit.typed(key)
    change_card(
        name,
        f"correct {name} in the new data: {WAYS[way]}",
        lambda project: edits.set_way(project, name, way, start),
    )


def matrices(rule: Slice, row: compute.CorrectionRow) -> None:
    """Show what the numbers mean as small tables; where a family's differ, what they make of each member."""
    differ = len(row.source) > 1
    sides = ("source",) if differ and edits.way(rule) == "derived" else SIDES
    tables = [evidence.matrix(next(iter(getattr(row, side).values())), SIDES[side].capitalize()) for side in sides]
    if differ:
        lines = {name: (show_rate(row.source[name]), show_rate(row.target[name])) for name in row.source}
        tables.append(charts.rate_table(lines, [f"In {name}" for name in SIDES.values()]))
    st.html(charts.side_by_side(tables))


def copying(workspace: Workspace, rule: Slice) -> None:
    """Offer to correct other slices as this one."""
    others = [other.name for other in workspace.project.slices if other.enabled and other.name != rule.name]
    noise = rule.noise or Noise()
    measured = noise.measured or noise.target_measured
    if not others:
        return
    with st.popover(
        "Copy to others",
        icon=":material/content_copy:",
        disabled=measured,
        help="What was measured on this slice's true answers holds for no other." if measured else None,
    ):
        key = visit.bind(f"copy:{rule.name}", others)
        st.multiselect("Correct these alike", others, key=key)
        st.button(
            "Copy",
            key=f"do_copy:{rule.name}",
            on_click=copy,
            args=(rule.name, key),
            disabled=not visit.typed(key),
        )


def copy(name: str, key: str) -> None:
    """Correct the chosen slices as one is, in one step."""
    chosen = tuple(visit.typed(key))
    n = counted(len(chosen), "other slice")
    change_card(
        name, f"correct {n} as {name}", lambda project: edits.copy_corrections(project, name, chosen), whole=True
    )


def change_card(
    name: str, label: str, edit: Callable[[Project], Project], where: str = "", *, whole: bool = False
) -> None:
    """Make an edit; where it is refused, its card says why, and its controls go back to what holds.

    Parameters
    ----------
    whole : bool
        Whether it changes more than the card, the number and the panel.
    """
    if not parts.change_beside(f"{name}:{where}", label, edit):
        visit.forget_widgets()
    if whole or visit.typed(PAIR_LIST):  # which says what pairs do to the estimate
        visit.remember(WHOLE, "needed")
