"""The Data page: three ways to data, roles that can be changed, problems beside the control that fixes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.project import imports
from mandoline_core import DataError, Expression, MetricSettings, ProjectError, estimate, load_project
from mandoline_core.project import start_project
from tests.app.pages import current, labels, numbers, open_app, press, run, said
from tests.app.uploads import csv, parquet, upload
from tests.core.projects import REVIEWS, small_frames, write_project

Write = Callable[[pd.DataFrame], bytes]
SOURCE, TARGET, _ = small_frames()

PLACE = {"name": "a", "kind": "category", "column": "place", "values": ["a"]}


def data_page(path: Path | None = None) -> AppTest:
    """Open the Data page."""
    return open_app(path, "views/data/data.py")


def test_the_page_says_what_is_in_use(folder: Path) -> None:
    app = data_page()
    assert numbers(app) == {"Labelled rows": "6,000", "New rows": "1,000"}
    scores = app.dataframe[0].value
    source = estimate(load_project(REVIEWS)).models
    assert list(scores["model"]) == ["lr", "nb"]
    assert scores["accuracy"][0].startswith(f"{source['lr'].source:.1%} (")


def test_a_data_file_that_is_gone_is_said_once(folder: Path) -> None:
    path = write_project(folder)
    (folder / load_project(path).target_path).unlink()
    (error,) = data_page(path).error
    assert "is not in" in error.value


def test_columns_show_role_type_and_missing_values(folder: Path) -> None:
    table = data_page().dataframe[1].value.set_index("column")
    assert table.loc["label", ["role", "type", "in"]].tolist() == ["label", "text", "labelled only"]
    assert table.loc["prob_nb_positive", "role"] == "probability (nb)"
    assert table.loc["n_words", "type"] == "numbers"
    assert 0 < table.loc["channel", "missing, labelled"] < 1


def test_a_weight_can_be_chosen_and_what_it_cannot_be_is_said(folder: Path) -> None:
    source = SOURCE.assign(w=np.arange(len(SOURCE)) % 3 + 1, below=-1)
    app = data_page(write_project(folder, source=source))
    before = list(app.dataframe[0].value["accuracy"])
    assert "channel" not in app.selectbox(key="role_weight_source").options
    app.selectbox(key="role_weight_source").set_value("w")
    run(app)
    assert (current(app).source_weight, current(app).target_weight) == ("w", None)
    assert list(app.dataframe[0].value["accuracy"]) != before
    assert app.dataframe[1].value.set_index("column").loc["w", "role"] == "weight"
    app.selectbox(key="role_weight_source").set_value("below")
    run(app)
    assert current(app).source_weight == "w"
    assert "(the weight) is negative in 400 rows" in said(app)


def test_the_label_can_be_changed_and_undone(folder: Path) -> None:
    source = SOURCE.assign(second=SOURCE["label"])
    app = data_page(write_project(folder, source=source))
    app.selectbox(key="role_label").set_value("second")
    run(app)
    assert current(app).label == "second"
    press(app, "Undo")
    assert app.selectbox(key="role_label").value == "label"


def test_no_label_is_refused_beside_the_control(folder: Path) -> None:
    app = data_page()
    app.selectbox(key="role_label").set_value("(none)")
    assert "needs a label" in said(run(app))
    assert current(app).label == "label"


def test_a_label_that_shares_no_class_with_the_predictions_is_explained(folder: Path) -> None:
    app = data_page()
    app.selectbox(key="role_label").set_value("category")
    assert "have no class in common" in said(run(app))
    app.selectbox(key="role_label").set_value("label")
    assert "have no class in common" not in said(run(app))


def test_a_prediction_column_that_is_added_brings_its_probabilities(folder: Path) -> None:
    app = data_page()
    app.multiselect(key="role_predictions").set_value(["pred_lr"])
    run(app)
    assert [model.name for model in current(app).models] == ["lr"]
    app.multiselect(key="role_predictions").set_value(["pred_lr", "pred_nb"])
    run(app)
    assert current(app).models == load_project(REVIEWS).models


def test_a_probability_can_be_changed_and_a_wrong_one_is_refused(folder: Path) -> None:
    app = data_page()
    key = "role_probability:lr:positive"
    app.selectbox(key=key).set_value("n_words")
    assert "Expected numbers between 0 and 1" in said(run(app))
    assert current(app).models == load_project(REVIEWS).models
    app.selectbox(key=key).set_value("prob_nb_positive")
    run(app)
    assert current(app).models[0].probabilities["positive"] == "prob_nb_positive"


def test_the_metric_can_be_the_mean_of_a_column(folder: Path) -> None:
    app = data_page()
    app.selectbox(key="role_metric").set_value("mean")
    assert "needs a column to average" in said(run(app))
    app.selectbox(key="role_column").set_value("n_words")
    run(app)
    assert (current(app).metric.name, current(app).metric.column) == ("mean", "n_words")
    assert "needs a column to average" not in said(app)


def three_classes() -> pd.DataFrame:
    """Return a source whose models know three classes, of which "odd" and "bad" are often taken for each other."""
    odd = SOURCE.index % 3 == 0
    return SOURCE.assign(
        label=SOURCE["label"].mask(odd, "odd"),
        pred_lr=SOURCE["pred_lr"].mask(SOURCE.index % 2 == 0, "odd"),
        pred_nb=SOURCE["pred_nb"].mask(odd, "odd"),
    )


def merge(app: AppTest, new: str, classes: list[str]) -> AppTest:
    """Fill in the form and press its button."""
    (name,) = [one for one in app.text_input if one.label == "Name of the merged class"]
    (chosen,) = [one for one in app.multiselect if one.label == "Classes to merge"]
    name.set_value(new)
    chosen.set_value(classes)
    return press(app, "Merge")


def test_classes_are_merged_parted_and_merged_again_by_undo(folder: Path) -> None:
    source = three_classes()
    app = data_page(write_project(folder, source=source, changes={"metric": {"name": "error"}}))
    merge(app, " unhappy ", ["bad", "odd"])
    metric = current(app).metric
    assert (metric.name, dict(metric.merge)) == ("error", {"unhappy": ("bad", "odd")})
    wrong = ((source["label"] == "good") != (source["pred_lr"] == "good")).mean()
    assert app.dataframe[0].value["error"][0].startswith(f"{wrong:.1%} (")
    assert "unhappy**: bad, odd" in said(app)
    press(app, "Remove unhappy")
    assert not current(app).metric.merge
    press(app, "Undo")
    assert dict(current(app).metric.merge) == {"unhappy": ("bad", "odd")}


@pytest.mark.parametrize(
    ("new", "classes", "message"),
    [
        ("", ["bad", "odd"], "The merged class has no name. Type one."),
        ("unhappy", [], "No classes are chosen. Choose classes to merge."),
        (
            "any",
            ["bad", "good", "odd"],
            "Merging all classes would make every prediction right. Leave out at least one class.",
        ),
        ("unhappy", ["bad"], "A merge needs two classes. Got only 'bad'. Choose another class."),
    ],
)
def test_a_merge_that_cannot_be_is_refused_beside_the_button(
    folder: Path, new: str, classes: list[str], message: str
) -> None:
    app = merge(data_page(write_project(folder, source=three_classes())), new, classes)
    assert message in said(app)
    assert not current(app).metric.merge
    merge(app, "good", ["bad"])  # the name of another class makes it two
    assert message not in said(app)
    assert dict(current(app).metric.merge) == {"good": ("bad",)}


def test_merging_does_nothing_to_the_mean_of_a_column(folder: Path) -> None:
    app = data_page(write_project(folder, {"metric": {"name": "mean", "column": "n_words"}}))
    assert "This metric uses numbers, so merging classes has no effect." in said(app)


def test_another_metric_keeps_the_merged_classes(folder: Path) -> None:
    changes = {"metric": {"name": "accuracy", "merge": {"all": ["good", "bad"]}}}
    app = data_page(write_project(folder, changes))
    app.selectbox(key="role_metric").set_value("error")
    run(app)
    assert (current(app).metric.name, dict(current(app).metric.merge)) == ("error", {"all": ("good", "bad")})


def test_a_data_file_that_is_gone_is_one_sentence(folder: Path) -> None:
    path = write_project(folder)
    app = open_app(path)
    (folder / "source.csv").unlink()
    app.switch_page("views/data/data.py")
    assert "'source.csv' is not in" in said(run(app))


def test_first_rows_of_both_samples_are_shown(folder: Path) -> None:
    app = data_page()
    shown = [frame.value for frame in app.dataframe]
    assert any(list(frame.columns) == list(pd.read_csv(REVIEWS.parent / "target.csv").columns) for frame in shown)


def test_a_project_of_two_tables_starts_with_a_slice(tmp_path: Path) -> None:
    lr, nb = load_project(REVIEWS).models
    first = start_project("a", tmp_path, tmp_path, "label", (lr, nb)).slices
    assert [rule.kind for rule in first] == ["entropy"]
    bare = start_project("a", tmp_path, tmp_path, "label", (type(lr)("x", "pred"),)).slices
    assert [rule.kind for rule in bare] == ["prediction"]


def test_starting_needs_a_label_and_predictions() -> None:
    with pytest.raises(DataError, match="No label"):
        imports.check_chosen(None, ())
    with pytest.raises(DataError, match="No predictions"):
        imports.check_chosen("label", ())


def test_labels_are_not_needed_to_open_a_project() -> None:
    wanted = {"source": "a.csv", "target": "b.csv", "labels": "c.csv"}
    imports.check_complete(wanted, ["source", "target"])
    with pytest.raises(ProjectError, match=r"needs a\.csv, b\.csv\. Add them"):
        imports.check_complete(wanted, [])


def test_a_filter_shows_its_rows_and_becomes_a_slice() -> None:
    """Rows that an expression lets through are counted, and the filter is kept as a slice of the project."""
    app = data_page()
    next(box for box in app.text_input if box.label == "Filter").set_value("n_words < 10").run()
    frame = pd.read_csv(Path(REVIEWS).parent / "source.csv")
    assert f"Labelled ({(frame['n_words'] < 10).sum():,} rows)" in [tab.label for tab in app.tabs]
    press(app, "Save this filter as a slice")
    assert current(app).slices[-1] == Expression("filter", text="n_words < 10")


def test_a_wrong_filter_points_at_the_mistake() -> None:
    """An unknown column gets a suggestion and a caret under it; nothing else on the page is lost."""
    app = data_page()
    next(box for box in app.text_input if box.label == "Filter").set_value("n_word < 10").run()
    assert "Did you mean 'n_words'?" in said(app)
    assert any("^" in code.value for code in app.code)
    assert not app.exception


def test_precision_can_be_about_one_class(folder: Path) -> None:
    """A metric of classes asks which class it is about; the average over all is the default."""
    app = data_page()
    app.selectbox(key="role_metric").select("precision")
    run(app)
    assert current(app).metric.positive is None
    chosen = app.selectbox(key="role_positive")
    assert chosen.label == "Positive class"
    chosen.select("positive")
    run(app)
    assert current(app).metric.positive == "positive"
    app.selectbox(key="role_positive").select_index(0)
    run(app)
    assert current(app).metric.positive is None


@pytest.mark.parametrize(
    ("metric", "name", "label", "value", "wrong"),
    [
        ("f_beta", "beta", "Beta", 0.5, 0.0),
        ("top_k_accuracy", "k", "K", 1, 0),
        ("pinball", "quantile", "Quantile", 0.9, 1.0),
    ],
)
def test_a_number_that_the_metric_reads_can_be_changed(
    folder: Path, tmp_path: Path, metric: str, name: str, label: str, value: float, wrong: float
) -> None:
    """Each metric asks for its own; what is out of bounds is refused next to it."""
    rows = pd.DataFrame({"place": ["a", "b"] * 30, "label": range(60), "guess": range(1, 61)})
    numeric = write_project(
        tmp_path,
        {
            "target": {"path": "target.csv"},
            "models": [{"name": "m", "prediction": "guess"}],
            "metric": {"name": "mae"},
            "slices": [PLACE],
        },
        source=rows,
        target=rows.drop(columns="label"),
    )
    app = data_page(numeric if metric == "pinball" else None)
    assert not app.number_input
    app.selectbox(key="role_metric").select(metric)
    run(app)
    control = app.number_input(key=f"role_{name}")
    assert (control.label, control.value) == (label, getattr(MetricSettings(), name))
    control.set_value(value)
    run(app)
    assert getattr(current(app).metric, name) == value
    app.number_input(key=f"role_{name}").set_value(wrong)
    run(app)
    assert f"{name} must be" in said(app)
    assert getattr(current(app).metric, name) == value


def test_the_corrections_page_opens_with_any_method(folder: Path) -> None:
    """Its switch is about two methods; another one that is in use stands beside them."""
    for name in ("simple", "bbse"):
        path = folder / f"{name}.toml"
        text = REVIEWS.read_text(encoding="utf-8").replace('path = "', f'path = "{REVIEWS.parent.as_posix()}/')
        text = text.replace('labels = "', f'labels = "{REVIEWS.parent.as_posix()}/')
        path.write_text(f'{text}\n[estimator]\nname = "{name}"\n', encoding="utf-8")
        app = open_app(path, "views/slices/slices.py", "Reliability")
        assert app.segmented_control(key="estimator").value == name


LABELS = "Labels file (CSV or Parquet)"


def test_labels_of_the_new_rows_alone_are_the_truth_once_revealed(folder: Path) -> None:
    """They are put aside; the revealed truth is the library's, and undo takes them out."""
    truth = small_frames()[2]
    app = upload(data_page(write_project(folder, {"target": {"path": "target.csv"}})), LABELS, "my.csv", csv(truth))
    assert "my.csv: 300 rows, labels in column label, in the order of target.csv." in said(app)
    press(app, "Use these labels")
    assert "my.csv has labels of all 300 new rows. The estimate does not use them." in said(app)
    app.switch_page("views/result/result.py")
    assert numbers(run(app))["New data, true value"] == "?"
    press(app, "Reveal truth")
    known = estimate(load_project(write_project(folder)), reveal=True).truth
    assert numbers(app)["New data, true value"] == f"{known:.1%}"
    press(app, "Undo")
    assert numbers(app)["New data, true value"] == "not known"
    assert current(app).target_labels is None


