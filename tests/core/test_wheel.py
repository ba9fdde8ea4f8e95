"""The sdist, and the wheel made of it: what is in them, and that the wheel works where there is no checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

import mandoline_core as md
from tests.core.cli.test_app_ending import answers, free_port
from tests.core.documents import GUIDE, README, blocks, check
from tests.core.projects import ROOT, run_json

pytestmark = pytest.mark.long  # `make test-built` runs them
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
BUNDLED = Path("mandoline_core") / "_bundled"
SAMPLE = Path("sample_data") / "reviews" / "project.toml"
# An editable install puts the checkout on the path; the wheel must do without it.
WITHOUT_CHECKOUT = f"""
import importlib.util, sys
sys.path = [folder for folder in sys.path if folder != {str(ROOT)!r}]
import mandoline_core.cli as cli
assert {str(ROOT)!r} not in cli.__file__, cli.__file__
for name in ("app", "sample_data", "tests"):
    assert importlib.util.find_spec(name) is None, name
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist, and from it the wheel, once."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def sdist(built: Path) -> Path:
    (found,) = built.glob("*.tar.gz")
    return found


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel alone into a folder of its own."""
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", str(folder), str(wheel)], check=True)
    return folder


def elsewhere(site: Path, code: str, *arguments: str) -> str:
    """Run code in another folder, with the installed wheel and without the checkout; return what it prints."""
    command = [sys.executable, "-c", WITHOUT_CHECKOUT + code, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(command, cwd=site.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_installs_one_package(wheel: Path) -> None:
    """The app and the samples travel inside the package; tests stay at home."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"mandoline_core", f"mandoline_estimator-{VERSION}.dist-info"}
    assert not [name for name in names if name.endswith(".pyc") or "/tests/" in name]
    assert (BUNDLED / "app" / "main.py").as_posix() in names
    assert (BUNDLED / SAMPLE).as_posix() in names


def test_the_sdist_is_a_checkout(sdist: Path) -> None:
    """You can unpack it and run `make test` there: all code and all tests are in it, and what make needs."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    code = {
        path.relative_to(ROOT).as_posix()
        for folder in ("app", "mandoline_core", "sample_data", "tests")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert code | {"Makefile", "pyproject.toml", "README.md", "LICENSE", ".ci/constraints.txt"} <= names


def test_the_wheel_is_complete(wheel: Path) -> None:
    """Every module of the package and of the app, every page and every sample is in it."""
    names = set(zipfile.ZipFile(wheel).namelist())
    patterns = ("*.py", "*.css", "*.js", "*.json", "*.md", "*.png")
    parts = [path for pattern in patterns for path in (ROOT / "mandoline_core").rglob(pattern)]
    package = {path.relative_to(ROOT).as_posix() for path in parts}
    bundled = {
        (BUNDLED / path.relative_to(ROOT)).as_posix()
        for folder, pattern in (("app", "*.py"), ("sample_data", "*.csv"), ("sample_data", "*.toml"))
        for path in (ROOT / folder).rglob(pattern)
    }
    assert package | bundled <= names


def test_the_installed_command_gives_the_checkouts_numbers(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the bundled sample, from another folder, to the last digit."""
    project = site / BUNDLED / SAMPLE
    out = elsewhere(site, "sys.exit(cli.main(sys.argv[1:]))", "estimate", str(project), "--json")
    assert json.loads(out) == run_json(capsys, "estimate", ROOT / SAMPLE)


def test_the_installed_app_is_the_bundled_one(site: Path) -> None:
    """`mandoline app` finds the app and the sample project inside the package."""
    out = elsewhere(site, "from mandoline_core.cli.app import bundle_root; print(bundle_root())").strip()
    assert Path(out) == site / BUNDLED
    assert (Path(out) / "app" / "main.py").is_file()


