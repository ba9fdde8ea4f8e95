"""The app's entry: page settings, navigation and the sidebar; a router, nothing more."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from app import compute
from app.project import state
from app.views import frame, parts

VIEWS = {
    "Projects": ":material/folder_open:",
    "Data": ":material/table:",
    "Slices": ":material/content_cut:",
    "Corrections": ":material/tune:",
    "Estimate": ":material/monitoring:",
    "Compare": ":material/compare_arrows:",
    "Trust": ":material/verified_user:",
    "Track": ":material/timeline:",
    "Report": ":material/description:",
    "Present": ":material/slideshow:",
    "History": ":material/history:",
    "Gallery": ":material/collections:",
}


def main() -> None:
    """Draw the frame and run the chosen page."""
    st.set_page_config(page_title="Mandoline", page_icon=parts.ASSETS / "mark.svg", layout="wide")
    st.logo(str(parts.ASSETS / "logo.svg"), size="large", icon_image=str(parts.ASSETS / "mark.svg"))
    parts.style("style.css")
    # Pages are files, not functions: each keeps an address of its own, and `switch_page` and tests reach it by path. A
    # folder called `pages` would make the framework find them by itself, under names of its own.
    pages = {title: _page(title, icon) for title, icon in VIEWS.items()}
    signed_in = frame.is_signed_in()
    page = st.navigation(list(pages.values()), position="sidebar" if signed_in else "hidden")
    if not signed_in:
        frame.ask_to_sign_in()
        return
    with parts.stopping():
        at_home = page == pages["Projects"] and state.comes_home()
        if page == pages["Estimate"] and state.comes_home():
            st.switch_page(pages["Projects"])
        if not at_home:
            state.head()  # without a store and a project in it there is nothing to show but why
    with parts.boundary():
        frame.sidebar(at_home=at_home)
    frame.show_tour(page.title)
    with parts.boundary():
        if page != pages["Projects"]:
            compute.wait_for_tables()  # parts of a page that are drawn by themselves could not say it
        page.run()


def _page(title: str, icon: str) -> StreamlitPage:
    """Find a page by its title: its folder, its file and its address are called like it."""
    name = title.lower()
    return st.Page(f"views/{name}/{name}.py", title=title, icon=icon, default=title == "Estimate")


main()
