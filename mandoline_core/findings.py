"""Findings: what to know before you quote a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["info", "warning", "serious"]
MEANINGS = {
    "confirmed": "Confirmed by labels",
    "green": "Usable",
    "amber": "Usable with care",
    "red": "Do not quote yet",
}
CONTRADICTED = "Contradicted by labels"
NOT_PASSED = ("failed", "doubtful", "not run")  # worst first
_ORDER = {"serious": 0, "warning": 1, "info": 2}


@dataclass(frozen=True)
class Finding:
    """Hold what is doubtful, and what to do about it.

    Parameters
    ----------
    check : str
        The name of the check that it belongs to.
    code : str
        A stable name for programs.
    severity : {"info", "warning", "serious"}
    text : str
        What is doubtful, in one sentence.
    remedy : str
        What to do about it.
    detail : str
        The figures behind it.
    slices : tuple of str
        The slices it is about, for programs.
    numbers : mapping of str to object
        Its numbers and names, unformatted, for programs.

    Examples
    --------
    >>> finding = Finding("slices", "tiny_slice", "warning", "Slice 'a' has 2 labelled rows.", "Widen its rule.")
    >>> finding.message
    "Slice 'a' has 2 labelled rows."
    """

    check: str
    code: str
    severity: Severity
    text: str
    remedy: str = ""
    detail: str = ""
    slices: tuple[str, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def message(self) -> str:
        """What is doubtful, with the figures behind it."""
        return f"{self.text} {self.detail}".strip()

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain data: what `--json` prints."""
        return {
            "check": self.check,
            "code": self.code,
            "severity": self.severity,
            "headline": self.text,
            "message": self.message,
            "remedy": self.remedy,
            "slices": list(self.slices),
            "numbers": {name: _plain(value) for name, value in self.numbers.items()},
        }


def rows_left_out(code: str, missing: int, n: int, *, name: str, lacking: str) -> tuple[Finding, ...]:
    """Report rows that are left out because a value is missing; a warning above 1%.

    >>> print(rows_left_out("no_label", 2, 9, name="a.csv", lacking="label")[0].message)
    2 of 9 rows of a.csv have no label and are left out.
    """
    if not missing:
        return ()
    text = f"{missing:,} of {n:,} rows of {name} have no {lacking} and are left out."
    severity: Severity = "warning" if missing > 0.01 * n else "info"
    remedy = "Fill in the missing values if these rows differ from the others."
    return (Finding("rows", code, severity, text, remedy, numbers={"missing": missing, "n": n, "name": name}),)


def rows_sampled(
    code: str, source: int, n_source: int, target: int, n_target: int, *, remedy: str = ""
) -> tuple[Finding, ...]:
    """Report that a method used a random sample of the rows.

    >>> print(rows_sampled("rows_drawn", 50, 60, 2000, 9000)[0].message)
    This method used a random sample: 50 of 60 labelled rows, 2,000 of 9,000 new rows.
    """
    if (source, target) == (n_source, n_target):
        return ()
    used = f"{source:,} of {n_source:,} labelled rows, {target:,} of {n_target:,} new rows"
    numbers = {"source": source, "n_source": n_source, "target": target, "n_target": n_target}
    return (Finding("rows", code, "info", f"This method used a random sample: {used}.", remedy, numbers=numbers),)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort by severity, keeping the order within one."""
    return tuple(sorted(findings, key=lambda finding: _ORDER[finding.severity]))


@dataclass(frozen=True)
class Check:
    """Hold the result of one check.

    Parameters
    ----------
    state : {"passed", "doubtful", "failed", "not run"}
    words : str
        What was found, or why it did not run.
    headline : str
        The same in short.
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
    """Return the checks that did not pass, worst first."""
    return tuple(
        sorted((one for one in checks if one.state in NOT_PASSED), key=lambda one: NOT_PASSED.index(one.state))
    )


@dataclass(frozen=True)
class Verdict:
    """Hold the traffic light, its reason, and the checks behind it.

    Parameters
    ----------
    level : {"confirmed", "green", "amber", "red"}
        Confirmed: labels of some new rows agree, and a large hidden change would have shown.
    reason : str
        What follows the first words of the message.
    assumption : str
        What must hold for the interval to be valid, as the end of "The interval is valid if ...".
    doubts : str
        The worst check in short, and how many others did not pass.
    harmless : mapping of str to str
        Columns that no check looked at, because they are marked as irrelevant; and why.
    contradicted : bool
        Whether labels of some new rows contradict the estimate.
    """

    level: str
    reason: str
    checks: tuple[Check, ...]
    assumption: str = ""
    doubts: str = ""
    harmless: Mapping[str, str] = field(default_factory=dict, hash=False)
    contradicted: bool = False

    @property
    def declared(self) -> tuple[str, ...]:
        """The columns marked as irrelevant, a sentence each: the verdict rests on them."""
        return tuple(
            f"{column} is marked as irrelevant"
            + (f": {reason.strip().rstrip('.')}." if reason.strip() else " (no reason given).")
            for column, reason in self.harmless.items()
        )

    @property
    def loudest_first(self) -> tuple[Check, ...]:
        """The checks that did not pass: those that failed, those in doubt, those that did not run."""
        return loudest_first(self.checks)

    @property
    def loudest(self) -> Check | None:
        """The worst check that did not pass."""
        return next(iter(self.loudest_first), None)

    @property
    def meaning(self) -> str:
        """What the light means, in a few words."""
        return CONTRADICTED if self.contradicted else MEANINGS[self.level]

    @property
    def message(self) -> str:
        """What the light means, and the reason."""
        return f"{self.meaning}: {self.reason}"

    def __repr__(self) -> str:
        return f"Verdict({self.level}: {self.message})"

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return {
            "level": self.level,
            "message": self.message,
            "checks": [check.as_dict() for check in self.checks],
            "harmless": [{"column": column, "reason": reason} for column, reason in self.harmless.items()],
        }