def test_a_sample_is_copied_out_of_the_package(site: Path, tmp_path: Path) -> None:
    """Without a checkout, and what is copied is the sample."""
    folder = tmp_path / "demo"
    elsewhere(site, "sys.exit(cli.main(sys.argv[1:]))", "sample", "reviews", str(folder))
    for path in (ROOT / SAMPLE).parent.rglob("*.*"):
        assert (folder / path.relative_to((ROOT / SAMPLE).parent)).read_bytes() == path.read_bytes()
    assert "reference-metrics" in elsewhere(site, "sys.exit(cli.main(sys.argv[1:]))", "help")


def test_the_installed_script_says_its_version(site: Path) -> None:
    """The console script is there, and knows its version from the wheel."""
    script = site / "bin" / "mandoline"
    done = subprocess.run(
        [str(script), "--version"],
        cwd=site.parent,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"mandoline {VERSION}\n"


def test_type_checkers_accept_a_users_script(wheel: Path, tmp_path: Path) -> None:
    """One that calls every public function, and the examples of README and guide with a slicing function.

    pyright is installed here alone: users have it in their editors, and mypy checks this project.
    """
    script = (ROOT / "tests" / "core" / "users_script.py").read_text(encoding="utf-8")
    assert [name for name in md.__all__ if name.islower() and f"md.{name}" not in script] == []
    guide = [code for _, code in blocks(GUIDE / "python.md") if "slices = [" in code or "slicing_function" in code]
    texts = {"script": script, "readme": "".join(code for kind, code in blocks(README) if kind == "python")}
    for name, text in {**texts, "guide": "".join(["import mandoline_core as md\n", *guide])}.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    python = tmp_path / "venv" / "bin" / "python"
    venv.create(tmp_path / "venv", with_pip=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--constraint", ROOT / ".ci" / "constraints.txt"]
    subprocess.run([*pip, f"{wheel}[charts]", "mypy", "pandas-stubs", "pyright==1.1.414"], cwd=tmp_path, check=True)
    mypy = [python, "-m", "mypy", "--ignore-missing-imports"]
    pyright = [python, "-m", "pyright", "--pythonpath", python, "script.py", "readme.py", "guide.py"]
    for command in ([*mypy, "--strict", "script.py"], [*mypy, "readme.py", "guide.py"], pyright):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_new_environment_runs_what_is_installed_there(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With nothing but its dependencies, in tested versions: the numbers are the checkout's, the README's examples run.

    The app says how to install it, and runs with the extra.
    """
    binaries = tmp_path / "venv" / "bin"
    venv.create(tmp_path / "venv", with_pip=True)
    pip = [binaries / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    package = str(request.getfixturevalue(kind))
    pip += ["--constraint", ROOT / ".ci" / "constraints.txt"]
    subprocess.run([*pip, package], cwd=tmp_path, check=True)
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [binaries / "mandoline", "estimate", ROOT / SAMPLE, "--json"]
    out = subprocess.run(command, cwd=tmp_path, env=outside, capture_output=True, text=True, check=True).stdout
    assert json.loads(out) == run_json(capsys, "estimate", ROOT / SAMPLE)
    check(README, binaries / "python", tmp_path)

    done = subprocess.run(
        [binaries / "mandoline", "app"], cwd=tmp_path, env=outside, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "pip install 'mandoline-estimator[app]'" in done.stderr) == (2, True)
    subprocess.run([*pip, f"{package}[app]"], cwd=tmp_path, check=True)
    port = free_port()
    command = [binaries / "mandoline", "app", "--port", str(port), "--data-dir", tmp_path / "data"]
    with subprocess.Popen(command, cwd=tmp_path, env={**outside, "STREAMLIT_SERVER_HEADLESS": "true"}) as app:
        try:
            deadline = time.monotonic() + 120
            while not answers(port) and app.poll() is None and time.monotonic() < deadline:
                time.sleep(0.1)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=30) as health:
                assert health.read() == b"ok"
        finally:
            app.terminate()
    assert app.returncode == 0
