"""The app's entry: page settings, navigation and the sidebar; a router, nothing more."""

from __future__ import annotations

import streamlit as st

from app import parts

VIEWS = (
    ("views/data.py", "Data", ":material/table:"),
    ("views/slices.py", "Slices", ":material/content_cut:"),
    ("views/corrections.py", "Corrections", ":material/tune:"),
    ("views/estimate.py", "Estimate", ":material/monitoring:"),
    ("views/compare.py", "Compare", ":material/compare_arrows:"),
    ("views/trust.py", "Trust", ":material/verified_user:"),
)


def main() -> None:
    """Draw the frame and run the chosen page."""
    st.set_page_config(page_title="Mandoline", page_icon=":material/content_cut:", layout="wide")
    pages = [st.Page(path, title=title, icon=icon, default=title == "Estimate") for path, title, icon in VIEWS]
    page = st.navigation(pages)
    with parts.boundary():
        parts.sidebar()
        page.run()


main()
