"""The check of the overlap: target rows that are set aside, and combinations of slices that no labelled row shows."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mandoline_core.checks.check import CheckRule
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence, show_value
from mandoline_core.pipeline import Estimate

MUCH_UNSEEN = 0.05
MUCH_ASIDE = 0.2

SET_ASIDE = FindingKind(
    "overlap",
    "set_aside",
    "{share:percent} of the {target} ({rows:,} rows) resembles no labelled row{why} and is set aside: this speaks of "
    "{left:percent} of the {target}",
    "Label a few of these rows, or drop or merge the slices named.",
    ".{whole}",
)
UNSEEN_PATTERNS = FindingKind(
    "overlap",
    "unseen_patterns",
    "{share:percent} of the {target} shows combinations of slices that no labelled row shows",
    "Use fewer slices, or label some of these rows.",
    ". There the estimate assumes that slices add up.",
)
UNUSED_ROWS = FindingKind(
    "overlap",
    "unused_source_rows",
    "{n:,} of {n_source:,} {source_rows} count for nothing: the {target} has none like them",
    "Nothing to do, unless the {target} sample is too small to show them.",
)


class OverlapCheck(CheckRule):
    """Ask whether the source has rows like the target's."""

    name = "overlap"
    question = "Does the labelled data have rows like the new ones?"
    on_slices = True

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Say what is set aside, or seen only by adding slices up, and what the target has no use for."""
        table, outcome, aside = estimate.problem.patterns, estimate.outcome, estimate.set_aside
        unseen = estimate.diagnostics.unseen
        if aside > 0:
            yield SET_ASIDE.found(
                "serious" if aside > MUCH_ASIDE else "warning",
                share=aside,
                rows=round(aside * table.n_target),
                why=Sentence(" (slices {names:list 4})", names=outcome.beyond) if outcome.beyond else "",
                left=1 - aside,
                whole=_whole(estimate),
            )
        elif unseen > MUCH_UNSEEN:
            yield UNSEEN_PATTERNS.found("warning", share=unseen)
        unused = round(table.source[outcome.unused].sum()) if outcome.unused.any() else 0
        if unused:
            yield UNUSED_ROWS.found("info", n=unused, n_source=round(table.n_source))


def _whole(estimate: Estimate) -> str:
    """Say where the metric on the whole target lies, if it has bounds."""
    bounds, metric = estimate.diagnostics.bounds, estimate.problem.metric
    if bounds is None:
        return ""
    low, high = (show_value(end, share=metric.share) for end in bounds)
    lies = f"lies between {low} and {high}" if math.isfinite(bounds[1]) else f"is {low} or more"
    return Sentence(
        " For the whole {target} the {metric} {lies}, before sampling error.", metric=metric.name, lies=lies
    )
