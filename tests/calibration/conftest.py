"""Print what was measured, also when the tests ran in several processes."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the numbers that tests recorded as "measured"."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    measured = [value for report in reports for name, value in report.user_properties if name == "measured"]
    if measured:
        terminalreporter.section("measured")
        for value in sorted(measured):
            terminalreporter.line(value)
