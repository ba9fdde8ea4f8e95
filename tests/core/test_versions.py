"""The versions that others may install and those that were tested, and what is said of their vulnerabilities."""

from __future__ import annotations

import re
import runpy
import tomllib
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.core.projects import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONSTRAINTS = [
    Requirement(line)
    for line in (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
SEPARATE = {"transformers"}  # its versions are in the Makefile: an environment of its own


def asked_for() -> list[Requirement]:
    """List what pyproject.toml names itself."""
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(line for name in extras if name not in SEPARATE for line in extras[name])]
    own = canonicalize_name(PROJECT["name"])
    return [found for line in lines if canonicalize_name((found := Requirement(line)).name) != own]


def test_every_dependency_has_a_tested_version() -> None:
    """`make constraints` was run after pyproject.toml changed."""
    for wanted in asked_for():
        tested = [one for one in CONSTRAINTS if canonicalize_name(one.name) == canonicalize_name(wanted.name)]
        assert tested, f"{wanted.name}: run make constraints"
        for one in tested:
            (pin,) = one.specifier
            assert pin.operator == "=="
            assert wanted.specifier.contains(pin.version), f"{wanted.name}: run make constraints"


def test_every_dependency_has_a_lowest_version_and_no_highest() -> None:
    """`make test-lowest` tests the lowest; a highest would keep others from what they need."""
    assert [wanted.name for wanted in asked_for() if not re.fullmatch(r">=[\d.]+", str(wanted.specifier))] == []


def judge(*packages: dict[str, Any]) -> tuple[int, str]:
    """Say what `make audit` makes of what pip-audit found."""
    return runpy.run_path(str(ROOT / ".ci" / "audit.py"))["judge"](list(packages))


SKIPPED = {"name": "b", "skip_reason": "not found"}
SOUND = {"name": "a", "version": "1", "vulns": []}
WEAK = {"name": "c", "version": "2", "vulns": [{"id": "X-1", "fix_versions": ["3"]}]}


def test_an_audit_that_nobody_answered_is_not_called_clean() -> None:
    """pip-audit itself says that it found no vulnerability when it knows none of the packages."""
    assert judge(SKIPPED, SKIPPED) == (
        0,
        "Not audited: no vulnerability service answered for any of 2 versions.",
    )


def test_an_audit_counts_what_it_knows() -> None:
    assert judge(SOUND, SKIPPED) == (0, "No known vulnerability in 1 versions. 1 versions are unknown to it.")
    code, words = judge(SOUND, WEAK)
    assert code == 1
    assert words.splitlines() == ["c 2: X-1, fixed in 3", "1 known vulnerabilities in 2 versions."]
