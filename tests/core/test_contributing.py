"""What contributors are told is there: files, make targets, workflows, and one version everywhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
TEXTS = [
    path.read_text(encoding="utf-8")
    for pattern in (".github/**/*.md", ".github/**/*.yml", ".ci/run", ".pre-commit-config.yaml")
    for path in ROOT.glob(pattern)
]


def test_every_named_file_and_make_target_is_there() -> None:
    text = "\n".join(TEXTS)
    paths = re.findall(r"`((?:tests|mandoline_core|app|\.ci|\.github)/[\w/.]+)`", text)
    targets = re.findall(r"(?:`|^|- run: )make ([a-z-]+)", text, re.MULTILINE)
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [target for target in targets if target not in TARGETS] == []


def test_workflows_run_what_is_there() -> None:
    """Continuous integration runs `.ci/run`, and the nightly run targets of make."""
    workflows = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").iterdir()}
    steps = {name: re.findall(r"- run: (.*)", text) for name, text in workflows.items()}
    assert steps == {"ci": [".ci/run"], "nightly": ["make ${{ matrix.target }}"]}
    (targets,) = re.findall(r"target: \[(.*)\]", workflows["nightly"])
    assert set(targets.split(", ")) <= TARGETS


def test_hooks_need_nothing_from_elsewhere() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"repo: (\S+)", text) == ["local"]
    assert all(entry.startswith(".venv/bin/") for entry in re.findall(r"entry: (\S+)", text))


def test_the_citation_has_the_version_and_its_date() -> None:
    """The changelog says when it was released."""
    cited = dict(re.findall(r"^([a-z-]+): (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert cited["version"] == version
    assert f"\n## {version} - {cited['date-released']}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_changelog_is_in_its_form() -> None:
    """Unreleased first, then versions with their dates; sections by the names that people know; two lines an entry."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased, *versions = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert unreleased == "Unreleased"
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", version) for version in versions)
    sections = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    assert sections <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert [entry for entry in re.findall(r"^- .*(?:\n  .*)*", text, re.MULTILINE) if entry.count("\n") > 1] == []
