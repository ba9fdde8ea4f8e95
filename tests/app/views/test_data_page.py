"""The Data page: three ways to data, roles that can be changed, problems beside the control that fixes them."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.project import opening, state
from mandoline_core import DataError, Expression, ProjectError, estimate, load_project
from tests.app.pages import current, labels, numbers, open_app, press, project_id, run, said
from tests.core.projects import REVIEWS, small_frames, write_project

Write = Callable[[pd.DataFrame], bytes]
SOURCE, TARGET, _ = small_frames()


def data_page(path: Path | None = None) -> AppTest:
    """Open the Data page."""
    return open_app(path, "views/data/data.py")


def csv(frame: pd.DataFrame) -> bytes:
    """Write a table as CSV."""
    return frame.to_csv(index=False).encode()


def parquet(frame: pd.DataFrame) -> bytes:
    """Write a table as Parquet."""
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def upload(app: AppTest, title: str, name: str, content: bytes) -> AppTest:
    """Upload a file with the uploader of a title."""
    (uploader,) = [one for one in app.get("file_uploader") if one.label == title]
    uploader.set_value((name, content, ""))
    return run(app)


def upload_both(app: AppTest, source: tuple[str, bytes], target: tuple[str, bytes]) -> AppTest:
    """Upload a source and a target."""
    upload(app, "Labelled data", *source)
    return upload(app, "New data", *target)


def draft(app: AppTest, kind: str) -> Any:
    """Find a control of the files that are not in use yet."""
    (found,) = [one for one in app.get(kind) if str(one.key).startswith("draft_")]
    return found


def test_the_page_says_what_is_in_use(folder: Path) -> None:
    app = data_page()
    assert numbers(app) == {"Labelled rows": "6,000", "New rows": "1,000"}
    scores = app.dataframe[0].value
    source = estimate(load_project(REVIEWS)).models
    assert list(scores["model"]) == ["lr", "nb"]
    assert scores["accuracy"][0].startswith(f"{source['lr'].source:.1%} (")


def test_columns_show_role_type_and_missing_values(folder: Path) -> None:
    table = data_page().dataframe[1].value.set_index("column")
    assert table.loc["label", ["role", "holds", "in"]].tolist() == ["label", "text", "labelled only"]
    assert table.loc["prob_nb_positive", "role"] == "probability (nb)"
    assert table.loc["n_words", "holds"] == "numbers"
    assert 0 < table.loc["channel", "missing, labelled"] < 0.01


def test_a_sample_opens_and_undo_brings_the_old_project_back(folder: Path) -> None:
    app = press(data_page(), "Open digits")
    assert current(app).name == "digits"
    assert numbers(app)["Labelled rows"] == "8,000"
    press(app, "Undo")
    assert current(app).name == "reviews"
    assert numbers(app)["Labelled rows"] == "6,000"


@pytest.mark.parametrize(
    ("name", "write"),
    [("mine.csv", csv), ("mine.csv.gz", lambda frame: gzip.compress(csv(frame))), ("mine.parquet", parquet)],
)
def test_two_files_become_a_project_with_guessed_roles(folder: Path, name: str, write: Write) -> None:
    app = upload_both(data_page(), (name, write(SOURCE)), (f"new_{name}", write(TARGET)))
    assert draft(app, "selectbox").value == "label"
    assert draft(app, "multiselect").value == ["pred_lr", "pred_nb"]
    assert current(app).name == "reviews"
    press(app, "Use these files")
    project = current(app)
    assert (project.name, project.label) == ("mine", "label")
    assert [model.name for model in project.models] == ["lr", "nb"]
    assert numbers(app)["Labelled rows"] == "400"
    app.switch_page("views/estimate/estimate.py")
    assert numbers(run(app))["New data, truth"] == "not known"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("notes.docx", b"PK", "notes.docx is not a table that can be read here"),
        ("ragged.csv", b"a,b\n1,2\n1,2,3\n", "Line 3 of ragged.csv has 3 fields"),
        ("empty.csv", b"", "empty.csv is empty"),
        ("photo.csv", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "photo.csv is not a text file"),
        ("bad.parquet", b"PAR1 no", "bad.parquet cannot be read as Parquet"),
        ("cut.csv.gz", gzip.compress(b"a,b\n" * 500, mtime=0)[:30], "cut.csv.gz is not a whole gzip file"),
    ],
    ids=["kind", "ragged", "empty", "photo", "parquet", "gzip"],
)
def test_a_wrong_file_is_explained_and_nothing_is_lost(folder: Path, name: str, content: bytes, message: str) -> None:
    app = upload(data_page(), "Labelled data", name, content)
    assert message in said(app)
    assert current(app).name == "reviews"
    assert "Use these files" not in labels(app)
    upload_both(app, ("good.csv", csv(SOURCE)), ("new.csv", csv(TARGET)))
    assert message not in said(app)
    assert "Use these files" in labels(app)


def test_files_without_a_label_say_what_to_choose(folder: Path) -> None:
    app = upload_both(data_page(), ("a.csv", csv(TARGET[["text", "n_words"]])), ("b.csv", csv(TARGET)))
    assert "No label is chosen" in said(app)
    assert "Use these files" not in labels(app)


def test_the_same_file_twice_is_noticed(folder: Path) -> None:
    app = upload_both(data_page(), ("a.csv", csv(SOURCE)), ("b.csv", csv(SOURCE)))
    assert "Both files hold the same rows" in said(app)


def test_guessed_roles_can_be_changed_before_the_files_are_used(folder: Path) -> None:
    app = upload_both(data_page(), ("a.csv", csv(SOURCE)), ("b.csv", csv(TARGET)))
    draft(app, "multiselect").set_value(["pred_nb"])
    press(run(app), "Use these files")
    assert [model.name for model in current(app).models] == ["nb"]


def test_uploaded_files_survive_a_change_of_page(folder: Path) -> None:
    app = upload_both(data_page(), ("a.csv", csv(SOURCE)), ("b.csv", csv(TARGET)))
    app.switch_page("views/estimate/estimate.py")
    run(app).switch_page("views/data/data.py")
    assert "Use these files" in labels(run(app))


def open_files(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Upload a project file with data files."""
    (uploader,) = [one for one in app.get("file_uploader") if one.label.startswith("Project file")]
    uploader.set_value([(name, content, "") for name, content in files])
    return run(app)


