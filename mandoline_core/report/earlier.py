"""An earlier report: its numbers are read off the HTML file, to say what has changed since."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mandoline_core.errors import MandolineError

_NUMBERS = re.compile(r'<script type="application/json" id="numbers">(.*?)</script>', re.DOTALL)
_DAY = re.compile(r'<time datetime="(\d{4}-\d\d-\d\d)">')
_LARGEST = 100_000_000  # characters of an earlier report


@dataclass(frozen=True)
class EarlierReport:
    """Hold the numbers of an earlier report, and the day it was made."""

    numbers: Mapping[str, Any]
    day: str


def read_report(text: str) -> EarlierReport:
    """Read the numbers of a report that was written as HTML.

    >>> read_report("<p>No report.</p>")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.MandolineError: This is not a report of Mandoline. Choose an HTML file that it wrote.
    """
    found = _NUMBERS.search(text) if len(text) <= _LARGEST else None
    try:
        numbers = json.loads(found[1]) if found else None
    except (ValueError, RecursionError):
        numbers = None
    if not isinstance(numbers, dict) or not isinstance(numbers.get("models"), dict) or "made" not in numbers:
        raise MandolineError("This is not a report of Mandoline. Choose an HTML file that it wrote.")
    day = _DAY.search(text)
    return EarlierReport(numbers, day[1] if day else "an unknown day")
