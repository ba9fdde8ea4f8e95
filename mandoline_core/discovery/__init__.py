"""Suggesting: what is asked for goes in; slices worth trying come out, each tried, and accepted only on request.

Candidates come from the columns, without a look at scores; relevance ranks them; choosing on halves says how far the
choice itself may have moved the estimate.
"""

from __future__ import annotations

from mandoline_core.discovery.crossfit import CrossFit
from mandoline_core.discovery.results import Accepted, Suggestion, Suggestions, Trial, Unexplained
from mandoline_core.discovery.spread import Spread, spread
from mandoline_core.discovery.suggest import suggest
