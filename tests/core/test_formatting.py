"""Numbers are written once, by one family of functions, and nobody takes apart what it wrote."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path

import pytest

from mandoline_core import formatting
from tests.payloads import PAYLOADS, Payload

ROOT = Path(__file__).parents[2]
FILES = [path for folder in ("mandoline_core", "app") for path in sorted((ROOT / folder).rglob("*.py"))]
TAKING_APART = {"strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "split", "partition", "replace"}
DECORATIONS = {"+", "-", "+-", "%", "points", " points", "()", " times"}


def takes_apart(node: ast.AST) -> bool:
    """Tell whether a call takes a written number apart: by what it is called on, or by what it takes away."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TAKING_APART):
        return False
    on, given = node.func.value, node.args[:1]
    written = isinstance(on, ast.Call) and isinstance(on.func, ast.Name) and on.func.id.startswith("show_")
    return written or any(isinstance(arg, ast.Constant) and arg.value in DECORATIONS for arg in given)


@pytest.mark.parametrize(
    "code", ['show_points(x, share=True).lstrip("+")', 'text.removesuffix(" points")', 'show_times(2).split(" ")']
)
def test_taking_a_written_number_apart_is_noticed(code: str) -> None:
    assert any(map(takes_apart, ast.walk(ast.parse(code))))


def test_nobody_takes_a_written_number_apart():
    """Who needs a number without its sign or unit asks the formatter for it."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if takes_apart(node)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("difference", "share", "step", "way"),
    [
        (0.0212, True, "+2.1", "higher"),
        (-0.0005001, True, "-0.1", "lower"),
        (-0.0004999, True, "0.0", "the same"),
        (-0.0, True, "0.0", "the same"),
        (1e-9, False, "+1e-09", "higher"),
        (0.0, False, "0", "the same"),
    ],
)
def test_a_step_is_signed_unless_it_is_nothing_as_written(difference: float, share: bool, step: str, way: str) -> None:
    assert formatting.show_points(difference, share=share, unit=False) == step
    assert formatting.direction(difference, share=share) == way


@pytest.mark.parametrize("one", [one for one in PAYLOADS if one.kind in ("formula", "header", "toml")])
def test_no_name_in_a_csv_file_is_a_formula_or_ends_a_line(one: Payload) -> None:
    """A spreadsheet takes a carriage return for the end of a line, after which a name would begin anew."""
    texts = [one.text, f"{one.word}\r{one.text}", f"{one.word}\r=1"]
    written = formatting.csv_text([["name", "number"], *([text, -0.5] for text in texts)])
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert [row[0].removeprefix("'") for row in rows[1:]] == texts
    assert {row[1] for row in rows[1:]} == {"-0.5"}
    assert not any(row[0].startswith(("=", "+", "-", "@", "\t", "\r")) for row in rows)
    assert written.count("\r") == sum(text.count("\r") for text in texts)
