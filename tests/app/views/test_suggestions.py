"""Suggestions on the Slices page: what is shown is the library's; preview saves nothing, accept can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.compute import slice_suggestions
from app.compute.jobs import jobs, results
from app.views.slices import suggestions as view
from mandoline_core import Slice, Suggestion, suggest
from mandoline_core.formatting import show_interval, show_value
from tests.app.pages import current, labels, open_app, press, run, said
from tests.core.projects import LONG, write_project


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forget earlier suggestions, and end what looks for them."""
    results.clear()
    jobs.clear()
    yield
    for left in jobs().values():
        left.stop()
        left.wait(30)


def wait(app: AppTest) -> AppTest:
    """Wait until suggestions for the project as it stands are there."""
    for found in jobs().values():
        found.wait(60)
    return run(app)


@pytest.fixture
def opened(folder: Path) -> AppTest:
    """Open the suggestions of a project that says nothing of a word which the new rows have more often."""
    path = write_project(folder, {"slices": [LONG], "edges": None})
    app = open_app(path, "views/slices/slices.py")
    app.session_state[view.KEY] = True
    run(app)
    return wait(app)


def best(app: AppTest) -> Suggestion:
    """Ask the library for the first suggestion."""
    return suggest(current(app), most=slice_suggestions.MOST_SHOWN).suggestions[0]


def test_suggestions_are_the_librarys_with_rule_effect_and_reason(opened: AppTest) -> None:
    first = best(opened)
    trial = first.first
    assert first.words in said(opened)
    assert {"Preview", "Add", "Dismiss"} <= set(labels(opened))
    row = next(element.proto.body for element in opened.get("html") if 'class="ghost"' in element.proto.body)
    opened.button(key="preview:0").click()
    for text in (row, said(run(opened))):
        assert show_interval(trial.estimate, trial.interval, share=True).split(" (")[1] in text
        assert f"{trial.effective_sample_size:,.0f} effective rows" in text


def test_a_preview_shows_the_estimate_as_if_accepted_and_saves_nothing(opened: AppTest) -> None:
    before, first = current(opened), best(opened)
    opened.button(key="preview:0").click()
    run(opened)
    pictures = [element.proto.body for element in opened.get("html")]
    (shown,) = [body for body in pictures if "The estimate as if accepted" in body]
    assert show_value(first.first.estimate, share=True) in shown
    assert current(opened) == before


def test_what_is_accepted_is_a_slice_with_its_reason_and_can_be_undone(opened: AppTest) -> None:
    before, first = current(opened), best(opened)
    assert isinstance(first.rule, Slice)
    opened.button(key="accept:0").click()
    run(opened)
    *others, added = current(opened).slices
    assert others == list(before.slices)
    assert added.key == first.rule.key
    assert added.note == str(first.reason)
    assert labels(opened).count("Added") == 1  # its row stays where it was, while others are looked for and after
    wait(opened)
    assert first.words not in [one.words for one in results().values()[-1].suggestions]
    assert opened.button(key="accept:0").label == "Added"
    assert opened.button(key="accept:0").disabled
    press(opened, "Undo")
    assert current(opened) == before


def test_what_is_refused_for_good_is_not_suggested_again_until_it_is_allowed(opened: AppTest) -> None:
    first = best(opened)
    opened.button(key="never:0").click()
    run(opened)
    wait(opened)
    found = results().values()[-1].suggestions
    assert first.name not in [one.name for one in found]
    press(opened, f"Suggest again: {first.name}")
    wait(opened)
    assert first.words in said(opened)


def test_nothing_is_looked_for_before_somebody_wants_it(folder: Path) -> None:
    open_app(write_project(folder), "views/slices/slices.py")
    assert not jobs().values()
