"""The app's entry: page settings, navigation and the sidebar; a router, nothing more."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from app import compute
from app.project import state, visit
from app.views import frame, parts

# Pages in the order of the navigation, which has no headings: the framework's lists with them are no lists to a screen
# reader. Those beside it have links of their own.
VIEWS = {
    "Projects": ":material/folder_open:",
    "Data": ":material/table:",
    "Slices": ":material/content_cut:",
    "Result": ":material/monitoring:",
    "Track": ":material/timeline:",
    "Share": ":material/ios_share:",
}
BESIDE = {"Present": ":material/slideshow:", "Guide": ":material/menu_book:"}
# Addresses of earlier versions, and of the page that is at the root: the pages to go to, and what to open there.
MOVED: dict[str, tuple[str, dict[str, str]]] = {
    "result": ("Result", {}),
    "estimate": ("Result", {}),
    "trust": ("Result", {parts.TAB: "Checks"}),
    "compare": ("Result", {parts.TAB: "Methods"}),
    "report": ("Share", {}),
    "history": ("Slices", {"history": "open"}),
    "gallery": ("Projects", {"paper": "open"}),
    "corrections": ("Slices", {"chosen_view": "Reliability"}),
}


def main() -> None:
    """Draw the frame and run the chosen page."""
    st.set_page_config(page_title="Mandoline", page_icon=parts.ASSETS / "mark.svg", layout="wide")
    st.logo(str(parts.ASSETS / "logo.svg"), size="large", icon_image=str(parts.ASSETS / "mark.svg"))
    parts.style("style.css")
    # Pages are files, not functions: each keeps an address of its own, and `switch_page` and tests reach it by path. A
    # folder called `pages` would make the framework find them on its own, under its own names.
    pages = {title: _page(title, icon, shown=title in VIEWS) for title, icon in {**VIEWS, **BESIDE}.items()}
    moved = [_moved(old, pages[new], opened) for old, (new, opened) in MOVED.items()]
    signed_in = frame.is_signed_in()
    page = st.navigation([*pages.values(), *moved], position="sidebar" if signed_in else "hidden", expanded=True)
    if not signed_in:
        frame.ask_to_sign_in()
        return
    if page in moved:
        page.run()
    with parts.stopping():
        if state.follows_dead_link():
            visit.remember("lost", "yes")
            st.query_params.clear()
            st.switch_page(pages["Projects"])
        needs_project = page not in (pages["Projects"], pages["Guide"])
        at_home = state.comes_home() if page == pages["Projects"] else not needs_project and state.names_no_project()
        at_home = at_home or bool(visit.remember("lost"))
        if page == pages["Result"] and state.comes_home():
            st.switch_page(pages["Projects"])
        if not at_home:
            state.head()  # without a store and a project in it there is nothing to show but why
    with parts.boundary():
        frame.sidebar(at_home=at_home)
    frame.show_tour(page.title)
    with parts.boundary():
        if needs_project:
            compute.wait_for_tables()  # parts of a page that are drawn on their own could not say it
        page.run()


def _page(title: str, icon: str, *, shown: bool) -> StreamlitPage:
    """Find a page by its title: its folder, its file and its address are called like it."""
    name = title.lower()
    return st.Page(
        f"views/{name}/{name}.py",
        title=title,
        icon=icon,
        default=title == "Result",
        # It is at the root. The framework reserves the name of its file for it, and finds nothing there: see MOVED.
        url_path="home" if title == "Result" else None,
        visibility="visible" if shown else "hidden",
    )


def _moved(old: str, page: StreamlitPage, opened: dict[str, str]) -> StreamlitPage:
    """Lead from an address that people may have kept to the page in its place, with the same project."""

    def lead() -> None:
        for name, what in opened.items():
            visit.remember(name, what)
        st.switch_page(page, query_params=dict(st.query_params))

    return st.Page(lead, title=page.title, url_path=old, visibility="hidden")


main()