def test_a_project_file_opens_with_its_data(folder: Path) -> None:
    path = write_project(folder)
    names = ("project.toml", "source.csv", "target.csv", "target_labels.csv")
    app = open_files(data_page(), *((name, (folder / name).read_bytes()) for name in names))
    press(app, "Open this project")
    assert current(app).name == "small"
    app.switch_page("views/estimate/estimate.py")
    assert numbers(run(app))["New data, estimated"] == f"{estimate(load_project(path)).estimate:.1%}"
    assert "Reveal truth" in labels(app)


def test_a_project_file_without_its_data_says_which_files_it_needs(folder: Path) -> None:
    text = write_project(folder, {"source": {"path": "data/mine.csv"}}).read_bytes()
    app = open_files(data_page(), ("project.toml", text))
    assert "The project also needs mine.csv. Add it to the files above." in said(app)
    assert current(app).name == "reviews"


@pytest.mark.parametrize("bring", [(), ("source.csv",)])
def test_files_of_the_same_name_but_of_another_project_are_asked_for(folder: Path, bring: tuple[str, ...]) -> None:
    """The reviews have a source.csv and a target.csv, too; columns of this project are not in them."""
    source, target = (frame.rename(columns={"pred_lr": "pred_logreg"}) for frame in (SOURCE, TARGET))
    models = [{"name": "logreg", "prediction": "pred_logreg"}]
    path = write_project(folder, {"models": models}, source=source, target=target)
    app = open_files(data_page(), *((name, (folder / name).read_bytes()) for name in (path.name, *bring)))
    missing = "target.csv. Add it" if bring else "source.csv, target.csv. Add them"
    assert f"The project also needs {missing} to the files above." in said(app)
    assert "What the project in use calls" in said(app)
    assert "Did you mean" not in said(app)
    assert "Open this project" not in labels(app)


def test_labels_in_use_are_not_taken_for_those_of_another_target(folder: Path) -> None:
    """Labels belong to rows: with a target of its own a project does not get the labels of the one in use."""
    (folder / "other").mkdir()
    path = write_project(folder / "other")
    app = data_page(write_project(folder))
    open_files(app, *((name, (path.parent / name).read_bytes()) for name in ("project.toml", "target.csv")))
    assert "Taken from the project in use, small: source.csv (400 rows)." in said(app)
    press(app, "Open this project")
    assert current(app).target_labels is None


def test_an_exported_project_opens_on_the_data_in_use(folder: Path) -> None:
    app = data_page()
    workspace = state.Workspace(project_id(app), current(app), {}, "lr", revealed=False, revision=None)  # type: ignore[arg-type]
    text = state.exporter(workspace)().replace('name = "reviews"', 'name = "second"')
    open_files(app, ("project.toml", text.encode()))
    assert "Taken from the project in use, reviews: source.csv (6,000 rows), target.csv (1,000 rows)" in said(app)
    assert "If you mean other files, add them above." in said(app)
    press(app, "Open this project")
    assert current(app).name == "second"
    assert numbers(app)["Labelled rows"] == "6,000"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([("project.toml", b"name = ")], "project.toml is not valid TOML"),
        ([("a.csv", b"x\n1\n")], "Expected one file that ends in .toml. Got 0."),
        ([("project.toml", b"version = 2")], "Expected version = 1"),
    ],
)
def test_a_wrong_project_file_is_explained(folder: Path, files: list[tuple[str, bytes]], message: str) -> None:
    app = open_files(data_page(), *files)
    assert message in said(app)
    assert current(app).name == "reviews"


