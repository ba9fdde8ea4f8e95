"""An earlier report: its numbers are read off the HTML file, to say what has changed since."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from mandoline_core.errors import MandolineError

_NUMBERS, _DAY = '<script type="application/json" id="numbers">', '<time datetime="'  # what stands before each
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
    numbers, day = None, "an unknown day"
    if len(text) <= _LARGEST:
        with suppress(ValueError, RecursionError):
            numbers = json.loads(text.partition(_NUMBERS)[2].partition("</script>")[0])
    if not isinstance(numbers, dict) or not isinstance(numbers.get("models"), dict) or "made" not in numbers:
        raise MandolineError("This is not a report of Mandoline. Choose an HTML file that it wrote.")
    with suppress(ValueError):
        day = date.fromisoformat(text.partition(_DAY)[2][:10]).isoformat()
    return EarlierReport(numbers, day)
