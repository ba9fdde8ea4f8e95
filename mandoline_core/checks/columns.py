"""The checks of columns: whether what no slice speaks of still differs, one by one and to a domain classifier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mandoline_core.checks.balance import BalanceLine
from mandoline_core.checks.check import NO_WEIGHTS, CheckRule, NotRun, too_few_rows, weights_rows
from mandoline_core.checks.domain_classifier import DomainTest
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.checks.means import NOTABLE
from mandoline_core.domain_classifier import name_features
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.slices import Slice

LARGE = 0.8  # standard deviations; from here on, the two samples hardly look like one population in that column
MOST_FINDINGS = 3
MOST_NAMED = 2  # slices that read a column
_SAME = 1e-9  # standard deviations; sums in another order differ by less
# On real cases, estimates that were right had 0.66 at most; those that were off by more than a point or two had 0.73
# and more, and no estimate could be trusted from 0.9 on, unless what tells the samples apart does not matter.
NOTABLE_AUC, LARGE_AUC = 0.7, 0.9
STANDS_OUT = {NOTABLE_AUC: 3.0, LARGE_AUC: 2.0}  # standard errors
TOO_FEW = 0.15  # a standard error beyond which the rows that count are too few to pass for anything

_MATTERS = ". It matters if the model does better or worse there."
STILL_OFF = FindingKind(
    "columns",
    "unmodelled_shift",
    "After weighting, the {what} is still off, and {why}",
    "{action}",
    ": {here} in the {source}, {weighted} after weighting and {there} in the {target} ({before:+.2f} standard "
    "deviations before, {after:+.2f} after)" + _MATTERS,
)
OFF = FindingKind(
    "columns",
    "unmodelled_shift",
    "The {what} is off: {here} in the {source} and {there} in the {target} ({before:+.2f} standard deviations)",
    "{action}",
    _MATTERS,
)
CONSTANT = FindingKind(
    "columns",
    "unmodelled_shift",
    "The {what} is {here} in the {source} and {there} in the {target}, and no weights can change that",
    "{action}",
    ": no two rows of a sample differ in it" + _MATTERS,
)
_REMEDY = (
    "Write slices that speak of it. If the model does as well whatever {column!r} says, declare that column harmless, "
    "with your reason."
)
_DETAIL = (
    ". 0.5 is chance, 1 is perfect{was}; a classifier tried it on {here:,} {source_rows} and "
    "{there:,} {target_rows}. It matters if the model does better or worse where they differ."
)
STILL_TOLD_APART = FindingKind(
    "apart",
    "told_apart",
    "After weighting, rows of the {source} can still be told from rows of the {target} (AUC {after:.2f}), mostly by "
    "{carriers}",
    _REMEDY,
    _DETAIL,
)
TOLD_APART = FindingKind(
    "apart",
    "told_apart",
    "Rows of the {source} can be told from rows of the {target} (AUC {after:.2f}), mostly by {carriers}",
    _REMEDY,
    _DETAIL,
)


class ColumnsCheck(CheckRule):
    """Ask whether the other columns match."""

    name = "columns"
    question = "Do the other columns match?"

    def look(self, report: ModelReport) -> Iterator[Finding | NotRun]:
        """Compare every column after weighting."""
        lines = report.evidence.columns if weights_rows(report) else ()
        yield from unmodelled_findings(lines or ())
        if not weights_rows(report):
            yield NO_WEIGHTS
        elif lines is None:
            yield NotRun("Only slice codes are known, so other columns could not be compared.")
        elif not lines:
            yield NotRun("There is no other column in both samples to compare, so a hidden change would not show.")
        elif few := too_few_rows(report, lines[0].threshold):
            yield few


def unmodelled_findings(lines: Iterable[BalanceLine]) -> Iterator[Finding]:
    """Say which columns are left off beyond sampling error: by a quarter of a standard deviation, or by much (0.8).

    At most three, the worst; pairs of slices have a finding of their own. Where nothing was weighted, before and
    after are the same for every line, and nothing is said of weighting.
    """
    lines = [line for line in lines if line.kind != "pair"]
    weighted = any(abs(line.after - line.before) > _SAME for line in lines)
    notable = [line for line in lines if line.stands_out and abs(line.after) > NOTABLE]
    for line in sorted(notable, key=lambda line: -round(abs(line.after), 12))[:MOST_FINDINGS]:  # twins stay in order
        kind = CONSTANT if line.constant else STILL_OFF if weighted else OFF
        yield kind.found(
            "serious" if abs(line.after) > LARGE else "warning",
            columns=(line.column,),
            what=_what(line),
            why=_why(line.read_by),
            here=line.show(line.source),
            weighted=line.show(line.weighted),
            there=line.show(line.target),
            before=line.before,
            after=line.after,
            action=_action(line),
        )


def _what(line: BalanceLine) -> Sentence:
    if line.words and line.detail != "missing":  # of text; the first word is the one compared
        word = line.words[0].name
        return Sentence("share of rows whose {column!r} contains {word!r}", column=line.column, word=word)
    if line.detail == "mean":
        return Sentence("mean of {column!r}", column=line.column)
    return Sentence("share of rows with {name!r}", name=line.name)


def _why(readers: Sequence[str]) -> Sentence:
    if not readers:
        return Sentence("no slice stands for it")
    template = (
        "the slice {names} reads this column but does"
        if len(readers) == 1
        else "the slices {names} read this column but do"
    )
    return Sentence(f"{template} not catch it all", names=_named(readers))


def _action(line: BalanceLine) -> Sentence:
    rule, names = line.suggestion, _named(line.read_by)
    if line.constant:  # there is no labelled row that a slice could give more weight
        return Sentence(
            "If the model does as well whatever {column!r} says, declare that column harmless, with your reason. If "
            "not, label some rows of the {target}.",
            column=line.column,
        )
    if isinstance(rule, Slice):
        new = "another slice beside {names}, of kind" if names else "a slice of kind"
        return Sentence(
            f"Add {new} {{kind!r}}: {{rule}}. See whether the estimate moves.",
            names=names,
            kind=rule.kind,
            rule=rule.describe(),
        )
    then = "change {names} or add another slice of it" if names else "find a rule that tells them apart"
    return Sentence(f"Look at {{column!r}} in both samples, and {then}.", column=line.column, names=names)


def _named(slices: Sequence[str]) -> str:
    """Name the first slices, and count the others.

    >>> _named(["a"]), _named(["a", "b"]), _named("abcd")
    ("'a'", "'a' and 'b'", "'a', 'b' and 2 more")
    """
    words = [repr(name) for name in slices[:MOST_NAMED]]
    if len(slices) > MOST_NAMED:
        return f"{', '.join(words)} and {len(slices) - MOST_NAMED} more"
    return " and ".join(words)


class DomainCheck(CheckRule):
    """Ask whether all columns together give away which sample a row is from."""

    name = "apart"
    question = "Do weighted rows pass for new ones?"

    def look(self, report: ModelReport) -> Iterator[Finding | NotRun] | None:
        """Look at what the classifier makes of the weights; where there is nothing to look at, the columns say so."""
        test = report.evidence.domain_test
        return None if test is None or not weights_rows(report) else domain_findings(test)


def domain_findings(test: DomainTest) -> Iterator[Finding | NotRun]:
    """Say that the samples can be told apart beyond sampling error: to some extent (0.7), or nearly always (0.9)."""
    level = LARGE_AUC if test.after >= LARGE_AUC else NOTABLE_AUC
    if test.after < NOTABLE_AUC or test.z < STANDS_OUT[level] or not test.top_features:
        if test.error > TOO_FEW:
            yield NotRun("Too few of the rows that were looked at count for anything, so none can be told apart.")
        return
    yield (STILL_TOLD_APART if test.weighted else TOLD_APART).found(
        "serious" if level == LARGE_AUC else "warning",
        before=test.before,
        after=test.after,
        column=test.top_features[0].column,
        columns=tuple(feature.column for feature in test.top_features),
        carriers=name_features(test.top_features),
        was=Sentence("; it was {before:.2f} before weighting", before=test.before) if test.weighted else "",
        here=test.n_source,
        there=test.n_target,
    )