def test_a_project_whose_roles_do_not_fit_its_data_is_not_opened(folder: Path) -> None:
    write_project(folder, {"task": {"label": "lable"}})
    names = ("project.toml", "source.csv", "target.csv")
    app = open_files(data_page(), *((name, (folder / name).read_bytes()) for name in names))
    assert "Column 'lable' is not in source.csv" in said(app)
    assert "Open this project" not in labels(app)


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
    assert "There is no label" in said(run(app))
    assert current(app).label == "label"


def test_a_label_that_shares_no_class_with_the_predictions_is_explained(folder: Path) -> None:
    app = data_page()
    app.selectbox(key="role_label").set_value("category")
    assert "have no value in common" in said(run(app))
    app.selectbox(key="role_label").set_value("label")
    assert "have no value in common" not in said(run(app))


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
    (chosen,) = [one for one in app.multiselect if one.label == "Classes to take for one"]
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
    assert "unhappy** stands for bad, odd" in said(app)
    press(app, "Remove unhappy")
    assert not current(app).metric.merge
    press(app, "Undo")
    assert dict(current(app).metric.merge) == {"unhappy": ("bad", "odd")}


@pytest.mark.parametrize(
    ("new", "classes", "message"),
    [
        ("", ["bad", "odd"], "The merged class has no name. Type one."),
        ("unhappy", [], "No classes are chosen. Choose those to take for one."),
        (
            "any",
            ["bad", "good", "odd"],
            "All classes would be one, and every answer right. Leave out at least one class.",
        ),
        ("unhappy", ["bad"], "'bad' alone is one class already. Choose another class to go with it."),
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
    assert "The metric looks at numbers and not at classes, so merging does nothing to it." in said(app)


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
    first = opening.start_project("a", tmp_path, tmp_path, "label", (lr, nb)).slices
    assert [rule.kind for rule in first] == ["entropy"]
    bare = opening.start_project("a", tmp_path, tmp_path, "label", (type(lr)("x", "pred"),)).slices
    assert [rule.kind for rule in bare] == ["prediction"]


def test_starting_needs_a_label_and_predictions() -> None:
    with pytest.raises(DataError, match="No label"):
        opening.check_chosen(None, ())
    with pytest.raises(DataError, match="No predictions"):
        opening.check_chosen("label", ())


def test_labels_are_not_needed_to_open_a_project() -> None:
    wanted = {"source": "a.csv", "target": "b.csv", "labels": "c.csv"}
    opening.check_complete(wanted, ["source", "target"])
    with pytest.raises(ProjectError, match=r"needs a\.csv, b\.csv\. Add them"):
        opening.check_complete(wanted, [])


def test_a_filter_shows_its_rows_and_becomes_a_slice() -> None:
    """Rows that an expression lets through are counted, and the filter is kept as a slice of the project."""
    app = data_page()
    next(box for box in app.text_input if box.label == "Show only rows where").set_value("n_words < 10").run()
    frame = pd.read_csv(Path(REVIEWS).parent / "source.csv")
    assert f"Labelled ({(frame['n_words'] < 10).sum():,} rows)" in [tab.label for tab in app.tabs]
    press(app, "Save this filter as a slice")
    assert current(app).slices[-1] == Expression("filter", text="n_words < 10")


def test_a_wrong_filter_points_at_the_mistake() -> None:
    """An unknown column gets a suggestion and a caret under it; nothing else on the page is lost."""
    app = data_page()
    next(box for box in app.text_input if box.label == "Show only rows where").set_value("n_word < 10").run()
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
    assert chosen.label == "Class it is about"
    chosen.select("positive")
    run(app)
    assert current(app).metric.positive == "positive"
    app.selectbox(key="role_positive").select_index(0)
    run(app)
    assert current(app).metric.positive is None


def test_the_corrections_page_opens_with_any_method(folder: Path) -> None:
    """Its switch is about two methods; another one that is in use stands beside them."""
    for name in ("simple", "bbse"):
        path = folder / f"{name}.toml"
        text = REVIEWS.read_text(encoding="utf-8").replace('path = "', f'path = "{REVIEWS.parent.as_posix()}/')
        text = text.replace('labels = "', f'labels = "{REVIEWS.parent.as_posix()}/')
        path.write_text(f'{text}\n[estimator]\nname = "{name}"\n', encoding="utf-8")
        app = open_app(path, "views/corrections/corrections.py")
        assert app.radio(key="estimator").value == name
