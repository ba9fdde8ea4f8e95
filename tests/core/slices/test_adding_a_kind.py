"""A kind of slice is one class and one line in the list: everything else asks the class."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import narwhals as nw
import pytest

import mandoline_core as md
from app.project import state
from mandoline_core.slices import KINDS, codes, conjoin, read_line, resolve, survey_samples
from mandoline_core.slices.expression.tree import written_column, written_text
from mandoline_core.slices.rule import (
    TEXT,
    Control,
    OfColumn,
    Predicate,
    Schema,
    Slice,
    Survey,
    row_code,
    shown,
)
from tests.app.pages import add, current, open_app, run, said
from tests.core.projects import small_frames, write_project


@dataclass(frozen=True, kw_only=True)
class StartsWith(OfColumn, kind="starts_with", title="Starts with", purpose="how a text begins", need=TEXT):
    """Take the texts that start with something; without it, one slice for each first letter."""

    functions = ("starts_with",)

    beginning: str | None = field(default=None, metadata=shown("text", "Beginning", help="As it is written."))
    trim: bool = field(default=False, metadata=shown("switch", "Ignore white space before it"))

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} starts with {self.beginning or 'each letter'}"

    @property
    def is_family(self) -> bool:
        """Tell whether the rule stands for several slices."""
        return self.beginning is None

    def members(self, source: md.Sample, target: md.Sample) -> list[Slice]:
        """Make one slice for each first letter."""
        if not self.is_family:
            return [self]
        both = [text for sample in (source, target) for text in sample.series(self.column).drop_nulls().to_list()]
        return [replace(self, name=f"{self.name}_{a}", beginning=a) for a in sorted({text[:1] for text in both})]

    def _codes(self, column: nw.Expr, _schema: Schema) -> nw.Expr:
        text = column.str.strip_chars() if self.trim else column
        return row_code(column.is_null(), text.str.starts_with(self.beginning))

    def marks(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Mark the beginning."""
        return [[(0, len(self.beginning or ""))] for _ in texts]

    @classmethod
    def _settings(cls, predicate: Predicate, _survey: Survey) -> dict[str, Any] | None:
        """Take the function of the language that says the same, of one beginning."""
        return {"beginning": predicate.constants[0]} if len(predicate.constants) == 1 else None

    def as_expression(self) -> str | None:
        """Write the function, which knows one beginning."""
        if self.beginning is None or self.trim:
            return None
        return f"starts_with({written_column(self.column)}, {written_text(self.beginning)})"

    @classmethod
    def start(cls, survey: Survey) -> Slice | None:
        """Start from what the first text starts with."""
        return cls("start", column=survey.text[0], beginning="?").refit(survey.source) if survey.text else None

    def refit(self, source: md.Sample) -> Self:
        """Take the beginning of the column's first text."""
        return replace(self, beginning=source.series(self.column).drop_nulls().head(1).to_list()[0][:3])

    def form(self) -> tuple[Control, ...]:
        """Add a note to what the fields show."""
        return *super().form(), Control("note", "", "Upper and lower case count.")


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the kind into the list, for as long as a test lasts."""
    monkeypatch.setitem(KINDS, StartsWith.kind, StartsWith)


RULE = {"name": "no first", "kind": "starts_with", "column": "text", "beginning": "not"}


def project_with(folder: Path, rule: dict[str, object]) -> md.Project:
    return md.load_project(write_project(folder, {"slices": [rule]}))


def test_the_project_file_reads_and_writes_it(tmp_path: Path) -> None:
    """A key that is not its own is refused with those that are."""
    project = project_with(tmp_path, RULE)
    assert project.slices == (StartsWith("no first", column="text", beginning="not"),)
    again = md.parse_project(tomllib.loads(md.dump_project(project)), tmp_path)
    assert again.slices == project.slices
    with pytest.raises(md.ProjectError, match=r"begining.*Did you mean 'beginning'\?"):
        project_with(tmp_path, {"name": "x", "kind": "starts_with", "column": "text", "begining": "n"})
    with pytest.raises(md.ProjectError, match=r"Did you mean 'starts_with'\?"):
        project_with(tmp_path, {**RULE, "kind": "start_with"})


def test_an_estimate_uses_it(tmp_path: Path) -> None:
    """By itself, as a family, within a combination; the codes are what the class says."""
    source, target, _ = small_frames()
    words = ["not", "so", None]
    source["word"] = [words[row % 2] for row in range(len(source))]
    target["word"] = [words[row % 3] for row in range(len(target))]
    here = md.Sample(source, label="label", prediction="pred_lr")
    there = md.Sample(target)
    rule = StartsWith("no", column="word", beginning="no")
    assert codes(there, [rule])[:3, 0].tolist() == [1, -1, 0]
    report = md.estimate(here, there, [rule, md.Not("else", of="no", enabled=False)])
    assert report.first.problem.patterns.names == ("no",)
    assert [one.name for one in resolve([replace(rule, beginning=None)], here, there)] == ["no_n", "no_s"]
    assert rule.reads == ("word",)


def test_a_line_is_read_as_it_and_it_is_joined_with_others() -> None:
    """What a person types becomes a rule of the kind, and the rule becomes a part of an expression."""
    sample = md.Sample(small_frames()[0])
    survey = survey_samples(sample, sample)
    rule = StartsWith("text starts with no", column="text", beginning="no")
    assert read_line('starts_with(text, "no")', survey) == rule
    assert read_line('mine: starts_with(text, "no")', survey) == replace(rule, name="mine")
    assert read_line('starts_with(text, "no", "so")', survey).kind == "expression"
    joined = conjoin("both", [rule, md.Threshold("long", column="n_words", above=5)])
    assert joined == md.Expression("both", text='starts_with(text, "no") and n_words > 5')
    alone = codes(sample, [rule, md.Threshold("long", column="n_words", above=5)]).min(axis=1)
    assert (codes(sample, [joined])[:, 0] == alone).all()
    assert conjoin("both", [rule, replace(rule, trim=True)]) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"beginning": ""}, "Slice 'no first': beginning must be a non-empty text. Got ''."),
        ({"trim": "yes"}, "Slice 'no first': trim must be true or false. Got 'yes'."),
        ({"column": "txt"}, "reads column 'txt', which is not in source.csv"),
        ({"column": "n_words"}, "needs text in column 'n_words', which holds numbers"),
        ({"column": "label"}, "reads the label 'label', which new data does not have"),
    ],
)
def test_its_errors_are_friendly(tmp_path: Path, change: dict[str, object], message: str) -> None:
    """What is wrong, where, and what to do comes from what the kind says it needs."""
    with pytest.raises(md.MandolineError) as refused:
        md.estimate(project_with(tmp_path, {**RULE, **change}))
    assert message in str(refused.value)


def test_the_app_draws_its_form_and_writes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The button adds it, every control shows a field, and what a person changes is in the project."""
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path / "store"))
    state.store.clear()
    app = open_app(write_project(tmp_path, {"slices": []}), "views/slices/slices.py")
    add(app, "starts_with")
    first = small_frames()[0]["text"].iloc[0][:3]
    assert current(app).slices == (StartsWith("start", column="text", beginning=first),)
    assert "Upper and lower case count." in said(app)
    (box,) = [one for one in app.text_input if one.label == "Beginning"]
    assert (box.value, box.help) == (first, "As it is written.")
    box.set_value("s")
    run(app)
    (switch,) = [one for one in app.toggle if one.label == "Ignore white space before it"]
    switch.set_value(True)
    run(app)
    assert current(app).slices == (StartsWith("start", column="text", beginning="s", trim=True),)
    (column,) = [one for one in app.selectbox if one.label == "Column"]
    assert "n_words" not in column.options
    column.set_value("channel")
    run(app)
    assert current(app).slices[0].beginning == small_frames()[0]["channel"].iloc[0][:3]
    (box,) = [one for one in app.text_input if one.label == "Beginning"]
    box.set_value("")
    run(app)
    assert "beginning must be a non-empty text" in said(app)
