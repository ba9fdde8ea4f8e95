"""Present: the story of the estimate, slide by slide, on the whole screen."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace
from app.views import parts
from mandoline_core import MandolineError
from mandoline_core.report.charts import clean
from mandoline_core.report.deck import Slide

LEFT = "views/share/share.py"  # where its exit leads


def main() -> None:
    """Show the slides, without anything around them."""
    workspace = compute.current()
    try:
        slides = compute.slides(
            workspace, rows_too=_shows_rows(workspace), truth=workspace.revealed or _has_truth(workspace)
        )
    except MandolineError as error:
        parts.show_error(error)
        st.page_link(LEFT, label="Go to Share", icon=":material/ios_share:")
        return
    told = [_told(slide, notes=not workspace.view_only) for slide in slides]
    theme = "dark" if parts.is_dark() else "light"
    # Registered in every run: it is the run's framework that has to know it.
    html, css, js = (
        (parts.ASSETS / f"present.{ending}").read_text(encoding="utf-8") for ending in ("html", "css", "js")
    )
    deck = st.components.v2.component("deck", html=html, css=css, js=js, isolate_styles=False)
    if deck(key="deck", data={"slides": told, "theme": theme}, on_left_change=lambda: None).left:
        st.switch_page(LEFT)


def _has_truth(workspace: Workspace) -> bool:
    """Tell whether the true value may be told at the end: through a link to look, only once it was revealed."""
    if workspace.view_only:
        return False
    return workspace.project.target_labels is not None or compute.report(workspace).truth is not None


def _shows_rows(workspace: Workspace) -> bool:
    """Tell whether slides may show rows of the data: to others only where somebody who may edit has said so."""
    return compute.example_rows(workspace) == "everyone" or (
        compute.example_rows(workspace) == "editors" and not workspace.view_only
    )


def _told(slide: Slide, *, notes: bool) -> dict[str, object]:
    """Write a slide for the browser; notes are for who presents, not for who was sent the link."""
    return {
        "title": clean(slide.title),
        "lines": [clean(line) for line in slide.lines],
        "notes": [clean(note) for note in slide.notes if note] if notes else [],
        "svg": slide.svg,
    }


main()
