"""Suggesting: what is asked for goes in; slices worth trying come out, each tried, and accepted only on request.

Candidates come from the columns, without a look at scores; relevance ranks them; choosing on halves says how far the
choice itself may have moved the estimate.
"""

from __future__ import annotations

from mandoline_core.suggesting.crossfit import CrossFit
from mandoline_core.suggesting.results import Accepted, Suggestion, Suggestions, Trial, Unexplained
from mandoline_core.suggesting.spread import Spread, spread
from mandoline_core.suggesting.suggest import suggest
