"""Report: the whole result as one file, to look at, to keep and to send."""

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
    st.title("Report")
    workspace = compute.current()
    st.markdown(
        "One file with everything in it: the number and its verdict, what changed in the data, every slice with its "
        "notes, and what stands behind them. It opens in any browser, from a mail too, and needs no network. "
        "It starts with a picture for your slides."
    )
    try:
        with st.spinner("Writing the report ..."):
            written = compute.report_html(workspace)
    except MandolineError as error:
        parts.show_error(error)
        st.page_link("views/estimate/estimate.py", label="See what can be done about it", icon=":material/monitoring:")
        return
    take_home(workspace, written)
    st.iframe(written, height=HEIGHT, alt="The report as others will see it")


def take_home(workspace: Workspace, written: str) -> None:
    """Offer the file, and say what is in it; figures everywhere are saved in the chosen format."""
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        name = f"{file_stem(workspace.project.name)}-report.html"
        parts.download("Download the report", written, name, "download_report", main=True)
        parts.figure_format()
    st.caption(
        f"{len(written.encode()) / 1e6:.1f} MB. {_about_truth(workspace)} On the command line, `mandoline report` "
        "makes the same file."
    )


def _about_truth(workspace: Workspace) -> str:
    if workspace.revealed:
        return "The truth was revealed, so the report shows it."
    return "The truth is not in it; it will be once you reveal it on the Estimate page."


main()
