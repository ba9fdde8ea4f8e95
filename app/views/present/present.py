"""Present: the story of the estimate on the whole screen, told with the arrow keys."""

from __future__ import annotations

import html
from dataclasses import replace

import streamlit as st

from app import compute
from app.project import Workspace, visit
from app.views import parts
from app.words import Slide, reveal, slides, story_points
from mandoline_core import MandolineError
from mandoline_core.pipeline import AttributionPart, is_share
from mandoline_core.report import charts

# Nothing of a person's goes into a script. A browser that was not asked by a click refuses, which is no error.
_WHOLE_SCREEN = "<script>document.documentElement.requestFullscreen?.().catch(() => {});</script>"
_KEYS = {"Next": (1, ("Right", "PageDown")), "Back": (-1, ("Left", "PageUp"))}


def main() -> None:
    """Show one slide, without anything around it."""
    parts.style("present.css")
    # A place of its own, empty or not: what follows stays in its own place, and no slide stands beside the next one.
    with st.container():
        if not visit.remember("presenting"):
            visit.remember("presenting", "yes")
            st.html(_WHOLE_SCREEN, unsafe_allow_javascript=True)
    workspace = compute.current()
    try:
        story = _story(workspace)
    except MandolineError as error:
        parts.show_error(error)
        story = []
    has_truth = bool(story) and (
        workspace.project.target_labels is not None or compute.report(workspace).truth is not None
    )
    n = len(story) + has_truth
    number = min(visit.remember("slide") or 0, max(n - 1, 0))
    if story:
        _show(workspace, story[number] if number < len(story) else _reveal(workspace))
    _controls(number, n)


def _story(workspace: Workspace) -> list[Slide]:
    rows = compute.table(workspace)
    return slides(
        workspace.project,
        compute.report(workspace),
        _effects(workspace),
        {rule: [rows[name] for name in names] for rule, names in compute.members(workspace).items()},
    )


def _effects(workspace: Workspace) -> tuple[AttributionPart, ...]:
    """Find what each slice adds; nothing where the method or the metric has no effects of slices."""
    try:
        return compute.effects(workspace).parts
    except MandolineError:
        return ()


def _reveal(workspace: Workspace) -> Slide:
    """Tell the truth, on this slide only: elsewhere it stays as hidden as it was."""
    return reveal(compute.report(replace(workspace, revealed=True)), max(len(_effects(workspace)), 1))


def _show(workspace: Workspace, slide: Slide) -> None:
    """Say it in large type, above the curve."""
    lines = "".join(f"<p>{html.escape(line)}</p>" for line in slide.lines)
    st.html(f'<section class="slide {slide.level}"><h1>{html.escape(slide.lead)}</h1>{lines}</section>')
    report = compute.report(replace(workspace, revealed=True) if slide.truth else workspace)
    st.html(
        charts.story_curve(
            story_points(report, _effects(workspace)),
            slide.shown,
            metric=report.problem.metric.spoken,
            truth=report.truth if slide.truth else None,
            share=is_share(report),
            dark=parts.is_dark(),
        )
    )


def _controls(number: int, n: int) -> None:
    """Turn pages by key; the buttons show only to who points at them. A clicker sends other keys than a keyboard."""
    with st.container(key="story_controls", horizontal=True, vertical_alignment="center"):
        for label, (by, keys) in _KEYS.items():
            for key in keys:
                st.button(
                    label,
                    key=f"story:{key}",
                    shortcut=key,
                    disabled=not 0 <= number + by < n,
                    on_click=visit.remember,
                    args=("slide", number + by),
                )
        st.caption(f"{number + 1} of {n}")
        if st.button("Exit", key="story:leave", shortcut="Escape"):
            visit.remember("presenting", "")
            st.switch_page("views/share/share.py")


main()
