"""Settings that all tests share."""

from __future__ import annotations

from hypothesis import settings

# The same examples on every run: a red test is a change in the code, never in the luck of the draw.
# No deadline: the first call of a numerical library may take long.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
