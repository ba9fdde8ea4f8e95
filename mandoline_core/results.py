"""Results as tables: what every result of the library offers a notebook, a console and a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mandoline_core.formatting import html_table, one_line, show_value, table

if TYPE_CHECKING:
    import pandas as pd

_MOST_LINES = 8  # of a table in a console
_LONGEST = 40  # characters of a text in it


class Tabular:
    """Give a result a data frame, plain data, and a short form to look at.

    A subclass has `records`, one mapping a line, and `as_dict`.

    Examples
    --------
    >>> class Shares(Tabular):
    ...     def records(self):
    ...         return [{"slice": "short", "share": 0.59812}]
    >>> Shares()
    Shares: 1 line
    slice  share
    short  0.5981
    >>> Shares().to_frame().shape
    (1, 2)
    """

    def records(self) -> list[dict[str, Any]]:
        """List the lines of the table."""
        raise NotImplementedError

    def as_dict(self) -> Any:
        """Return everything as plain data: what `--json` prints."""
        raise NotImplementedError

    def to_dict(self) -> Any:
        """Return everything as plain data: what `--json` prints."""
        return self.as_dict()

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(self.records())

    def __repr__(self) -> str:
        """Write the first lines of the table."""
        lines = self.records()
        head = f"{type(self).__name__}: {len(lines)} line{'' if len(lines) == 1 else 's'}"
        cells = _cells(lines[:_MOST_LINES])
        more = [f"and {len(lines) - _MOST_LINES} more: see .to_frame()"] if len(lines) > _MOST_LINES else []
        return "\n".join([head, *([table(cells, "<" * len(cells[0]))] if lines else []), *more])

    def _repr_html_(self) -> str:
        lines = self.records()
        return html_table(_cells(lines)) if lines else ""


def ends(interval: tuple[float, float] | None) -> dict[str, float | None]:
    """Put an interval into two columns.

    >>> ends((0.1, 0.2)), ends(None)
    ({'low': 0.1, 'high': 0.2}, {'low': None, 'high': None})
    """
    low, high = (None, None) if interval is None else interval
    return {"low": low, "high": high}


def _cells(lines: list[dict[str, Any]]) -> list[list[str]]:
    names = list(dict.fromkeys(name for line in lines for name in line))
    return [names, *([_cell(line, name) for name in names] for line in lines)]


def _cell(line: Mapping[str, Any], name: str) -> str:
    value = line.get(name)
    if value is None:
        return ""
    text = one_line(show_value(value, share=False) if isinstance(value, float) else str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