def test_labels_of_some_rows_are_found_by_a_column_that_both_files_have(folder: Path) -> None:
    """In another order and under another name; the column is chosen where it cannot be told."""
    target, truth = TARGET.assign(ticket=range(1000, 1300)), small_frames()[2]
    path = write_project(folder, {"target": {"path": "target.csv"}}, target=target)
    some = pd.DataFrame({"ticket": target["ticket"], "checked": truth["label"], "by": "me"})[::-1][:120]
    app = upload(data_page(path), LABELS, "some.parquet", parquet(some))
    assert "Use these labels" not in labels(app)
    (chooser,) = [one for one in app.selectbox if one.label.startswith("Label column")]
    chooser.set_value("by")
    assert "Column 'by' of some.parquet contains none of the classes bad, good." in said(run(app))
    (chooser,) = [one for one in app.selectbox if one.label.startswith("Label column")]
    chooser.set_value("checked")
    assert "matched by ticket. 120 of 300 new rows get a label." in said(run(app))
    press(app, "Use these labels")
    assert "some in order.csv has labels of 120 of 300 new rows." in said(app)
    kept = current(app).target_labels
    assert kept is not None
    pd.testing.assert_series_equal(pd.read_csv(kept)["label"][180:], truth["label"][180:])
    app.switch_page("views/result/result.py")
    assert "120 of 300 new rows have a label: see Label a few." in said(run(app))
    app.switch_page("views/data/data.py")
    press(run(app), "Remove labels")
    assert current(app).target_labels is None


def test_a_file_of_labels_that_does_not_fit_is_called_by_its_name(folder: Path) -> None:
    app = data_page(write_project(folder, {"target": {"path": "target.csv"}}))
    upload(app, LABELS, "short.csv", csv(small_frames()[2][:7]))
    assert "short.csv has 7 rows, but target.csv has 300." in said(app)
    assert "Use these labels" not in labels(app)


def test_new_data_that_bring_their_labels_say_so(folder: Path) -> None:
    target = TARGET.assign(label=small_frames()[2]["label"])
    app = data_page(write_project(folder, {"target": {"path": "target.csv"}}, target=target))
    assert "target.csv has labels of all 300 new rows." in said(app)
    assert LABELS not in [one.label for one in app.get("file_uploader")]
