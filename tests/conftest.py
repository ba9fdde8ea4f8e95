"""What all tests share: repeatable examples, and which modules are left out of the quick check."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples on every run: a red test is a change in the code, never in the luck of the draw.
# No deadline: the first call of a numerical library may take long.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")

# Modules that take more than a few seconds each. `make check` leaves them out, `make test` runs them.
SLOW_MODULES = {
    "test_bootstrap",
    "test_data_page",
    "test_estimate_page",
    "test_estimators",
    "test_influence",
    "test_kliep",
    "test_reach",
    "test_store",
    "test_workbench",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow modules and everything that needs a browser."""
    for item in items:
        if item.path.stem in SLOW_MODULES or "browser" in item.path.parts:
            item.add_marker(pytest.mark.slow)
