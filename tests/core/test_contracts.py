"""The repository: what is promised beside the code."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import mandoline_core as md
from tests.core.projects import ROOT, run

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|Users|tmp|work|mnt|private)/[\w.]")
SAMPLE = ROOT / "sample_data" / "reviews" / "project.toml"
TARGETS = ("app", "test", "check", "format", "bench", "calibrate", "samples", "clean")


def tracked_files(*more: str) -> list[Path]:
    """List the files of the repository; more options of `git ls-files` list others too."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run([git, "ls-files", "--cached", *more], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for name in listed.stdout.splitlines() if (path := ROOT / name).is_file()]


def test_no_file_names_a_path_of_one_machine() -> None:
    """The project runs wherever it is; files about to be added count too."""
    named = []
    for path in tracked_files("--others", "--exclude-standard"):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        named += [f"{path.relative_to(ROOT)}: {found.group()}" for found in MACHINE_PATH.finditer(text)]
    assert named == []


def test_the_top_level_is_as_agreed() -> None:
    """Folders are the package, the app, the samples and the tests; all else starts with a dot."""
    folders = {path.relative_to(ROOT).parts[0] for path in tracked_files() if path.parent != ROOT}
    assert {name for name in folders if not name.startswith(".")} == {"app", "mandoline_core", "sample_data", "tests"}


def test_make_help_lists_every_target() -> None:
    """A person who types make sees what there is."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    described = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(TARGETS) <= set(described)
    for target in described:
        assert re.search(rf"^  make {target} ", shown, re.MULTILINE), target


def test_versions_agree(capsys: pytest.CaptureFixture[str]) -> None:
    """What is installed, what pyproject says and what the change log describes."""
    with pytest.raises(SystemExit) as stopped:
        run(capsys, "--version")
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"mandoline {VERSION}\n"
    assert f"\n## {VERSION}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


HEAVY = ("numpy", "pandas", "plotly", "pyarrow", "pydantic", "scipy", "sklearn", "streamlit")


@pytest.mark.parametrize("arguments", ["--help", "--version", "estimate", "estimat", "plan x --rows 0"])
def test_what_needs_no_data_imports_no_library(arguments: str) -> None:
    """Help, the version and a bad argument answer at once: importing pandas alone takes many times longer."""
    code = (
        "import sys\nfrom mandoline_core.cli import main\ntry:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments.split()], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_package_alone_imports_next_to_nothing() -> None:
    """Its names are fetched at first use. To import it takes less than half of an empty start of Python."""
    code = "import sys; before = {*sys.modules}; import mandoline_core; print(*sorted({*sys.modules} - before))"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    imported = {name.partition(".")[0] for name in done.stdout.split()}
    assert imported <= {"__future__", "importlib", "mandoline_core", "warnings"}


def test_the_core_imports_neither_charts_nor_the_apps_framework() -> None:
    """An estimate is made without them, and without scikit-learn, which only some methods need."""
    code = (
        "import sys, mandoline_core.report; print([n for n in ('streamlit', 'plotly', 'sklearn') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_charts_say_how_to_get_them(tmp_path: Path) -> None:
    """Where Plotly is not installed: the estimate and its table in a notebook need no chart, and the rest says so."""
    code = f"""
import sys
sys.modules["plotly"] = None  # as if it were not installed
import mandoline_core as md
from mandoline_core.cli import main
report = md.estimate(md.load_project({str(SAMPLE)!r}))
assert report._repr_html_() and md.reproduce
for draw in (report.plot, report.to_html):
    try:
        draw()
    except md.MandolineError as error:
        print(error, file=sys.stderr)
for command in (["report", {str(SAMPLE)!r}, "--out"], ["reproduce", "theorem", "--quick", "--out"]):
    assert main([*command, {str(tmp_path / "out")!r}]) == 2
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    sentence = "Charts need Plotly. Install it with: pip install 'mandoline-estimator[charts]'"
    assert done.stderr.splitlines() == [sentence] * 2 + [f"mandoline: {sentence}"] * 2
    assert (done.returncode, list(tmp_path.iterdir())) == (0, [])


