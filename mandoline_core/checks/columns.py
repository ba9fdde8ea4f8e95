"""The checks of columns: whether they differ after weighting, one by one and to a domain classifier."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from mandoline_core.checks.balance import BalanceLine, worst_first
from mandoline_core.checks.check import LABELS, NO_WEIGHTS, CheckRule, NotRun, too_few_rows, weights_rows
from mandoline_core.checks.domain_classifier import DomainTest
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.domain_classifier import NamingColumn, name_features
from mandoline_core.findings import Finding
from mandoline_core.formatting import listed, show_points
from mandoline_core.slices import Slice

MOST_FINDINGS = 3
MOST_NAMED = 2  # slices that read a column
_SAME = 1e-9  # standard deviations; sums in another order differ by less
# On real cases, estimates that were right had 0.66 at most; those that were off by more than a point or two had 0.73
# and more, and no estimate could be trusted from 0.9 on, unless what distinguishes the samples is irrelevant.
NOTABLE_AUC, LARGE_AUC = 0.7, 0.9
STANDS_OUT = {NOTABLE_AUC: 3.0, LARGE_AUC: 2.0}  # standard errors
TOO_FEW = 0.15  # a standard error beyond which the rows that count are too few to pass for anything


class ColumnsCheck(CheckRule):
    """Ask whether the other columns match after weighting."""

    name = "columns"
    question = "Do the other columns match after weighting?"
    labels_outweigh = "failure"

    def look(self, report: ModelReport) -> Iterator[Finding | NotRun]:
        """Compare every column after weighting."""
        lines = report.evidence.columns if weights_rows(report) else ()
        yield from naming_findings(report.evidence.naming)
        yield from unmodelled_findings(lines or ())
        if not weights_rows(report):
            yield NO_WEIGHTS
        elif lines is None:
            yield NotRun("Only slice codes are available, so there are no columns to compare.")
        elif not lines:
            yield NotRun("Labelled and new data share no other column, so a hidden change would go unnoticed.")
        elif few := too_few_rows(report, lines[0].threshold):
            yield few


def naming_findings(naming: Sequence[NamingColumn]) -> Iterator[Finding]:
    """Report columns whose values hardly occur in both samples: that they differ says nothing either way.

    A warning: what else changed from the one year or hospital to the other, no check can see.
    """
    if not naming:
        return
    named = listed((repr(one.column) for one in naming[:-1]), MOST_NAMED)
    names = f"{named} and {naming[-1].column!r}" if named else repr(naming[-1].column)
    values = "; ".join(
        f"{f'{one.column}: ' if named else ''}{one.source} in labelled data, {one.target} in new data"
        for one in naming[:MOST_NAMED]
    )
    says, compared = ("name", "they are") if named else ("names", "it is")
    yield Finding(
        "columns",
        "names_sample",
        "warning",
        f"{names} {says} the sample ({values}), so {compared} not compared.",
        f"If nothing else changed with {listed(one.column for one in naming)}, mark "
        f"{'them' if named else 'it'} as irrelevant with a reason. Otherwise label {LABELS} new rows.",
        "No check can see what else changed between the two.",
        numbers={
            "columns": tuple(one.column for one in naming),
            "source": tuple(one.source for one in naming),
            "target": tuple(one.target for one in naming),
            "overlap": tuple(one.overlap for one in naming),
        },
    )


def unmodelled_findings(lines: Iterable[BalanceLine]) -> Iterator[Finding]:
    """Report columns that differ after weighting, beyond sampling error, and could move the estimate.

    At most three, those that could most; pairs of slices have a finding of their own. If nothing was weighted, before
    and after are the same for every line, and no finding mentions weighting.
    """
    lines = [line for line in lines if line.kind != "pair"]
    weighted = any(abs(line.after - line.before) > _SAME for line in lines)
    for line in worst_first(line for line in lines if line.severity is not None)[:MOST_FINDINGS]:
        source, target = line.show(line.weighted), line.show(line.target)
        name = line.name if line.detail == "mean" else repr(line.name)
        change, known = "differs", "labelled data"
        if weighted and not line.constant:
            change, known = "differs after weighting", "weighted labelled data"
        detail = f"That is {line.after:+.2f} standard deviations."
        if line.constant:
            detail = "It is constant in both, so no weights can change that."
        elif weighted:
            detail = f"That is {line.after:+.2f} standard deviations ({line.before:+.2f} before weighting)."
        if line.measured is not None:
            most = show_points(line.measured.most, share=line.measured.share, sign=False)
            detail = f"{detail[:-1]}, and could move the estimate by {most}."
        yield Finding(
            "columns",
            "unmodelled_shift",
            line.severity or "warning",
            f"{name} {change} ({source} in {known}, {target} in new data) and {_coverage(line)}.",
            _remedy(line),
            detail,
            numbers={
                "columns": (line.column,),
                "source": line.source,
                "weighted": line.weighted,
                "target": line.target,
                "before": line.before,
                "after": line.after,
                "effect": line.measured and line.measured.effect,
                "could_move": line.measured and line.measured.most,
                "unseen": line.unseen or line.constant,
            },
        )


def _coverage(line: BalanceLine) -> str:
    if not line.read_by:
        return "no slice covers it"
    one = len(line.read_by) == 1
    return f"{'slice' if one else 'slices'} {_named(line)} {'covers' if one else 'cover'} only part of it"


def _remedy(line: BalanceLine) -> str:
    rule, names = line.suggestion, _named(line)
    if line.unseen or line.constant:
        return unseen_remedy(line.column)
    if isinstance(rule, Slice):
        return f"Add a {rule.kind} slice{f' in addition to {names}' if names else ''}: {rule.describe()}."
    return f"Change {names}, or add another slice on {line.column}." if names else f"Add a slice on {line.column}."


def unseen_remedy(column: str) -> str:
    """Say what to do about a column if no labelled row has the values of the new rows."""
    why = "You have no labelled rows like these, so no slice can help."
    return f"{why} Mark {column} as irrelevant with a reason, or label {LABELS} new rows."


def _named(line: BalanceLine) -> str:
    return listed(map(repr, line.read_by), MOST_NAMED).replace(", ", " and ", int(len(line.read_by) == MOST_NAMED))


class DomainCheck(CheckRule):
    """Ask whether a classifier can tell labelled rows from new rows."""

    name = "apart"
    question = "Do weighted labelled rows look like new rows?"
    labels_outweigh = "failure"

    def look(self, report: ModelReport) -> Iterator[Finding | NotRun] | None:
        """Train a classifier to distinguish weighted labelled rows from new rows."""
        test = report.evidence.domain_test
        if test is None or not weights_rows(report):
            return None
        return domain_findings(
            test, {line.column for line in report.evidence.columns or () if line.unseen or line.constant}
        )


def domain_findings(test: DomainTest, unseen: Collection[str] = ()) -> Iterator[Finding | NotRun]:
    """Report that a classifier distinguishes the samples beyond sampling error: often (0.7), or nearly always (0.9).

    Parameters
    ----------
    unseen : collection of str
        Columns of which no labelled row has the values of the new rows.
    """
    level = LARGE_AUC if test.after >= LARGE_AUC else NOTABLE_AUC
    if test.after < NOTABLE_AUC or test.z < STANDS_OUT[level] or not test.top_features:
        if test.error > TOO_FEW:
            yield NotRun("Too few effective rows to test whether a classifier can tell labelled rows from new rows.")
        return
    column, features = test.top_features[0].column, name_features(test.top_features)
    can, before = "A classifier can", ""
    if test.weighted:
        can, before = "After weighting, a classifier can still", f"Before weighting it was {test.before:.2f}. "
    yield Finding(
        "apart",
        "told_apart",
        "serious" if level == LARGE_AUC else "warning",
        f"{can} tell labelled rows from new rows (AUC {test.after:.2f}), mainly by {features}.",
        unseen_remedy(column) if column in unseen else f"Add slices on {column}, or mark it as irrelevant.",
        f"{before}Tested on {test.n_source:,} labelled rows and {test.n_target:,} new rows.",
        numbers={
            "before": test.before,
            "after": test.after,
            "unseen": column in unseen,
            "columns": tuple(feature.column for feature in test.top_features),
            "features": features,
            "source": test.n_source,
            "target": test.n_target,
        },
    )
