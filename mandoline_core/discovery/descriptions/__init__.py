"""Describing: two samples go in and a map of their rows comes out; rows of it go in, and rules that describe them.

For people who see what changed before they can say it.
"""

from __future__ import annotations

from mandoline_core.discovery.descriptions.describe import FEWEST, Description, describe_selection
from mandoline_core.discovery.descriptions.row_map import MOST_ROWS, RowMap, map_rows
