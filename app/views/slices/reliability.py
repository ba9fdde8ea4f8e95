"""Reliability: how far to trust the chosen slice, and the estimator for slices that are not exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, edits, state, visit
from app.views import parts
from app.views.slices import drags, evidence
from app.words import corrections, wording
from mandoline_core import Correction, MandolineError, Noise, Project, Slice
from mandoline_core.estimators import ESTIMATORS
from mandoline_core.formatting import counted, show_percent
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS, title_of

SAYS = {
    "inside": "When the rule says yes, how often is it right?",
    "outside": "When the rule says no, how often is it wrong?",
    "abstain": "When the rule abstains, how often is the row in the slice?",
}
SHORT = {"mandoline": "The paper's weights", "denoised": "Denoised"}
SIDES = {"source": "labelled data", "target": "new data"}
WAYS = {
    "derived": "same error rates",
    "same": "same reliability",
    "separate": "separate",
    "measured": "audited",
}


def show(workspace: Workspace, rule: Slice) -> None:
    """Show how reliable a slice is, what that does to its rate, and all that can be set; then the estimator for it."""
    if not rule.enabled:
        st.caption("This slice is off.")
        return
    row = _row(workspace, rule.name)
    preset_control(rule, row)
    if row is not None:
        st.caption(rate_words(row))
    parts.show_refusal(f"{rule.name}:", once=True)
    details(workspace, rule, row)
    estimator_switch(workspace)


def _row(workspace: Workspace, name: str) -> compute.CorrectionRow | None:
    """Look the numbers up; without them, what the bar says is wrong can still be fixed here."""
    try:
        return compute.correction_rows(workspace).get(name)
    except MandolineError:
        return None


def preset_control(rule: Slice, row: compute.CorrectionRow | None) -> None:
    """Choose the reliability of a slice."""
    now = edits.preset_of(rule)
    offered = [*edits.PRESETS, edits.OWN]
    if rule.gold is not None or now == edits.MEASURED or (rule.audit is not None and len(rule.audit.source)):
        offered.insert(-1, edits.MEASURED)
    key = visit.bind(visit.renewable(f"sure:{rule.name}"), now)
    presets = "; ".join(
        f"**{name.capitalize()}**: {show_percent(one.inside)} of its yes, {show_percent(one.outside)} of its no"
        for name, one in edits.PRESETS.items()
    )
    tip = f"{TOOLTIPS['reliability']} Rows truly in the slice: {presets}."
    st.segmented_control(
        f"Reliability of {wording.plain(rule.name)}",
        offered,
        format_func=str.capitalize,
        required=True,
        help=parts.more(tip, "corrections"),
        wrap=True,
        key=key,
        on_change=choose_preset,
        args=(rule.name, key, as_stated(row, "source")),
    )


def choose_preset(name: str, key: str, start: Correction) -> None:
    """Take a preset, measure, or set numbers of one's own, from those in use; see `move` on a control made again."""
    if key != visit.renewable(f"sure:{name}"):
        return
    sure = visit.typed(key)
    label = f"measure {name}" if sure == edits.MEASURED else f"set {name} to {sure}"
    change(name, label, lambda project: edits.set_preset(project, name, sure, start))


def as_stated(row: compute.CorrectionRow | None, side: str) -> Correction:
    """Write the corrections in use, the first member's in a family, as they would be stated."""
    used = None if row is None else next(iter(getattr(row, side).values()), None)
    if used is None or round(used.inside, 2) == round(used.outside, 2):  # a person may not state that a slice is idle
        return Correction()
    return Correction(round(used.inside, 2), round(used.outside, 2))


def rate_words(row: compute.CorrectionRow) -> str:
    """Say what becomes of a slice's rate; of a family only how many slices it is."""
    if len(row.source) != 1:
        return f"{counted(len(row.source), 'slice')} with the same corrections"
    said = [f"{show_rate(used)} of {SIDES[side]}" for side in SIDES for used in getattr(row, side).values()]
    return f"In slice: {', '.join(said)}"


def show_rate(used: compute.CorrectionInUse) -> str:
    """Write the share of rows in a slice, with what it becomes when corrected.

    >>> show_rate(compute.CorrectionInUse(0.9, 0.0, None, says=0.1, truly=0.09))
    '10.0% → 9.0%'
    """
    says, truly = show_percent(used.says), show_percent(used.truly)
    return says if says == truly else f"{says} → {truly}"


