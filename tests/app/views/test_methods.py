"""The methods on the Result page: caution first, every method side by side, slow ones on request, models ranked."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app import compute
from app.compute.jobs import jobs, results
from app.project import state
from app.words import comparison as words
from mandoline_core import dump_project, estimate, load_project
from mandoline_core.checks import second_opinion_on
from mandoline_core.comparison.results import Difference, Entry, ModelComparison
from mandoline_core.data import take_step
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.baselines import Source
from mandoline_core.estimators.registry import ESTIMATORS
from mandoline_core.formatting import show_ends
from mandoline_core.metrics.registry import get_metric
from mandoline_core.pipeline import SelfTest
from mandoline_core.report.words import methods as worded
from mandoline_core.report.words import title_of
from mandoline_core.weighting.problem import Problem
from tests.app.pages import current, labels, look_at, open_app, press, project_id, run, said
from tests.core.checks.test_second_opinion import write_hidden
from tests.core.projects import LONG, NEGATION, write_project

PAGE = "views/result/result.py"
RUN = "Run the methods on columns (a few seconds)"


class Slow(Source):
    """A method on columns that waits until it is let go, and says 5 points less than the source."""

    needs: tuple[str, ...] = ("features",)
    slow = True

    def __init__(self, name: str) -> None:
        self.name, self.title = name, f"Slow method {name}"
        self.begun, self.free = threading.Event(), threading.Event()

    def estimate(self, problem: Problem) -> Outcome:
        """Wait, in steps as a real method has, and answer."""
        self.begun.set()
        while not self.free.wait(0.01):
            take_step()
        outcome = super().estimate(problem)
        return replace(outcome, value=outcome.value - 0.05)


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Slow, Slow]]:
    """Put two slow methods in the place of those there are, and forget what earlier tests found."""
    results.clear()
    jobs.clear()
    for name in [name for name in ESTIMATORS if compute.pace_of(name) == "slow"]:
        monkeypatch.delitem(ESTIMATORS, name)
    found = Slow("one"), Slow("two")
    for method in found:
        monkeypatch.setitem(ESTIMATORS, method.name, method)
    yield found
    for method in found:
        method.free.set()
    for left in jobs().values():
        left.wait(30)


def open_page(path: Path | None = None) -> AppTest:
    """Open the page, and look again once the quick methods have answered."""
    app = open_app(path, PAGE, tab="Methods")
    return wait(app, "quick") if jobs().get(("quick", project_id(app))) else app


def methods(app: AppTest) -> pd.DataFrame:
    """Return the table of methods."""
    return next(frame.value for frame in app.dataframe if "assumes" in frame.value.columns).set_index("method")


def wait(app: AppTest, pace: str = "slow") -> AppTest:
    """Wait until methods have run, and look again."""
    found = jobs().get((pace, project_id(app)))
    assert found is not None
    found.wait(60)
    assert not found.running
    return run(app)


def test_methods_that_cost_nothing_run_at_once_with_the_librarys_numbers(folder: Path) -> None:
    path = write_project(folder)
    table = methods(open_page(path))
    report = estimate(load_project(path)).first
    assert table.loc["Score on labelled data", "estimate"] == pytest.approx(100 * report.source)
    assert table.loc["Mandoline", "estimate"] == pytest.approx(100 * report.estimate)
    assert table.loc["Slow method one", "note"] == "Runs on request."


def test_the_page_begins_with_how_far_the_methods_agree(folder: Path) -> None:
    text = said(open_page(write_project(folder)))
    assert re.search(
        r"Methods with the same assumption (agree within [\d.]+ points\.|disagree by [\d.]+ points: )", text
    )


def test_the_page_says_the_second_opinion(folder: Path) -> None:
    """Where slices do not explain the change, in those words; and what was chosen stays chosen."""
    path = write_hidden(folder)
    app = open_page(path)
    assert "Second opinion: Doubly robust gives" in said(app)
    opinion = second_opinion_on(estimate(load_project(path)).first)
    assert opinion is not None
    shown = app.dataframe[0].value.set_index("method").loc[title_of("second_opinion")]
    assert shown["estimate"] == pytest.approx(100 * opinion.estimate)
    assert shown["interval"] == show_ends(opinion.interval, share=True)
    assert current(app).estimator.name == "mandoline"


def test_the_download_keeps_every_digit(folder: Path) -> None:
    """The screen shows hundredths to one place; the table behind it holds the numbers themselves."""
    found = compared(0.7812345, 0.8, 0.02)
    table = words.method_table(found, [])
    assert table["estimate"].tolist() == [0.1, 0.7812345, 0.8]
    shown = words.shown_table(table, share=True)
    assert shown["estimate"].tolist() == pytest.approx([10.0, 78.12345, 80.0])
    assert shown["interval"].tolist() == ["8.0 to 12.0", "76.1 to 80.1", "78.0 to 82.0"]


def test_what_does_not_apply_says_why(folder: Path) -> None:
    note = methods(open_page(write_project(folder))).loc["Your own domain classifier (CBIW)", "note"]
    assert note.startswith("Does not apply: No column with a domain classifier's probabilities.")


def test_the_change_is_said_in_words(folder: Path) -> None:
    table = methods(open_page(write_project(folder)))
    assert table.loc["Mandoline", "change"].startswith("down ")
    assert table.loc["Score on labelled data", "change"] == "unchanged"


def test_errors_show_only_once_the_truth_was_asked_for(folder: Path) -> None:
    app = open_page(write_project(folder))
    assert "error" not in methods(app)
    assert "reveal the truth" in said(look_at(app, "Models"))
    look_at(app, "Methods")
    state.store().amend(project_id(app), {**state.store().head(project_id(app)).document, "revealed": True})
    table = methods(run(app))
    assert table.loc["Score on labelled data", "error"].endswith(" points")
    ranking = next(frame.value for frame in look_at(app, "Models").dataframe if "tau" in frame.value.columns)
    assert set(ranking["tau"]) <= {-1.0, 1.0}


def test_labels_in_the_target_stay_hidden_until_asked_for(folder: Path) -> None:
    target = pd.read_csv(write_project(folder).parent / "target.csv")
    target["label"] = pd.read_csv(folder / "target_labels.csv")["label"]
    path = write_project(folder, {"target": {"path": "target.csv"}}, target=target)
    app = open_page(path)
    assert "error" not in methods(app)
    assert not [frame for frame in look_at(app, "Models").dataframe if "tau" in frame.value.columns]


@pytest.fixture
def laggard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    """Add a method that nobody has to ask for and that takes its time."""
    found = Slow("laggard")
    found.needs, found.slow, found.seconds = (), False, 2.0  # after all others
    monkeypatch.setitem(ESTIMATORS, found.name, found)
    yield found
    found.free.set()


def test_answers_are_shown_while_others_are_still_to_come(folder: Path, laggard: Slow) -> None:
    """Quick ones first; a stop is a stop until somebody goes on, and models are ranked at the end."""
    app = open_app(write_project(folder), PAGE, tab="Methods")
    assert laggard.begun.wait(30)
    text, table = said(run(app)), methods(app)
    assert "methods are done. Running: Slow method laggard." in text
    assert table.loc["Mandoline", "estimate"] > 0
    assert table.loc["Slow method laggard", "note"] == "Running."
    assert "Ranking waits for 2 estimates." in said(look_at(app, "Models"))
    look_at(app, "Methods")
    press(app, "Cancel")
    found = jobs().get(("quick", project_id(app)))
    assert found is not None
    found.wait(30)
    assert "Cancelled. Finished steps are kept." in said(run(app))
    assert jobs().get(("quick", project_id(app))) is found
    laggard.free.set()
    press(app, "Resume")
    table = methods(wait(app, "quick"))
    assert table.loc["Slow method laggard", "estimate"] > 0
    assert "By **Mandoline**:" in said(look_at(app, "Models"))


def test_an_edit_ends_what_is_no_longer_asked(folder: Path, laggard: Slow) -> None:
    app = open_app(write_project(folder), PAGE, tab="Methods")
    assert laggard.begun.wait(30)
    old = jobs().get(("quick", project_id(app)))
    document = state.store().head(project_id(app)).document
    text = dump_project(replace(current(app), slices=current(app).slices[:1]))
    state.store().save(project_id(app), {**document, "toml": text}, "edit")
    run(app)
    assert old is not None
    assert old.stopped
    new = jobs().get(("quick", project_id(app)))
    assert new is not None
    assert new is not old
    assert not new.stopped


def test_slow_methods_run_on_request_for_every_model(folder: Path, slow: tuple[Slow, Slow]) -> None:
    app = press(open_page(write_project(folder)), RUN)
    assert "Cancel" in labels(app)
    assert RUN not in labels(app)
    for method in slow:
        method.free.set()
    wait(app)
    table = methods(app)
    for name in ("Slow method one", "Slow method two"):
        assert table.loc[name, "estimate"] == pytest.approx(table.loc["Score on labelled data", "estimate"] - 5)
    assert RUN not in labels(app)
    models = look_at(app, "Models").dataframe
    ranking = next(frame.value for frame in models if "models, best first" in frame.value.columns)
    assert ranking.set_index("method").loc["Slow method two", "models, best first"] == "lr, nb"


def test_stopping_keeps_what_is_done(folder: Path, slow: tuple[Slow, Slow]) -> None:
    one, two = slow
    one.free.set()
    app = press(open_page(write_project(folder)), RUN)
    assert two.begun.wait(30)
    press(app, "Cancel")
    wait(app)
    table = methods(app)
    assert table.loc["Slow method one", "estimate"] > 0
    assert table.loc["Slow method two", "note"] == "Runs on request."
    assert "Cancelled. Finished steps are kept." in said(app)
    assert RUN in labels(app)


def test_slow_answers_outlive_what_they_do_not_depend_on(folder: Path, slow: tuple[Slow, Slow]) -> None:
    for method in slow:
        method.free.set()
    app = press(open_page(write_project(folder)), RUN)
    wait(app)
    for edit in (
        lambda project: replace(project, slices=project.slices[:1]),
        lambda project: replace(project, estimator=replace(project.estimator, name="simple")),
    ):
        document = state.store().head(project_id(app)).document
        text = dump_project(edit(current(app)))
        state.store().save(project_id(app), {**document, "toml": text}, "edit")
        assert methods(run(app)).loc["Slow method one", "estimate"] > 0
    app.number_input(key="methods:max_rows:set").set_value(200)
    assert methods(run(app)).loc["Slow method one", "note"] == "Runs on request."


def test_a_run_that_nobody_needs_any_more_is_stopped(folder: Path, slow: tuple[Slow, Slow]) -> None:
    app = press(open_page(write_project(folder)), RUN)
    assert slow[0].begun.wait(30)
    app.number_input(key="methods:max_rows:set").set_value(200)
    run(app)
    found = jobs().get(("slow", project_id(app)))
    assert found is not None
    assert found.stopped
    assert RUN in labels(app)


def test_a_method_can_be_taken_for_the_estimate_and_undo_brings_the_other_back(folder: Path) -> None:
    app = open_page(write_project(folder))
    assert "Use this method" not in labels(app)
    app.selectbox(key="picked").set_value("simple")
    press(run(app), "Use this method")
    assert current(app).estimator.name == "simple"
    assert "In use." in said(app)
    press(app, "Undo")
    assert current(app).estimator.name == "mandoline"


def test_only_methods_that_apply_can_be_taken(folder: Path) -> None:
    options = open_page(write_project(folder)).selectbox(key="picked").options
    assert "Post-stratification on slices (Simple)" in options
    assert "Your own domain classifier (CBIW)" not in options
    assert "Slow method one" not in options


def test_two_models_are_compared_on_the_same_rows(folder: Path) -> None:
    text = said(look_at(open_page(write_project(folder)), "Models"))
    assert "By **Mandoline**:" in text
    assert "better" in text
    assert "same rows." in text


def test_one_model_cannot_be_ranked_and_that_is_said(folder: Path) -> None:
    app = open_page(write_project(folder, {"models": [{"name": "lr", "prediction": "pred_lr"}]}))
    look_at(app, "Models")
    assert "Ranking needs a second model" in said(app)
    assert not [frame for frame in app.dataframe if "models, best first" in frame.value.columns]


def test_without_slices_the_methods_on_slices_say_so_and_others_still_run(folder: Path) -> None:
    app = open_page(write_project(folder, {"slices": None}))
    table = methods(app)
    assert "There are no slices" in table.loc["Mandoline", "note"]
    assert table.loc["Score on labelled data", "estimate"] > 0
    assert "methods that need slices do not apply" in said(app)


def test_a_broken_slice_is_one_sentence_and_no_crash(folder: Path) -> None:
    app = open_page(write_project(folder, {"slices": [{**LONG, "column": "n_wrods"}]}))
    assert "Did you mean 'n_words'?" in said(app)


def test_a_mean_without_a_model_is_compared_in_plain_numbers(folder: Path) -> None:
    path = write_project(folder, {"models": None, "metric": {"name": "mean", "column": "n_words"}})
    app = open_page(path)
    assert methods(app).loc["Score on labelled data", "estimate"] > 1
    assert "Ranking needs a second model" in said(look_at(app, "Models"))


def test_a_model_whose_answers_are_gone_is_one_sentence_and_leads_on(folder: Path) -> None:
    app = open_page(write_project(folder))
    source = pd.read_csv(folder / "source.csv").drop(columns="pred_lr")
    source.to_csv(folder / "source.csv", index=False)
    run(app)
    assert "pred_lr" in said(app)
    assert app.error
    assert not app.dataframe


def test_missing_data_are_one_sentence(folder: Path) -> None:
    path = write_project(folder)
    app = open_page(path)
    (folder / "source.csv").unlink()
    assert run(app).error


def test_a_setting_that_cannot_be_is_refused_beside_its_control(folder: Path) -> None:
    app = open_page(write_project(folder))
    app.number_input(key="methods:width:empty").set_value(0.0)
    assert "width must be between 0.0001 and 10,000. Got 0.0." in said(run(app))
    assert current(app).methods.width is None
    app.number_input(key="methods:width:empty").set_value(2.5)
    assert "width must be" not in said(run(app))
    assert current(app).methods.width == 2.5
    assert app.number_input(key="methods:width:set").value == 2.5
    press(app, "Undo")
    assert current(app).methods.width is None
    assert app.number_input(key="methods:width:empty").value is None


def test_columns_are_all_but_labels_and_answers_until_chosen(folder: Path) -> None:
    app = open_page(write_project(folder))
    assert app.multiselect(key="methods:features").value == ["text", "n_words", "channel"]
    assert "Left out: pred_lr (a prediction of model 'lr')" in said(app)
    app.multiselect(key="methods:features").set_value(["channel"])
    run(app)
    assert current(app).methods.features == ("channel",)
    app.multiselect(key="methods:features").set_value(["channel", "text", "n_words"])
    run(app)
    assert current(app).methods.features == ()


def test_a_chosen_column_that_is_not_there_is_said(folder: Path) -> None:
    app = open_page(write_project(folder, {"methods": {"features": ["gone"]}}))
    assert "Column gone is not in source.csv." in said(app)


def test_a_column_of_scores_that_holds_none_is_the_methods_reason(folder: Path) -> None:
    app = open_page(write_project(folder))
    app.selectbox(key="methods:scores:empty").set_value("n_words")
    note = methods(run(app)).loc["Your own domain classifier (CBIW)", "note"]
    assert note.startswith("Does not apply: Column 'n_words' of source.csv has")
    assert current(app).methods.scores == "n_words"


def test_names_cannot_smuggle_markup_in(folder: Path) -> None:
    models = [{"name": "*l* [a](b)", "prediction": "pred_lr"}, {"name": "nb", "prediction": "pred_nb"}]
    app = open_page(write_project(folder, {"models": models, "slices": [NEGATION]}))
    texts = [str(element.value) for kind in (app.markdown, app.caption) for element in kind]
    assert any(r"\*l\* \[a\](b)" in text for text in texts)
    assert not any("*l* [a](b)" in text for text in texts)


def compared(low: float, high: float, half: float, metric: str = "accuracy") -> ModelComparison:
    entries = {
        name: Entry(
            name, available=True, estimate=value, interval=(value - half, value + half), self_test=SelfTest(0, 0.1, 80)
        )
        for name, value in (("source", 0.1), ("simple", low), ("mandoline", high))
    }
    return ModelComparison("lr", get_metric(metric), 0.1, (0.0, 0.2), None, 10, 10, entries)


@pytest.mark.parametrize(
    ("found", "begins", "caution"),
    [
        (compared(0.78, 0.84, 0.02), "Methods with the same assumption disagree by 6.0 points: ", True),
        (compared(0.78, 0.84, 0.07), "Methods with the same assumption agree within 6.0 points.", False),
        (compared(0.78, 0.792, 0.001), "Methods with the same assumption agree within 1.2 points.", False),
        (compared(12.0, 13.5, 0.5, "mean"), "Methods with the same assumption disagree by 1.5: ", True),
    ],
)
def test_disagreement_is_a_caution_when_it_is_large_beyond_sampling_error(
    found: ModelComparison, begins: str, caution: bool
) -> None:
    sentence, careful = worded.agreement(found)
    assert sentence.startswith(begins)
    assert careful is caution


def test_a_single_method_has_nothing_to_agree_with() -> None:
    found = compared(0.7, 0.8, 0.1)
    alone = replace(found, entries={name: found.entries[name] for name in ("source", "simple")})
    assert worded.agreement(alone)[0].startswith("Only Post-stratification")


@pytest.mark.parametrize(
    ("value", "interval", "metric", "expected"),
    [
        (0.021, (0.014, 0.028), "accuracy", "a is 2.1 points better than b (1.4 to 2.8), same rows."),
        (-0.021, (-0.028, -0.014), "accuracy", "b is 2.1 points better than a (1.4 to 2.8), same rows."),
        (-0.021, (-0.028, -0.014), "error", "a is 2.1 points better than b (1.4 to 2.8), same rows."),
        (0.021, (0.014, 0.028), "error", "b is 2.1 points better than a (1.4 to 2.8), same rows."),
        (
            0.01,
            (-0.01, 0.03),
            "accuracy",
            "a and b do not differ beyond sampling error: a is 1.0 points better (-1.0 to 3.0), same rows.",
        ),
    ],
)
def test_the_better_of_two_models_comes_first(
    value: float, interval: tuple[float, float], metric: str, expected: str
) -> None:
    assert worded.difference(Difference("simple", "a", "b", value, interval), get_metric(metric)) == expected
