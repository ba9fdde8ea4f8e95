"""Share: the result as slides, and as one file to look at, to keep and to send."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace, links, state, visit
from app.views import parts
from app.views.share import decision
from mandoline_core import MandolineError
from mandoline_core.formatting import file_stem
from mandoline_core.report import read_report

OLD, EARLIER = "old_report", "earlier_report"
HEIGHT = 900  # pixels of the preview, which scrolls by itself
_AUDIENCES = {"nobody": "Nobody", "editors": "Editors", "everyone": "Everyone with the link"}
_SEEN = (
    "People with this link can view the slides and the whole project, and change nothing. They do not see your notes. "
    "The true value is on their slides only after you reveal it."
)


def main() -> None:
    """Show the page."""
    st.title("Share")
    workspace = compute.current()
    try:
        with st.spinner("Writing the report ..."):
            written = compute.report_html(workspace, visit.remember(EARLIER))
    except MandolineError as error:
        parts.show_error(error)
        st.page_link("views/result/result.py", label="Go to Result", icon=":material/monitoring:")
        return
    take_home(workspace, written)
    link, stated, since = st.columns(3)
    with link, st.expander("Share the slides", icon=":material/link:"):
        show_link(workspace)
    if not workspace.view_only:
        with stated, st.expander("Decision and sign-off", icon=":material/gavel:"):
            decision.show(workspace)
    with since, st.expander("Compare with an earlier report", icon=":material/difference:"):
        st.file_uploader("Earlier report (HTML)", type="html", key=OLD, on_change=take_earlier)
        parts.show_refusal(OLD)
    st.iframe(written, height=HEIGHT, alt="Report")


def take_earlier() -> None:
    """Read the numbers of an earlier report, or say next to the field why that cannot be done."""
    given, found = visit.typed(OLD), None
    try:
        found = None if given is None else read_report(given.getvalue().decode("utf-8", errors="replace"))
        parts.note_refusal(OLD, None)
    except MandolineError as error:
        parts.note_refusal(OLD, error, OLD)
    visit.remember(EARLIER, found)


def take_home(workspace: Workspace, written: str) -> None:
    """Offer the file, and say what is in it; figures everywhere are saved in the chosen format."""
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        name = f"{file_stem(workspace.project.name)}-report.html"
        st.page_link("views/present/present.py", label="Present", icon=":material/slideshow:")
        parts.download("Download report", written, name, "download_report", main=True)
        parts.figure_format()
    truth = "with the truth" if workspace.revealed else "without the truth (reveal it on the Result page)"
    st.caption(f"One file, {len(written.encode()) / 1e6:.1f} MB, {truth}. Same as `mandoline report`.")


def show_link(workspace: Workspace) -> None:
    """Show the link to the slides, say what others see there, and let the user choose who sees rows of the data."""
    if link := links.slides_link():
        st.code(link, language=None, wrap_lines=True)
        st.caption(_SEEN)
    else:
        st.caption("Turn on the view link under *Save and share* to get a link to the slides.")
    if not workspace.view_only:
        key = visit.bind(compute.EXAMPLES, compute.example_rows(workspace))
        st.segmented_control(
            "Who sees example rows",
            compute.AUDIENCES,
            key=key,
            format_func=_AUDIENCES.__getitem__,
            required=True,
            help="Slides show a labelled and a new row to explain what changed.",
            on_change=state.look_by,
            args=(compute.EXAMPLES, key),
        )


main()
