"""The app's entry: page settings, navigation and the sidebar; a router, nothing more."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from app.views import parts

VIEWS = {
    "Data": ":material/table:",
    "Slices": ":material/content_cut:",
    "Corrections": ":material/tune:",
    "Estimate": ":material/monitoring:",
    "Compare": ":material/compare_arrows:",
    "Trust": ":material/verified_user:",
}


def main() -> None:
    """Draw the frame and run the chosen page."""
    st.set_page_config(page_title="Mandoline", page_icon=":material/content_cut:", layout="wide")
    page = st.navigation([_page(title, icon) for title, icon in VIEWS.items()])
    with parts.boundary():
        parts.sidebar()
        page.run()


def _page(title: str, icon: str) -> StreamlitPage:
    """Find a page by its title: its folder, its file and its address are called like it."""
    name = title.lower()
    return st.Page(f"views/{name}/{name}.py", title=title, icon=icon, default=title == "Estimate")


main()
