"""Driving the app's pages: open, press, read what they say."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from app.project import state
from mandoline_core import Project, load_project
from tests.core.projects import REVIEWS

TAGS = re.compile(r"<style>.*?</style>|<[^>]*>", re.DOTALL)
MAIN = Path(__file__).parents[2] / "app" / "main.py"
RESULT = "views/result/result.py"  # at the root: where nothing leads elsewhere


def open_app(path: Path | None = None, page: str = "", view: str = "", tab: str = "") -> AppTest:
    """Open the app on the reviews sample, or on a project that is saved already; on Slices, a view of the first.

    A tab is one of the result's.
    """
    app = AppTest.from_file(str(MAIN), default_timeout=60)
    project = load_project(path or REVIEWS)
    if page and page != RESULT:
        app.switch_page(page)
    if view:
        app.session_state["kept:chosen_view"] = view
    if tab:
        app.session_state["kept:result_tab"] = tab
    if path is not None:
        app.query_params["project"] = state.store().create(state._document(project))
    return run(app)


def choose(app: AppTest, name: str, view: str = "") -> AppTest:
    """Choose a slice in the list, and a view of it."""
    app.session_state["kept:editing"] = name
    if view:
        app.session_state["kept:chosen_view"] = view
    return run(app)


def look_at(app: AppTest, tab: str) -> AppTest:
    """Turn to a tab of the result."""
    app.session_state["kept:result_tab"] = tab
    return run(app)


def run(app: AppTest) -> AppTest:
    """Run the app; whatever it shows, it must not fail."""
    app.run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """Return what the page says."""
    kinds = (app.markdown, app.caption, app.error, app.warning, app.info, app.success)
    written = [str(element.value) for kind in kinds for element in kind]
    written += [TAGS.sub("", element.proto.body) for element in app.get("html")]
    return "\n".join(written).replace("\\", "")


def numbers(app: AppTest) -> dict[str, str]:
    """Return the large numbers by their labels."""
    return {metric.label: metric.value for metric in app.metric}


def labels(app: AppTest) -> list[str]:
    """Return the words on the buttons."""
    return [button.label.replace("\\", "") for button in app.button]


def press(app: AppTest, label: str) -> AppTest:
    """Press the button with a label."""
    (button,) = [button for button in app.button if button.label.replace("\\", "") == label]
    button.click()
    return run(app)


def offered(app: AppTest, start: str) -> str:
    """Return the words on the first button that starts with some of them: what follows says what it will do."""
    return next(label for label in labels(app) if label.startswith(start))


def add(app: AppTest, kind: str) -> AppTest:
    """Add a slice of a kind from the menu."""
    app.menu_button(key="add_kind").click(kind)
    return run(app)


def type_line(app: AppTest, line: str) -> AppTest:
    """Type a rule into the line above the slices, and press Enter."""
    app.text_input(key="add_line").set_value(line)
    return run(app)


def current(app: AppTest) -> Project:
    """Return the project as it is saved."""
    return state._project(state.store().head(project_id(app)).document)


def project_id(app: AppTest) -> str:
    """Return the id in the page's link."""
    found = app.query_params["project"]
    return found if isinstance(found, str) else found[0]
