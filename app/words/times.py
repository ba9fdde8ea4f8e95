"""When something was, in words."""

from __future__ import annotations

from mandoline_core.formatting import counted

_STEPS = ((60.0, "second"), (60.0, "minute"), (24.0, "hour"), (7.0, "day"), (4.35, "week"), (12.0, "month"))


def ago(seconds: float) -> str:
    """Say how long ago something was.

    >>> ago(3), ago(200), ago(90_000), ago(1e9)
    ('just now', '3 minutes ago', '1 day ago', '31 years ago')
    """
    if seconds < 45:
        return "just now"
    left = seconds
    for most, unit in _STEPS:
        if round(left) < most:
            return f"{counted(max(round(left), 1), unit)} ago"
        left /= most
    return f"{counted(int(left), 'year')} ago"
