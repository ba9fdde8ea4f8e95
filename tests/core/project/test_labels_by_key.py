"""Labels in a file of their own, joined with the new rows by a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from mandoline_core import DataError, Model, Project, load_project, save_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Write the data of a small project; the labels come from each test."""
    (tmp_path / "a.csv").write_text("x,label,pred\n1,yes,no\n2,no,no\n")
    (tmp_path / "b.csv").write_text("x,pred\n1,no\n2,no\n3,yes\n")
    return Project(
        name="small",
        source_path="a.csv",
        target_path="b.csv",
        target_labels="labels.csv",
        target_key="x",
        label="label",
        models=(Model("m", "pred"),),
        base=tmp_path,
    )


def test_labels_are_joined_by_their_key(project: Project) -> None:
    """In any order; rows that are not in the file, or have nothing in it, have no label."""
    (project.base / "labels.csv").write_text("label,x\nyes,3\n,2\n")
    revealed = project.reveal(project.read()[1])
    assert revealed.label == "label"
    assert revealed.series("label").drop_nulls().to_list() == ["yes"]
    assert revealed.series("label").is_null().to_list() == [True, True, False]


def test_a_key_is_saved_with_the_project(project: Project) -> None:
    place = project.base / "small.toml"
    save_project(project, place)
    assert 'key = "x"' in place.read_text(encoding="utf-8")
    assert load_project(place).target_key == "x"


ELSEWHERE = "Remove such rows, or check that both files are about the same rows."


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("label,x\nyes,3\nno,3\n", "Column 'x' of labels.csv has '3' more than once. Keep one row for each."),
        ("label,x\nyes,3\nno,\n", "Line 3 of labels.csv has no value in column 'x'. Fill it in, or remove it."),
        ("label,x\nyes,3\nno,8\n", f"Column 'x' of labels.csv has 1 value that is not in b.csv: '8'. {ELSEWHERE}"),
        (
            "label,x\na,5\nb,6\nc,7\nd,8\n",
            f"Column 'x' of labels.csv has 4 values that are not in b.csv: '5', '6', '7' and 1 more. {ELSEWHERE}",
        ),
        ("label,X\nyes,3\n", "Column 'x' is not in labels.csv. Columns: label, X. Did you mean 'X'?"),
        ("lable,x\nyes,3\n", "Column 'label' is not in labels.csv. Columns: lable, x. Did you mean 'lable'?"),
    ],
)
def test_keys_that_do_not_fit_are_named(labels: str, message: str, project: Project) -> None:
    (project.base / "labels.csv").write_text(labels)
    with pytest.raises(DataError) as refused:
        project.reveal(project.read()[1])
    assert str(refused.value) == message


def test_a_key_names_each_new_row_once(project: Project) -> None:
    (project.base / "b.csv").write_text("x,pred\n1,no\n1,no\n3,yes\n")
    (project.base / "labels.csv").write_text("label,x\nyes,3\n")
    with pytest.raises(DataError) as refused:
        project.reveal(project.read()[1])
    expected = "Column 'x' of b.csv has '1' more than once. A key needs a different value in each row."
    assert str(refused.value) == expected
