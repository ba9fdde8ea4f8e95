"""Words that must not come back, in every string and public docstring of the product and in its documents."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = ("mandoline_core", "app")
DOCUMENTS = ("README.md", "CHANGELOG.md", "mandoline_core/guide/*.md", ".github/*.md")
# Generated reviews and posts, and a list of stop words.
NOT_OURS = ("mandoline_core/paper/texts/", "mandoline_core/discovery/phrases.py")

# What must not be there, and what to say instead.
INSTEAD = {
    r"luck\w*": "sampling error",
    r"chances?": "probability, or sampling error",
    r"anew|afresh": "again",
    r"so many(?! as)": "the number, or many",
    r"so-manieth": "n-th",
    r"stands?": "is, covers, means or represents",
    r"hangs?": "depends, or is sensitive to",
    r"by (itself|themselves|himself|yourself)": "alone, or on its own",
    r"at (its|their|your) word": "as correct",
    r"for the record": "delete it",
    r"(speaks?|spoke|speaking) (of|against|for)": "is about, argues against, supports",
    r"(told|tells?|telling)( \S+){0,4} apart": "distinguish",
    r"whoever|whomever": "anyone who, or you",
    r"whom": "who, or rewrite",
    r"thereof|whereof|therein|wherein|whence|hence": "rewrite",
    r"beside": "next to, or in addition to",
    r"what nobody": "rewrite with a subject",
    r"goes with": "belongs to, or matches",
    r"to be had": "available",
    r"shall|ought": "must, should or will",
    r"one can(?!not be)": "you can",
    r"in figures": "in numbers",
    r"letters(?!, digits)": "characters, or lower case and upper case",
    r"ends? of (lines|a line)": "line endings",
    r"so as (to|not)": "to",
    r"where that is": "rewrite",
    r"(puts?|putting) into": "add to, or write to",
    r"(try|tries|tried) out": "try, or test",
    r"lie|lies|lying": "is, or are",
    r"a person": "you, or people",
    r"(takes?|took|taken|taking) (it|them) for": "treat as, or assume",
    r"one behind the other|one after the other": "join, or in turn",
    r"(do|does|did|will) not matter": "is irrelevant",
    r"honest\w*": "valid, or correct",
    r"(set|sets|setting) aside": "left out, or leave out",
    r"mend(s|ed|ing)?": "fix",
    r"carriers?": "features",
    r"will do": "is acceptable, or is enough",
    r"(takes?|took|taking) the place of|in the place of": "replace",
    r"by nature|nevertheless|by heart": "delete it, or rewrite",
    r"the name of no": "is not named like",
    r"to go by": "rewrite",
    r"upon": "on",
    r"till": "until",
    r"amiss": "wrong",
    r"farthest off": "differs most",
    r"once more": "again",
    r"model('s|s') answers": "predictions",
    r"rather sure": "mostly right",
    r"given out": "assigned",
    r"(?<!there )(is|are) no (numbers?|plan|rule|column|class|share|date|text|value|file|folder)": "is not a",
}
CASE_MATTERS = {r"(is|are) none": "unknown X 'y', or not a ..."}  # `is None` is code
# In sentences for people the two samples are the labelled data and the new data.
SAMPLES = re.compile(r"\b(the|an?|every|each|no|of|in|on) (source|target)\b(?!\.\w|[=_\]])")


def test_no_word_comes_back() -> None:
    """Each is named with its file and what to say instead."""
    assert found_words(ROOT) == []


def test_sentences_say_labelled_data_and_new_data() -> None:
    """`source` and `target` are for code, files and JSON."""
    assert found_samples(ROOT) == []


def test_they_are_found_in_documents_strings_and_public_docstrings(tmp_path: Path) -> None:
    """Not in names, comments, keys and docstrings of private names."""
    (tmp_path / "README.md").write_text("By luck, not `luck`.\n", encoding="utf-8")
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "page.py").write_text(
        'def luck(n):\n    """Hang on."""\n    return f"The {n} target rows are left to luck."  # luck\n'
        'def _private():\n    """Hang on."""\n    return {"luck": "On the target."}\n',
        encoding="utf-8",
    )
    assert found_words(tmp_path) == [
        'app/page.py:2: "Hang": say depends, or is sensitive to',
        'app/page.py:3: "luck": say sampling error',
        'README.md:1: "luck": say sampling error',
    ]
    assert found_samples(tmp_path) == ['app/page.py:6: "the target": say labelled data or new data']


def found_words(root: Path) -> list[str]:
    """List the words that must not be there, by file and line."""
    words = [(re.compile(rf"\b({word})\b", re.IGNORECASE), instead) for word, instead in INSTEAD.items()]
    words += [(re.compile(rf"\b({word})\b"), instead) for word, instead in CASE_MATTERS.items()]
    texts = [*((place, text) for place, text, _ in strings(root)), *lines(root)]
    return [
        f'{place}: "{found.group()}": say {instead}'
        for place, text in texts
        for word, instead in words
        for found in word.finditer(text)
    ]


def found_samples(root: Path) -> list[str]:
    """List the sentences for people that call a sample by its name in code."""
    return [
        f'{place}: "{found.group()}": say labelled data or new data'
        for place, text in [*(found[:2] for found in strings(root) if not found[2]), *lines(root)]
        for found in SAMPLES.finditer(text)
    ]


def lines(root: Path) -> Iterator[tuple[str, str]]:
    """Walk the lines of documents, without what is between backticks."""
    for path in sorted({path for pattern in DOCUMENTS for path in root.glob(pattern)}):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield f"{path.relative_to(root).as_posix()}:{number}", re.sub(r"`[^`]*`", "``", line)


def strings(root: Path) -> Iterator[tuple[str, str, bool]]:
    """Walk the strings of the code that people may read, each with its place and whether it is a docstring.

    A string that is one word in lower case is a name, and a docstring of a private name is for its module.
    """
    for path in sorted(path for folder in CODE for path in (root / folder).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if name.startswith(NOT_OURS):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        public, passed_over = docstrings(tree)
        for node in ast.walk(tree):
            if id(node) in passed_over:
                continue
            text = written(node)
            if isinstance(node, ast.JoinedStr):
                passed_over |= {id(part) for part in node.values}
            if text is not None and re.search(r"\s|^[A-Z]", text.strip()):
                if id(node) in public:
                    text = re.sub(r"^\s*[*\w, ]+ : |`[^`]*`", "", text, flags=re.MULTILINE)  # names
                yield f"{name}:{node.lineno}", " ".join(text.split()), id(node) in public  # type: ignore[attr-defined]


def written(node: ast.AST) -> str | None:
    """Return a string as it is written; `{}` marks a value that is filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) or "{}" for part in node.values)
    return None


def docstrings(tree: ast.Module) -> tuple[set[int], set[int]]:
    """Find the docstrings of public and of private names."""
    public, private = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            match node.body:
                case [ast.Expr(value=ast.Constant(value=str()) as text), *_]:
                    is_private = isinstance(node, ast.Module) or node.name.startswith("_")
                    (private if is_private else public).add(id(text))
    return public, private
