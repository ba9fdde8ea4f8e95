"""Share: the result as a story on the whole screen, and as one file to look at, to keep and to send."""

from __future__ import annotations

import streamlit as st

from app import compute
from app.project import Workspace
from app.views import parts
from mandoline_core import MandolineError
from mandoline_core.formatting import file_stem

HEIGHT = 900  # pixels of the preview, which scrolls by itself


def main() -> None:
    """Show the page."""
    st.title("Share")
    workspace = compute.current()
    try:
        with st.spinner("Writing the report ..."):
            written = compute.report_html(workspace)
    except MandolineError as error:
        parts.show_error(error)
        st.page_link("views/result/result.py", label="Go to Result", icon=":material/monitoring:")
        return
    take_home(workspace, written)
    st.iframe(written, height=HEIGHT, alt="Report")


def take_home(workspace: Workspace, written: str) -> None:
    """Offer the file, and say what is in it; figures everywhere are saved in the chosen format."""
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        name = f"{file_stem(workspace.project.name)}-report.html"
        st.page_link("views/present/present.py", label="Present", icon=":material/slideshow:")
        parts.download("Download report", written, name, "download_report", main=True)
        parts.figure_format()
    truth = "with the truth" if workspace.revealed else "without the truth (reveal it on the Result page)"
    st.caption(f"One file, {len(written.encode()) / 1e6:.1f} MB, {truth}. Same as `mandoline report`.")


main()