def details(workspace: Workspace, rule: Slice, row: compute.CorrectionRow | None) -> None:
    """Show all that can be set for one rule, with the matrices that it makes."""
    if row is None or not row.source:
        evidence.gold_column(workspace, rule, row, change)
        return
    measured = rule.noise is not None and rule.noise.measured
    sliders(rule, "source", row, disabled=measured)
    if measured:
        st.caption(f"Measured on {row.measured_on:,} labelled rows. Choose Custom to edit.")
    new_data(rule, row)
    matrices(rule, row)
    evidence.gold_column(workspace, rule, row, change)
    evidence.show(workspace, rule, change)
    with st.container(horizontal=True):
        st.button(
            "Reset",
            icon=":material/restart_alt:",
            key=f"reset:{rule.name}",
            help="Set the slice to exact.",
            on_click=change,
            args=(rule.name, f"reset {rule.name}", partial(edits.set_noise, name=rule.name, noise=None)),
            disabled=rule.noise is None,
        )
        copying(workspace, rule)


def sliders(rule: Slice, side: str, row: compute.CorrectionRow, *, disabled: bool = False) -> None:
    """Show one sample's corrections as sliders, each with a number box."""
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
        if not disabled:
            drags.follow(slide, partial(take, name, side, says, "type"))
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
    """Take a slider's or a box's value into the corrections; the other of the two is made again.

    With every move the browser sends what all controls hold. When a move comes before the answer to the last one, the
    other control still holds the value of before, as if it had been typed: one that was made again is ignored.
    """
    drags.go_on(key)
    if key == visit.renewable(f"{kind}:{name}:{side}:{says}"):
        take(name, side, says, "type" if kind == "slide" else "slide", float(visit.typed(key)))


def take(name: str, side: str, says: str, other: str, percents: float) -> None:
    """Take a value into the corrections, and make again what shows another: the `other` control, and the preset."""
    visit.renew(f"{other}:{name}:{side}:{says}")
    share, before = round(percents / 100, 6), _preset(name)
    where = "" if side == "source" else " in the new data"
    change(name, f"correct {name}{where}", lambda project: edits.set_share(project, name, side, says, share))
    if _preset(name) != before:
        visit.renew(f"sure:{name}")


def _preset(name: str) -> str:
    rule = next((one for one in state.workspace().project.slices if one.name == name), None)
    return "" if rule is None else edits.preset_of(rule)


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
    if chosen == "separate":
        sliders(rule, "target", row)


def choose_way(name: str, key: str, start: Correction) -> None:
    """Switch between derived, the same, and separate corrections for the new data."""
    way = visit.typed(key)
    change(
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
        "Copy to other slices",
        icon=":material/content_copy:",
        disabled=measured,
        help="Measured corrections hold for this slice only." if measured else None,
    ):
        key = visit.bind(f"copy:{rule.name}", others)
        st.multiselect("Slices", others, key=key)
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
    change(
        name,
        f"copy corrections of {name} to {n}",
        lambda project: edits.copy_corrections(project, name, chosen),
    )


def change(name: str, label: str, edit: Callable[[Project], Project], where: str = "") -> None:
    """Make an edit; where it is refused, its pane says why, and its controls go back to what holds."""
    if not parts.change_beside(f"{name}:{where}", label, edit):
        visit.forget_widgets()


def estimator_switch(workspace: Workspace) -> None:
    """Choose between the paper's weights and the denoised estimator, with a test of what the latter assumes."""
    now = workspace.project.estimator.name
    able = [name for name, method in ESTIMATORS.items() if method.takes_corrections]
    key = visit.bind("estimator", now)
    st.segmented_control(
        "Estimator for noisy slices",
        list(dict.fromkeys([*able, now])),
        format_func=lambda name: SHORT.get(name) or title_of(name),
        required=True,
        help=TOOLTIPS["denoised"],
        key=key,
        on_change=choose_estimator,
        args=(key,),
    )
    st.caption(wording.estimator_sentence(now))
    tested = compute.mistake_tests(workspace)
    if tested:
        told = " ".join(corrections.mistake_words(name, *test) for name, test in tested.items())
        st.caption(wording.plain(f"Test of the assumption behind Denoised. {told}"))


def choose_estimator(key: str) -> None:
    """Write the estimator into the project."""
    name = visit.typed(key)
    compute.attempt(
        f"use {SHORT.get(name, name).lower()}",
        lambda project: replace(project, estimator=replace(project.estimator, name=name)),
    )
