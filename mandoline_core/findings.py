"""Findings: what a person should know before quoting a number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["info", "warning", "serious"]
_ORDER = {"serious": 0, "warning": 1, "info": 2}


@dataclass(frozen=True)
class Finding:
    """Say in plain words what is doubtful, and what to do about it.

    Parameters
    ----------
    code : str
        A stable name for programs.
    severity : {"info", "warning", "serious"}
    slices : tuple of str
        The slices it speaks of, for programs.
    """

    code: str
    severity: Severity
    message: str
    remedy: str
    slices: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, str]:
        """Return the finding as plain data: what `--json` prints."""
        return {"code": self.code, "severity": self.severity, "message": self.message, "remedy": self.remedy}


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort by severity, keeping the order within one."""
    return tuple(sorted(findings, key=lambda finding: _ORDER[finding.severity]))


@dataclass(frozen=True)
class Check:
    """Hold one check.

    Parameters
    ----------
    state : {"passed", "doubtful", "failed", "not run"}
    words : str
        What was found, or why it could not run.
    """

    name: str
    question: str
    state: str
    words: str


@dataclass(frozen=True)
class Verdict:
    """Hold the traffic light, its sentence, and the checks behind it.

    Parameters
    ----------
    level : {"green", "amber", "red"}
    """

    level: str
    message: str
    checks: tuple[Check, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return asdict(self)