def test_public_names_are_described() -> None:
    """Every public name exists; classes and functions say what they do."""
    assert set(md.__all__) == {name for names in md.PUBLIC.values() for name in names.split()}
    for name in md.__all__:
        value = getattr(md, name)
        if callable(value):
            assert value.__doc__, name
            assert not value.__doc__.startswith(f"{name}("), "a dataclass without a docstring of its own"


def imports_of(path: Path) -> Iterator[str]:
    """List the modules of this project that a file imports from, at its top or within a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def test_packages_are_imported_by_their_init() -> None:
    """The modules behind the `__init__` of a package, or of a package within it, are its own affair."""
    around = []
    for path in [*(ROOT / "mandoline_core").rglob("*.py"), *(ROOT / "app").rglob("*.py")]:
        here = path.relative_to(ROOT).parts
        for module in imports_of(path):
            parts = module.split(".")
            is_package = (ROOT.joinpath(*parts) / "__init__.py").is_file()
            if parts[0] in ("mandoline_core", "app") and len(parts) > 2 and tuple(parts[:2]) != here[:2]:
                if is_package:
                    continue
                around.append(f"{'/'.join(here)}: {module}")
    assert around == []


PATTERN_FUNCTIONS = {"compile", "search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn"}
# Patterns that are put together from parts: each with why no text from outside is among them.
PUT_TOGETHER = {
    "mandoline_core/project/roles.py": 2,  # constants of the module itself
}


def is_constant(node: ast.expr) -> bool:
    """Tell whether an expression is a literal, or literals joined."""
    if isinstance(node, ast.BinOp):
        return is_constant(node.left) and is_constant(node.right)
    return isinstance(node, ast.Constant)


def test_no_pattern_from_outside_runs_in_pythons_own_engine() -> None:
    """There one pattern can take a server for hours; people's own run in engines of linear time."""
    found: dict[str, int] = {}
    for path in [*(ROOT / "mandoline_core").rglob("*.py"), *(ROOT / "app").rglob("*.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        name = path.relative_to(ROOT).as_posix()
        assert not any(isinstance(node, ast.ImportFrom) and node.module == "re" for node in ast.walk(tree)), name
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=function), args=[pattern, *_]) if (
                    function in PATTERN_FUNCTIONS and not is_constant(pattern)
                ):
                    found[name] = found.get(name, 0) + 1
    assert found == PUT_TOGETHER


def test_every_module_of_the_core_is_in_a_room() -> None:
    """At the top stand what all share, and packages that say what they are for."""
    core = ROOT / "mandoline_core"
    assert {path.stem for path in core.glob("*.py")} == {
        "__init__",
        "arrays",
        "errors",
        "findings",
        "formatting",
        "results",
    }
    for door in core.glob("*/__init__.py"):
        said = ast.get_docstring(ast.parse(door.read_text(encoding="utf-8")))
        assert said, door


def test_no_package_is_called_like_a_public_name() -> None:
    """Importing the package would put it in the place of the function."""
    assert not {path.parent.name for path in (ROOT / "mandoline_core").glob("*/__init__.py")} & set(md.__all__)


def test_no_class_name_has_two_meanings() -> None:
    """A reader who has met a name knows what it stands for; private classes are their module's affair."""
    homes: dict[str, list[str]] = {}
    for path in [*(ROOT / "mandoline_core").rglob("*.py"), *(ROOT / "app").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_no_file_is_longer_than_a_reader_takes_in() -> None:
    """400 lines at most."""
    long = {
        path.relative_to(ROOT).as_posix(): n
        for folder in ("mandoline_core", "app")
        for path in (ROOT / folder).rglob("*.py")
        if (n := path.read_text(encoding="utf-8").count("\n")) > 400
    }
    assert long == {}
