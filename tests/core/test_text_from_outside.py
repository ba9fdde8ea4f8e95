"""Text from outside is never run: a pattern in linear time alone, an expression never, and no text is a template.

Found by the syntax tree: every place that uses Python's `re`, searches texts by a pattern, fills a template in or runs
code. A new place fails here until somebody has looked at it and listed it with what makes it safe.
"""

from __future__ import annotations

import ast
import fnmatch
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.core.projects import ROOT

# Where Python's re, whose time may grow without bound, meets text from outside: with these fixed patterns alone.
FIXED = {
    "app.access",
    "app.project.people",
    "app.words.wording",
    "mandoline_core.comparison.backtests.column_splits",
    "mandoline_core.cli.app",
    "mandoline_core.cli.help",
    "mandoline_core.formatting",
    "mandoline_core.monitoring.build_servers",
    "mandoline_core.monitoring.tracker",
    "mandoline_core.project.file",
    "mandoline_core.project.storage",
    "mandoline_core.project.roles",
    "mandoline_core.data.classes",
    "mandoline_core.data.dates",
    "mandoline_core.data.delimited",
    "mandoline_core.data.column_types",
    "mandoline_core.data.spellings",
    "mandoline_core.slices.expression.compiler",
    "mandoline_core.errors",
    "mandoline_core.data.joining",
    "mandoline_core.pipeline.group_columns",
    "mandoline_core.data.profile",
    "mandoline_core.data.fingerprint",
    "mandoline_core.data.files",
    "mandoline_core.reference.shapes",
    "mandoline_core.schemas.shapes",
    "mandoline_core.slices.expression.syntax",
    "mandoline_core.slices.line",
    "mandoline_core.slices.spelling",
    "mandoline_core.slices.rule.survey",
    "mandoline_core.slices.kinds.overlap",
    "mandoline_core.slices.text",
    "mandoline_core.discovery.phrases",
    "mandoline_core.domain_classifier.words",
}
# Where a pattern that is not written out is searched for: by engines that take time in proportion to the text.
LINEAR = {
    "mandoline_core.data.spelling._count": "a table of spellings",
    "mandoline_core.data.spelling._numbers": "a table of spellings",
    "mandoline_core.data.spelling._where": "a table of spellings",
    "mandoline_core.data.spelling.find_spelling": "a table of spellings",
    "mandoline_core.data.spelling.share_matched": "a table of spellings",
    "mandoline_core.slices.expression.compiler._search": "contains: keyword_pattern, matches: portable_regex",
    "mandoline_core.slices.kinds.flag.Flag._codes": "our own words",
    "mandoline_core.slices.kinds.keyword.Keyword._inside": "keyword_pattern",
    "mandoline_core.slices.kinds.regex.Regex._codes": "portable_regex, which Python's re cannot read",
    "mandoline_core.slices.text._invalid": "RE2, on an empty text",
    "mandoline_core.slices.text._marked": "RE2",
    "mandoline_core.slices.text._runs": "each engine, on one letter",
    "mandoline_core.slices.text.lower": "two letters, literally",
    "mandoline_core.slices.text.search_texts": "RE2",
}
# Where a text that is not written out in place is filled in: templates of our own, kept in tables.
TEMPLATES = {
    "mandoline_core.report.charts.distributions": "a table of bounds",
    "mandoline_core.paper.texts.comments": "a grammar",
    "mandoline_core.paper.texts.pairs": "a grammar",
    "mandoline_core.paper.texts.reviews": "a grammar",
    "mandoline_core.reference.shapes": "a table of layouts",
    "mandoline_core.report.words.headline": "a table of verbs",
}
# Where Python reads code: the shape of an expression, from which only names, numbers and signs that it knows are taken.
CODE = {"mandoline_core.slices.expression.tree": "ast.parse of placeholders, never compiled"}

# Where a pattern of file names is not written out in place: fnmatch's translation of it tries each star once.
FILES = {
    "app.project.server_files": "of a visitor",
    "app.project.store.database": "the name of our own file",
    "mandoline_core.estimators.transformer": "a table of names",
    "mandoline_core.monitoring.tracker": "of the command line",
    "mandoline_core.data.files": "of a project file",
}

