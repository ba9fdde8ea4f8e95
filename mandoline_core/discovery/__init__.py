"""Discovery: slices worth trying, each tried, and accepted only on request; and rules for selected rows.

Candidate rules come from the columns, without a look at scores; relevance ranks them; choosing on halves says how far
the choice itself may have moved the estimate. A map of both samples' rows, and the simplest rules for
selected rows, help to describe a visible change.
"""

from __future__ import annotations

from mandoline_core.discovery.description import FEWEST, Description, describe_selection
from mandoline_core.discovery.row_map import MOST_ROWS, RowMap, map_rows
from mandoline_core.discovery.selection import CrossFit
from mandoline_core.discovery.spread import Spread, spread, spread_of_fits
from mandoline_core.discovery.suggest import suggest
from mandoline_core.discovery.suggestions import (
    GIVE_A_REASON,
    NO_CURE,
    AcceptedSlices,
    RemainingShift,
    Suggestion,
    Suggestions,
    TrialEstimate,
)
