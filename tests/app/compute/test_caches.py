"""Whatever is kept from one answer to the next has room for so many bytes: every cache there is, found by syntax."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from app.project import documents

ROOT = Path(__file__).parents[3]
FILES = [path for folder in ("app", "mandoline_core") for path in sorted((ROOT / folder).rglob("*.py"))]
DECORATORS = {"cache", "lru_cache", "cache_data", "cache_resource", "singleton", "memo"}
CONTAINERS = {"dict", "list", "set", "deque", "OrderedDict", "defaultdict", "WeakKeyDictionary", "WeakValueDictionary"}
# Caches that count entries, or hold one thing, and why no number of visitors makes them large.
SMALL = {
    "app/compute/jobs.py:jobs": "work under way, stopped when it goes; what is done lets go of its rows",
    "app/visits.py:_visits": "10,000 marks of visits",
    "app/project/documents.py:_parse": "128 projects of at most 300,000 letters; longer ones are not kept",
    "app/project/uploads.py:engine_for": "paths of ours, and a word for each",
    "app/project/links.py:store": "one store",
    "mandoline_core/data/spellings.py:_find": "256 lists of columns",
    "mandoline_core/checks/experience.py:load_bands": "one small table",
    "mandoline_core/cli/main.py:make_parser": "one parser",
    "mandoline_core/pipeline/self_test.py:_KNOWN": "halves of fits that are kept anyway, and go with them",
    "mandoline_core/report/html/figures.py:plotly_script": "one script",
    "mandoline_core/report/report.py:_versions": "one list of versions",
    "mandoline_core/slices/text.py:check_keywords": "patterns that the engines can run, and nothing for each",
    "mandoline_core/slices/text.py:check_regex": "patterns that the engines can run, and nothing for each",
    "mandoline_core/data/engines/engine.py:ENGINES": "one declaration an engine",
    "mandoline_core/domain_classifier/logistic.py:_libraries": "one list of libraries",
    "mandoline_core/weighting/components.py:cluster_slices": "numbers of slices of 256 graphs",
}


def _name(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    node = node.value if isinstance(node, ast.Subscript) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _made_in(node: ast.AST) -> list[ast.Call]:
    return [call for call in ast.walk(node) if isinstance(call, ast.Call) and _name(call) == "Cache"]


def _is_weighed(cache: ast.Call) -> bool:
    """Ask for a size of each value: a `Cache` has one, unless it is told one that is the same for all."""
    sizes = [keyword.value for keyword in cache.keywords if keyword.arg == "size"]
    return not any(isinstance(size, ast.Lambda) and isinstance(size.body, ast.Constant) for size in sizes)


def caches(path: Path, tree: ast.Module) -> dict[str, bool]:
    """List the caches in a file, each with whether it has room for so many bytes."""
    place, found = str(path.relative_to(ROOT)), dict[str, bool]()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(_name(one) in DECORATORS for one in node.decorator_list):
            made = _made_in(node)
            found[f"{place}:{node.name}"] = bool(made) and all(map(_is_weighed, made))
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            made, name = _made_in(node.value), f"{place}:{_name(target)}"
            empty = ast.unparse(node.value) in ("{}", "[]")
            if isinstance(node.value, ast.Call) and _name(node.value) in CONTAINERS:
                empty = not node.value.args
            if made:
                found[name] = all(map(_is_weighed, made))
            elif empty and _is_filled(tree, _name(target)):
                found[name] = False
    return found


def _is_filled(tree: ast.Module, name: str) -> bool:
    """Tell whether a module puts anything into what was empty at first."""
    stored = (one.value for one in ast.walk(tree) if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store))
    called = (
        one.func.value for one in ast.walk(tree) if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
    )
    return any(isinstance(one, ast.Name) and one.id == name for one in (*stored, *called))


def test_every_cache_has_room_for_so_many_bytes() -> None:
    """Or a reason why it stays small. A new one is listed here, or weighs what it keeps."""
    found = {name: weighed for path in FILES for name, weighed in caches(path, ast.parse(path.read_text())).items()}
    assert len([name for name, weighed in found.items() if weighed]) >= 6
    assert sorted(name for name, weighed in found.items() if not weighed) == sorted(SMALL)


@pytest.mark.parametrize(
    "code",
    [
        "@lru_cache(maxsize=5)\ndef f(x): ...",
        "@st.cache_data\ndef f(x): ...",
        "@functools.cache\ndef f(x): ...",
        "@st.cache_resource\ndef f(): return Cache(24, size=lambda value: 1)",
        "KNOWN: Cache[int] = Cache(24, size=lambda value: 1)",
        "KNOWN = {}\ndef f(x): KNOWN[x] = x",
        "KNOWN: dict[int, int] = {}\ndef f(x): KNOWN.setdefault(x, x)",
        "KNOWN = []\ndef f(x): KNOWN.append(x)",
        "KNOWN = WeakKeyDictionary()\ndef f(x): KNOWN[x] = x",
    ],
)
def test_a_new_cache_that_counts_entries_is_found(code: str) -> None:
    assert list(caches(ROOT / "app" / "new.py", ast.parse(code)).values()) == [False]


def test_a_cache_that_weighs_is_fine() -> None:
    for code in (
        "@st.cache_resource\ndef f(): return Cache(50_000_000)",
        "KNOWN: Cache[int] = Cache(50_000_000)",
        "KNOWN: Cache[int] = Cache(50_000_000, size=len)",
    ):
        assert list(caches(ROOT / "app" / "new.py", ast.parse(code)).values()) == [True]


def test_a_long_project_is_not_kept_parsed(tmp_path: Path) -> None:
    """Everyone may save one."""
    text = 'version = 1\nname = "a"\n[source]\npath = "a.csv"\n[target]\npath = "b.csv"\n[task]\nlabel = "y"\n'
    text += f'[[models]]\nname = "m"\nprediction = "p"\n# {"x" * documents._LONGEST}\n'
    document = {"toml": text, "names": {"source": "a", "target": "b"}}
    before = documents._parse.cache_info().currsize
    assert documents.project_of(document).name == "a"
    assert documents._parse.cache_info().currsize == before