RE_FUNCTIONS = {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"}
SEARCHES = {"contains", "replace", "replace_all", "findall", "extract", "extractall", "match", "fullmatch", "count"}


class Module:
    """Hold a source file with where each of its nodes stands."""

    def __init__(self, path: Path) -> None:
        self.name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.constants = {
            target.id: node.value
            for node in self.tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self.imported = {
            name.name: node.module
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        }

    def calls(self) -> Iterator[tuple[str, ast.Call]]:
        """Go through all calls, with the function and class that each stands in."""
        yield from self._within(self.tree, self.name)

    def _within(self, node: ast.AST, place: str) -> Iterator[tuple[str, ast.Call]]:
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, ast.FunctionDef | ast.ClassDef)
            if isinstance(child, ast.Call):
                yield place, child
            yield from self._within(child, f"{place}.{child.name}" if named else place)

    def is_fixed(self, node: ast.expr) -> bool:
        """Tell whether a text is written out in the source, in one piece or put together of such."""
        match node:
            case ast.Constant(value=str()):
                return True
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                return self.is_fixed(left) and self.is_fixed(right)
            case ast.JoinedStr(values=values):
                return all(self.is_fixed(value) for value in values)
            case ast.FormattedValue(value=value):
                return self.is_fixed(value)
            case ast.Name(id=name):
                return self._is_fixed_name(name)
        return False

    def _is_fixed_name(self, name: str) -> bool:
        if name in self.constants:
            return self.is_fixed(self.constants[name])
        return name == "LETTERS" and self.imported.get(name) == "mandoline_core.domain_classifier"


@cache
def modules() -> list[Module]:
    """Read every source file, once, when the first test asks."""
    return [
        Module(path)
        for package in ("mandoline_core", "app")
        for path in sorted((ROOT / package).rglob("*.py"))
        if "_bundled" not in path.parts
    ]


def imports_re(module: Module) -> bool:
    """Tell whether a module has Python's regular expressions at hand, under any name."""
    for node in ast.walk(module.tree):
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
        if {"re", "regex", "sre_compile"} & {*names, *([node.module] if isinstance(node, ast.ImportFrom) else [])}:
            return True
    return False


def test_only_these_modules_use_pythons_regular_expressions() -> None:
    """Whoever adds one looks at what its patterns meet."""
    assert {module.name for module in modules() if imports_re(module)} == FIXED


@pytest.mark.parametrize("name", sorted(FIXED))
def test_pythons_regular_expressions_are_written_out(name: str) -> None:
    """A pattern put together of what a person wrote could take for ever, on every visitor's time."""
    module = next(module for module in modules() if module.name == name)
    patterns = [
        call.args[0]
        for _, call in module.calls()
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "re"
        and call.func.attr in RE_FUNCTIONS
    ]
    assert patterns
    assert [ast.unparse(pattern) for pattern in patterns if not module.is_fixed(pattern)] == []


def searches() -> Iterator[tuple[str, ast.expr, Module]]:
    """Go through the searches of pandas, Narwhals and PyArrow by a pattern."""
    for module in modules():
        for place, call in module.calls():
            function = call.func
            if not isinstance(function, ast.Attribute):
                continue
            of_texts = isinstance(function.value, ast.Attribute) and function.value.attr == "str"
            if of_texts and function.attr in SEARCHES:
                yield place, call.args[0], module
            elif (
                function.attr.endswith("_regex") and isinstance(function.value, ast.Name) and function.value.id == "pc"
            ):
                yield place, call.args[1], module


def test_patterns_of_people_are_searched_for_in_linear_time() -> None:
    """In the places listed, whose patterns Python's re never gets to see; elsewhere they are written out."""
    assert {place for place, pattern, module in searches() if not module.is_fixed(pattern)} == set(LINEAR)


def test_patterns_of_file_names_are_few() -> None:
    """They are the one kind that Python's re sees, in a form that does not try again what failed."""
    found = set()
    for module in modules():
        for _, call in module.calls():
            match call.func:
                case ast.Attribute(attr="glob" | "rglob" | "iglob" | "fnmatch" | "fnmatchcase" | "filter"):
                    of_names = ast.unparse(call.func.value) in ("glob", "fnmatch") or "glob" in call.func.attr
                    if of_names and not all(map(module.is_fixed, call.args)):
                        found.add(module.name)
    assert found == set(FILES)
    start = time.process_time()
    assert not fnmatch.fnmatch("a" * 2_000, "*a" * 12 + "b")
    assert time.process_time() - start < 1


def test_no_text_of_a_person_is_a_template() -> None:
    """A text such as {0.__class__} would read what it should not."""
    found = set()
    for module in modules():
        for _, call in module.calls():
            match call.func:
                case ast.Attribute(value=text, attr="format" | "format_map") if not module.is_fixed(text):
                    found.add(module.name)
                case ast.Attribute(attr="Template", value=ast.Name(id="string")) | ast.Name(id="Template"):
                    found.add(module.name)
        if any(isinstance(node, ast.Attribute) and node.attr == "Formatter" for node in ast.walk(module.tree)):
            found.add(module.name)
    assert found == set(TEMPLATES)


def test_no_text_is_run_as_code() -> None:
    """Python's parser sees placeholders only, and nothing compiles what it makes of them."""
    found = set()
    for module in modules():
        for _, call in module.calls():
            match call.func:
                case ast.Name(id="eval" | "exec" | "compile" | "__import__" | "literal_eval"):
                    found.add(module.name)
                case ast.Attribute(attr="parse" | "literal_eval", value=ast.Name(id="ast")):
                    found.add(module.name)
                case ast.Attribute(attr="eval" | "query", value=value) if call.args and "frame" in ast.unparse(value):
                    found.add(module.name)  # of a frame, which runs text as code
                case ast.Attribute(attr="loads" | "load", value=ast.Name(id="pickle" | "marshal" | "shelve" | "yaml")):
                    found.add(module.name)
    assert found == set(CODE)
