"""The check of the overlap: new rows that are left out, and combinations of slices that no labelled row has."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mandoline_core.checks.check import CheckRule
from mandoline_core.findings import Finding
from mandoline_core.formatting import listed, show_percent, show_value
from mandoline_core.pipeline import Estimate

MUCH_UNSEEN = 0.05
MUCH_ASIDE = 0.2


class OverlapCheck(CheckRule):
    """Ask whether every new row has labelled rows like it."""

    name = "overlap"
    question = "Does every new row have labelled rows like it?"
    labels_outweigh = "doubt"
    on_slices = True

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Report new rows that are left out or in unseen combinations of slices, and labelled rows without weight."""
        table, outcome, aside = estimate.problem.patterns, estimate.outcome, estimate.set_aside
        unseen = estimate.diagnostics.unseen
        if aside > 0:
            rows = round(float(estimate.problem.row_counts[1] @ (1 - outcome.kept)))
            named = listed(outcome.beyond, 4)
            yield Finding(
                "overlap",
                "set_aside",
                "serious" if aside > MUCH_ASIDE else "warning",
                f"{show_percent(aside)} of the new data ({rows:,} rows) matches no labelled row and is left out.",
                f"Label a few of these rows, or {f'turn off or merge {named}' if named else 'use fewer slices'}.",
                f"The estimate covers the other {show_percent(1 - aside)}.{_whole(estimate)}",
                numbers={"share": aside, "rows": rows, "left": 1 - aside, "slices": tuple(outcome.beyond)},
            )
        elif unseen > MUCH_UNSEEN:
            yield Finding(
                "overlap",
                "unseen_patterns",
                "warning",
                f"{show_percent(unseen)} of the new data has combinations of slices that no labelled row has.",
                "Use fewer slices, or label some of these rows.",
                "For these rows the estimate assumes that the effects of slices add up.",
                numbers={"share": unseen},
            )
        unused = round(estimate.problem.row_counts[0][outcome.unused].sum()) if outcome.unused.any() else 0
        if unused:
            n = round(table.n_source)
            yield Finding(
                "overlap",
                "unused_source_rows",
                "info",
                f"{unused:,} of {n:,} labelled rows have weight 0, because no new row is like them.",
                "Nothing to do, unless the new data is a small sample.",
                numbers={"n": unused, "n_source": n},
            )


def _whole(estimate: Estimate) -> str:
    """Say where the metric on all new rows is, if it has bounds."""
    bounds, metric = estimate.diagnostics.bounds, estimate.problem.metric
    if bounds is None:
        return ""
    low, high = (show_value(end, share=metric.share) for end in bounds)
    where = f"between {low} and {high}" if math.isfinite(bounds[1]) else f"at least {low}"
    return f" On all of the new data the {metric.name} is {where}, before sampling error."
