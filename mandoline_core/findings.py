"""Findings: what a person should know before quoting a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mandoline_core.formatting import Sentence

Severity = Literal["info", "warning", "serious"]
_MEANS = {"green": "Usable", "amber": "Usable with care", "red": "Not to be trusted"}
NOT_PASSED = ("failed", "doubtful", "not run")  # states of a check that speak against an estimate, the loudest first
_ORDER = {"serious": 0, "warning": 1, "info": 2}


@dataclass(frozen=True)
class FindingKind:
    """Declare what a check may find: its code, and its sentences as templates (see `Sentence`).

    Parameters
    ----------
    check : str
        The name of the check that it belongs to.
    code : str
        A stable name for programs.
    headline : str
        What is doubtful, at a glance: a sentence without its full stop.
    remedy : str
        What to do about it.
    detail : str
        The rest of the message, from the punctuation on.

    Examples
    --------
    >>> kind = FindingKind("slices", "tiny_slice", "Slice {name!r} has {n} {source_rows}", "Widen it.", ": too few.")
    >>> print(kind.found("warning", name="a", n=2).message)
    Slice 'a' has 2 source rows: too few.
    """

    check: str
    code: str
    headline: str
    remedy: str
    detail: str = "."

    def found(self, severity: Severity, *, slices: tuple[str, ...] = (), **numbers: Any) -> Finding:
        """Say that it was found, with the numbers and names that its templates need."""
        return Finding(self, severity, slices, numbers)


def rows_left_out(code: str, *, lacking: str) -> FindingKind:
    """Declare that rows are left out for what they lack.

    >>> print(rows_left_out("no_label", lacking="a label").found("info", missing=2, n=9, name="a.csv").message)
    2 of 9 rows of a.csv lack a label and are left out.
    """
    headline = "{missing:,} of {n:,} rows of {name} lack " + lacking + " and are left out"
    return FindingKind("rows", code, headline, "Fill in what is missing if these rows differ from the others.")


@dataclass(frozen=True)
class Finding:
    """Hold what is doubtful, and what to do about it.

    Parameters
    ----------
    severity : {"info", "warning", "serious"}
    slices : tuple of str
        The slices it speaks of, for programs.
    numbers : mapping of str to object
        The parts of the kind's templates: numbers and names, unformatted.
    """

    kind: FindingKind
    severity: Severity
    slices: tuple[str, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def check(self) -> str:
        """The name of the check that it belongs to."""
        return self.kind.check

    @property
    def code(self) -> str:
        """A stable name for programs."""
        return self.kind.code

    @property
    def headline(self) -> Sentence:
        """What is doubtful, at a glance."""
        return Sentence(f"{self.kind.headline}.", **self.numbers)

    @property
    def message(self) -> Sentence:
        """What is doubtful, and what is known about it."""
        return Sentence(self.kind.headline + self.kind.detail, **self.numbers)

    @property
    def remedy(self) -> Sentence:
        """What to do about it."""
        return Sentence(self.kind.remedy, **self.numbers)

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain data: what `--json` prints."""
        return {
            "check": self.check,
            "code": self.code,
            "severity": self.severity,
            "headline": self.headline,
            "message": self.message,
            "remedy": self.remedy,
            "slices": list(self.slices),
            "numbers": {name: _plain(value) for name, value in self.numbers.items()},
        }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort by severity, keeping the order within one."""
    return tuple(sorted(findings, key=lambda finding: _ORDER[finding.severity]))


@dataclass(frozen=True)
class Check:
    """Hold what became of one check.

    Parameters
    ----------
    state : {"passed", "doubtful", "failed", "not run"}
    words : str
        What was found, or why it could not run.
    headline : str
        The same at a glance.
    """

    name: str
    question: str
    state: str
    words: str
    headline: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return the check as plain data."""
        return {"name": self.name, "question": self.question, "state": self.state, "words": self.words}


def loudest_first(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Sort the checks that did not pass by how loudly they speak against an estimate."""
    return tuple(
        sorted((one for one in checks if one.state in NOT_PASSED), key=lambda one: NOT_PASSED.index(one.state))
    )


@dataclass(frozen=True)
class Verdict:
    """Hold the traffic light, its reason, and the checks behind it.

    Parameters
    ----------
    level : {"green", "amber", "red"}
    reason : str
        What follows the first words of the message.
    assumption : str
        What must hold for the interval to be honest, as the end of "The interval is honest if ...".
    doubts : str
        What speaks against the estimate: the loudest check at a glance, and how many others did not pass.
    harmless : mapping of str to str
        Columns that no check looked at, because a person declared that their change does not matter; and why.
    """

    level: str
    reason: str
    checks: tuple[Check, ...]
    assumption: str = ""
    doubts: str = ""
    harmless: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def declared(self) -> tuple[Sentence, ...]:
        """What a person declared, a sentence a column: the verdict rests on it."""
        return tuple(
            Sentence(
                "Declared harmless: a change of {column!r} does not matter{why}.",
                column=column,
                why=f", because {reason.strip().rstrip('.')}" if reason.strip() else "; no reason was given",
            )
            for column, reason in self.harmless.items()
        )

    @property
    def loudest_first(self) -> tuple[Check, ...]:
        """The checks that speak against the estimate: those that failed, those in doubt, those that could not run."""
        return loudest_first(self.checks)

    @property
    def loudest(self) -> Check | None:
        """The check that speaks loudest against the estimate."""
        return next(iter(self.loudest_first), None)

    @property
    def meaning(self) -> str:
        """What the light means, in a few words."""
        return _MEANS[self.level]

    @property
    def message(self) -> Sentence:
        """What the light means here."""
        return Sentence("{means}: {reason}", means=self.meaning, reason=self.reason)

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {
            "level": self.level,
            "message": self.message,
            "checks": [check.as_dict() for check in self.checks],
            "harmless": [{"column": column, "reason": reason} for column, reason in self.harmless.items()],
        }
