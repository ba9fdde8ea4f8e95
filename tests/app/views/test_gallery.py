"""The paper's examples on the Projects page: one at a time, its numbers beside ours, runs of one's own, projects."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.compute.jobs import Job, jobs
from app.project import state
from mandoline_core.paper import EXPERIMENTS, stored
from tests.app.pages import current, labels, open_app, press, project_id, run, said

PAGE = "views/projects/projects.py"
SESSION = "test session id"  # the framework's, of every AppTest


def open_page() -> AppTest:
    """Open the page and the examples."""
    app = open_app(page=PAGE)
    app.session_state["kept:paper"] = "open"
    return run(app)


def choose(app: AppTest, name: str) -> AppTest:
    """Click an experiment."""
    app.pills(key="experiment_chosen").set_value(name)
    return run(app)


def run_of(app: AppTest) -> Job:
    """Return the run that belongs to the page's project."""
    found = jobs().get(("experiment", SESSION))
    assert found is not None
    return found


def test_it_opens_on_kept_numbers_and_says_how_they_were_made() -> None:
    app = open_page()
    text, first = said(app), next(iter(EXPERIMENTS.values()))
    assert first.place in text
    assert "in a full run with" in text
    assert "Differences from the paper." in text
    (table,) = [frame.value for frame in app.dataframe if "ours" in frame.value.columns]
    kept = stored(first.name)
    assert kept is not None
    assert len(table) == len(kept.rows)
    assert "the paper" in table.columns
    assert "Mandoline" in set(table["method"])


def test_what_is_measured_is_chosen_above_the_table() -> None:
    app = choose(open_page(), "theorem")
    app.selectbox(key="measure:theorem").set_value("share of worlds where it holds")
    (table,) = [frame.value for frame in run(app).dataframe if "ours" in frame.value.columns]
    assert list(table) == ["world", "rows", "ours"]
    assert len(table) == 36


def test_it_speaks_of_labelled_and_new_data() -> None:
    text = said(open_page())
    assert "75% of the labelled data to 25% of the new data" in text


def test_each_click_shows_another_experiment_and_the_choice_stays() -> None:
    app = open_page()
    for name in ("theorem", "noisy-slices", "independent-slices"):
        assert EXPERIMENTS[name].title in "\n".join(one.value for one in choose(app, name).subheader)
    app.switch_page("views/slices/slices.py")
    run(app)
    app.switch_page(PAGE)
    assert EXPERIMENTS["independent-slices"].title in "\n".join(one.value for one in run(app).subheader)


def test_an_experiment_runs_again_in_the_background() -> None:
    app = choose(open_page(), "independent-slices")
    press(app, "Run again")
    run_of(app).wait(120)
    text = said(run(app))
    assert "in a quick run with 2 seeds" in text
    app.segmented_control(key="numbers:independent-slices").set_value("Included")
    assert "in a full run with" in said(run(app))


def test_a_run_is_stopped_and_kept_numbers_stay() -> None:
    app = choose(open_page(), "theorem")
    app.segmented_control(key="experiment_way").set_value("Full (minutes)")
    press(run(app), "Run again")
    found = run_of(app)
    assert "the error and its bound" in "\n".join(str(one.text) for one in app.get("progress"))
    press(app, "Cancel")
    assert found.stopped
    found.wait(60)
    assert "in a full run with" in said(run(app))
    assert "Run again" in labels(app)


def test_another_experiment_waits_for_the_one_that_runs() -> None:
    app = choose(open_page(), "theorem")
    app.segmented_control(key="experiment_way").set_value("Full (minutes)")
    press(run(app), "Run again")
    choose(app, "noisy-slices")
    (button,) = [button for button in app.button if button.label == "Run again"]
    assert button.disabled
    press(app, "Cancel")


def test_its_data_open_as_a_project() -> None:
    app = press(choose(open_page(), "support-shift"), "Open as a project")
    project = current(app)
    assert project.name == "support-shift"
    assert "spurious" in project.trust.harmless
    (entry,) = [one for one in state.store().entries() if one.id == project_id(app)]
    assert Path(state.project_in(entry).source_path).is_file()


@pytest.mark.parametrize("name", ["theorem", "runtime"])
def test_an_experiment_without_data_offers_no_project(name: str) -> None:
    assert "Open as a project" not in labels(choose(open_page(), name))


def test_experiments_on_published_files_say_which() -> None:
    app = choose(open_page(), "blurry")
    shown = "\n".join(block.value for block in app.code)
    assert "mandoline reproduce blurry --data DIR" in shown
    assert "list_attr_celeba.txt" in shown
