"""Driving the app's pages: open, press, read what they say."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from app.project import state
from mandoline_core import Project, load_project

MAIN = Path(__file__).parents[2] / "app" / "main.py"


def open_app(path: Path | None = None, page: str = "") -> AppTest:
    """Open the app on the reviews sample, or on a project that is saved already."""
    app = AppTest.from_file(str(MAIN), default_timeout=60)
    if page:
        app.switch_page(page)
    if path is not None:
        app.query_params["project"] = state.store().create(state._document(load_project(path)))
    return run(app)


def run(app: AppTest) -> AppTest:
    """Run the app; whatever it shows, it must not fail."""
    app.run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """Return what the page says."""
    kinds = (app.markdown, app.caption, app.error, app.warning, app.info, app.success)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")


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


def current(app: AppTest) -> Project:
    """Return the project as it is saved."""
    return state._project(state.store().head(project_id(app)).document)


def project_id(app: AppTest) -> str:
    """Return the id in the page's link."""
    found = app.query_params["project"]
    return found if isinstance(found, str) else found[0]
