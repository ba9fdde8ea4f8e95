"""Present: the slides that the browser is given, and what somebody who may only look is not given."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from streamlit.testing.v1 import AppTest

import mandoline_core as md
from app import compute
from app.project import links, state
from mandoline_core import DecisionSettings
from mandoline_core.formatting import show_value
from tests.app.pages import open_app, project_id, run
from tests.core.projects import REVIEWS, write_project

PAGE = "views/present/present.py"


def slides(app: AppTest) -> list[dict[str, Any]]:
    """Read what the page gives to the browser."""
    (deck,) = app.get("bidi_component")
    found: list[dict[str, Any]] = json.loads(deck.proto.json)["slides"]
    return found


def looked_at(app: AppTest, page: str = PAGE) -> AppTest:
    """Open the same project by its link for looking."""
    guest = AppTest.from_file(app._script_path, default_timeout=60)
    guest.query_params["view"] = state.store().sharing.share(project_id(app), "view")
    return run(guest.switch_page(page))


def written(app: AppTest) -> str:
    return json.dumps(slides(app), ensure_ascii=False)


def test_the_slides_are_the_reports(folder: Path) -> None:
    path = write_project(folder, {"decision": {"threshold": 0.7, "owner": "Ada"}, "note": "Mention the holidays."})
    app = open_app(path, PAGE)
    report = md.estimate(md.load_project(path))
    told = written(app)
    for value in (report.source, report.estimate):
        assert show_value(value, share=True) in told
    assert "Owner: Ada" in told
    assert "accuracy of at least 70.0%" in told
    assert "Mention the holidays." in slides(app)[0]["notes"]
    assert not app.title


def test_who_may_only_look_gets_no_notes_no_rows_and_no_truth(folder: Path) -> None:
    """Unless somebody who may edit has shown them."""
    app = open_app(write_project(folder, {"note": "Mention the holidays."}), PAGE)
    truth, row = "The true value is", "it is not good at all"
    assert truth in written(app)
    assert row in written(app)
    assert "holidays" in written(app)
    guest = looked_at(app)
    for private in (truth, row, "holidays", project_id(app), str(folder)):
        assert private not in written(guest)
    assert not any(slide["notes"] for slide in slides(guest))

    state.store().amend(project_id(app), {"revealed": True, compute.EXAMPLES: "everyone"})
    told = written(looked_at(app))
    assert truth in told
    assert row in told
    assert "holidays" not in told
    state.store().amend(project_id(app), {compute.EXAMPLES: "nobody"})
    assert row not in written(run(app))


def test_without_an_estimate_the_page_says_why_and_leads_back(folder: Path) -> None:
    app = open_app(write_project(folder, {"slices": []}), PAGE)
    assert len(app.error) == 1
    assert not app.get("bidi_component")
    assert "Go to Share" in [link.proto.label for link in app.get("page_link")]


def test_the_link_to_share_leads_to_the_slides_and_no_further(folder: Path) -> None:
    app = open_app(write_project(folder), "views/share/share.py")
    (code,) = [code.value for code in app.main.get("code")]
    parts = urlsplit(code)
    assert parts.path.endswith("present")
    (token,) = parse_qs(parts.query)["view"]
    assert state.store().sharing.leads_to("view", token) == project_id(app)
    assert project_id(app) not in code
    guest = looked_at(app, "views/share/share.py")
    assert [code.value for code in guest.main.get("code")] == [code]
    assert not guest.segmented_control(key="figure_format").disabled
    assert compute.EXAMPLES not in [control.key for control in guest.segmented_control]
    assert not guest.main.number_input


def test_the_decision_is_kept_with_the_project(folder: Path) -> None:
    """As one edit each, in the file, the slides and the report."""
    app = open_app(write_project(folder), "views/share/share.py")
    app.number_input(key="decision_threshold").set_value(72.5)
    run(app)
    app.text_input(key="decision_owner").set_value(" Ada ")
    run(app)
    app.text_area(key="decision_sign_off").set_value("Head of risk\n\nAuditor")
    run(app)
    workspace = state.store().head(project_id(app))
    project = state._project(workspace.document)
    assert project.decision == DecisionSettings(threshold=0.725, owner="Ada", sign_off=("Head of risk", "Auditor"))
    assert workspace.label == "edit sign-off"
    app.switch_page(PAGE)
    assert "accuracy of at least 72.5%" in written(run(app))
    app.switch_page("views/share/share.py")
    run(app).number_input(key="decision_threshold").set_value(None)
    run(app)
    project = state._project(state.store().head(project_id(app)).document)
    assert project.decision == replace(DecisionSettings(), owner="Ada", sign_off=("Head of risk", "Auditor"))


def test_a_project_of_several_models_is_told_of_the_one_on_show(folder: Path) -> None:
    app = open_app(write_project(folder), PAGE)
    assert "How well does lr do" in slides(app)[0]["title"]
    state.store().amend(project_id(app), {"model": "nb"})
    assert "How well does nb do" in slides(run(app))[0]["title"]


def test_the_sample_has_slides() -> None:
    app = open_app(REVIEWS, PAGE)
    assert [slide["title"] for slide in slides(app)][-1].startswith("The true value is 79.0%")
    assert links.slides_link() == "" or "present" in links.slides_link()
