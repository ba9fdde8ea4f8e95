"""Comparing: a request goes in; the estimates of every method for every model come out, with differences and rankings.

Methods that do not apply say why.
"""

from __future__ import annotations

from mandoline_core.comparison.compare import compare, compare_model, gather, run_estimator
from mandoline_core.comparison.results import Comparison, Difference, Entry, ModelComparison, Ranking, summarise
