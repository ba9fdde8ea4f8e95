"""The check of all columns together: whether a classifier still tells weighted rows from new ones."""

from __future__ import annotations

from collections.abc import Iterator

from mandoline_core.checks.check import CheckRule, NotRun, weights_rows
from mandoline_core.checks.domain_classifier import Apart
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.domain_classifier import name_features
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence

# On real cases, estimates that were right had 0.66 at most; those that were off by more than a point or two had 0.73
# and more, and no estimate could be trusted from 0.9 on, unless what tells the samples apart does not matter.
NOTABLE, LARGE = 0.7, 0.9
STANDS_OUT = {NOTABLE: 3.0, LARGE: 2.0}  # standard errors
TOO_FEW = 0.15  # a standard error beyond which the rows that count are too few to pass for anything

_REMEDY = (
    "Write slices that speak of it. If the model does as well whatever {column!r} says, declare that column harmless, "
    "with your reason."
)
_DETAIL = (
    ". 0.5 is chance, 1 is perfect{was}; a classifier tried it on {here:,} {source_rows} and "
    "{there:,} {target_rows}. It matters if the model does better or worse where they differ."
)
STILL_APART = FindingKind(
    "apart",
    "told_apart",
    "After weighting, rows of the {source} can still be told from rows of the {target} (AUC {after:.2f}), mostly by "
    "{carriers}",
    _REMEDY,
    _DETAIL,
)
APART = FindingKind(
    "apart",
    "told_apart",
    "Rows of the {source} can be told from rows of the {target} (AUC {after:.2f}), mostly by {carriers}",
    _REMEDY,
    _DETAIL,
)


class ApartCheck(CheckRule):
    """Ask whether all columns together give away which sample a row is from."""

    name = "apart"
    question = "Do weighted rows pass for new ones?"

    def look(self, report: ModelReport) -> Iterator[Finding | NotRun] | None:
        """Look at what the classifier makes of the weights; where there is nothing to look at, the columns say so."""
        found = report.evidence.apart
        return None if found is None or not weights_rows(report) else apart_findings(found)


def apart_findings(found: Apart) -> Iterator[Finding | NotRun]:
    """Say that the samples can be told apart beyond luck: to some extent (0.7), or nearly always (0.9)."""
    level = LARGE if found.after >= LARGE else NOTABLE
    if found.after < NOTABLE or found.z < STANDS_OUT[level] or not found.top_features:
        if found.error > TOO_FEW:
            yield NotRun("Too few of the rows that were looked at count for anything, so none can be told apart.")
        return
    yield (STILL_APART if found.weighted else APART).found(
        "serious" if level == LARGE else "warning",
        before=found.before,
        after=found.after,
        column=found.top_features[0].column,
        columns=tuple(one.column for one in found.top_features),
        carriers=name_features(found.top_features),
        was=Sentence("; it was {before:.2f} before weighting", before=found.before) if found.weighted else "",
        here=found.n_source,
        there=found.n_target,
    )
