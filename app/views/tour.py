"""The tour: a few steps with a newcomer on the sample, from page to page, until they go on with their own data."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from app.project import state, visit
from app.words import wording
from mandoline_core import MandolineError

_LEADS = {
    "Estimate": ("views/estimate/estimate.py", ":material/monitoring:"),
    "Slices": ("views/slices/slices.py", ":material/content_cut:"),
    "Projects": ("views/projects/projects.py", ":material/upload:"),
}


def show(page: str) -> None:
    """Say the step at hand above a page it speaks of; on others the tour keeps quiet."""
    if page not in _LEADS or visit.remember("tour_done") or not state.has_project():
        return
    with suppress(MandolineError):  # the page says what is wrong
        workspace = state.workspace()
        # It speaks of that sample.
        if workspace.revision.document.get("tour") is not False and state.is_sample(workspace, "reviews"):
            _show(page)


def _show(page: str) -> None:
    number = visit.remember("tour_step") or 1
    step, last = wording.TOUR[number - 1], number == len(wording.TOUR)
    with st.container(border=True, key="tour"):
        st.markdown(f":material/explore: **{number} of {len(wording.TOUR)}: {step.title}.** {step.text}")
        with st.container(horizontal=True, vertical_alignment="center"):
            if step.page != page:
                path, icon = _LEADS[step.page]
                st.page_link(path, label="Use my data" if last else f"Go to {step.page}", icon=icon)
            if not last and st.button("Next", key="next_step"):
                _next(number + 1)
            st.button("Close the tour", key="close_tour", type="tertiary", on_click=_close)


def _next(number: int) -> None:
    """Go on to a step, and to the page it speaks of."""
    visit.remember("tour_step", number)
    st.switch_page(_LEADS[wording.TOUR[number - 1].page][0])


def _close() -> None:
    """Put the tour away, for this project and for this visit."""
    state.look(tour=False)
    visit.remember("tour_done", "yes")
