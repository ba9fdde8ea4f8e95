"""Patterns: the slice codes and statistics of rows go in; a table of distinct patterns with counts and sums comes out.

Solving, intervals and checks need nothing else.
"""

from __future__ import annotations

from mandoline_core.patterns.design import SampleDesign, add_up, average_one, one_each
from mandoline_core.patterns.membership import Membership
from mandoline_core.patterns.patterns import (
    Count,
    Patterns,
    code_rates,
    count_patterns,
    distinct_codes,
    find_patterns,
    restrict_source,
    total_statistics,
)
from mandoline_core.patterns.refinement import refine_count
from mandoline_core.patterns.words import describe
