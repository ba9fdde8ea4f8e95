"""The checks of corrections and labels: whether they can be right, and agree with the slices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from mandoline_core.checks.check import CheckRule
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Denoised, Mandoline, get_estimator, normal_reach
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence, show_difference, show_interval
from mandoline_core.labels import check_slices
from mandoline_core.pipeline import Estimate, interval_of

MOST_STANDARD_ERRORS = 1.96  # that a rate may lie beyond 0 or 1 before it speaks against the corrections
MISTAKE_Z = 2.576  # two-sided 1%: with many slices, 5% would find one too often

NOT_DERIVABLE = FindingKind(
    "corrections",
    "corrections_not_derivable",
    "The {target}'s corrections of slice {name!r} cannot be derived from the {source}, which never shows one of its "
    "answers",
    "Set the {target}'s corrections yourself.",
    ". The {source}'s matrix is used as it stands.",
)
RATE_OUTSIDE = FindingKind(
    "corrections",
    "derived_rate_outside",
    "With the error rates of slice {name!r} in the {source}, {rate:percent} of the {target} would have to be truly "
    "inside it, which cannot be; {used:percent} is used",
    "{action}",
    ". {why}",
)
BY_CHANCE: dict[str, Any] = {"why": "The luck of the samples alone can do that.", "action": "Nothing to do."}
NOT_BY_CHANCE: dict[str, Any] = {
    "why": Sentence("The corrections are off, or the slice errs differently on the {target}."),
    "action": Sentence("Measure the corrections again, or set the {target}'s own."),
}
NOISY_SLICES = FindingKind(
    "corrections",
    "noisy_slices",
    "Some slices are noisy, and the paper's weights then move the score only part of the way",
    'Choose estimator "denoised" if that assumption is sound.',
    ". The denoised estimator, which assumes that a slice's mistakes have nothing to do with the score, {other}.",
)
NOISY_SLICES_DENOISED = FindingKind(
    "corrections",
    "noisy_slices",
    "This assumes that a slice's mistakes have nothing to do with the score",
    'Choose estimator "mandoline" if that assumption is in doubt.',
    ". The paper's weighting, which assumes less but moves the score only part of the way, {other}.",
)
MISTAKES_MATTER = FindingKind(
    "corrections",
    "mistakes_matter",
    "In the {source}, the score depends on what slice {name!r} says even where the truth is known",
    'Compare it with estimator "mandoline"; the truth may lie between the two.',
    " (z = {z:.1f}), so the denoised estimator's assumption does not quite hold.",
)
MEASURED = FindingKind(
    "corrections",
    "measured_corrections",
    "The corrections of {names:quoted 4} were measured on {least:,} rows{more}; the interval allows for that{so}",
    "{action}",
)


LOST_ANSWERS = FindingKind(
    "corrections",
    "audited_rows_lost",
    "{lost:,} of {n:,} answers about rows of slice {name!r} are about rows that are not in the data",
    "Audit rows of the data as they are now; the answers stay in the project for when the rows come back.",
)


class CorrectionsCheck(CheckRule):
    """Ask whether the corrections can be right."""

    name = "corrections"
    question = "Can the corrections be right?"
    on_slices = True

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Compare the rates that follow from the corrections with what rates can be."""
        if estimate.outcome.delta is None:
            return
        problem = estimate.problem
        table, corrections = problem.patterns, problem.corrections()
        rates, errors = corrections.target_rate[np.isfinite(corrections.target_rate)], np.zeros(len(table.names))
        if (np.abs(rates - 0.5) > 0.5).any():  # only a rate that cannot be is held against sampling error
            sides = (table.rates("source"), table.rates("target"))
            errors = problem.rule.rate_errors(*sides, table.n_source, table.n_target)
        for i, name in enumerate(table.names):
            if corrections.underivable[i]:
                yield NOT_DERIVABLE.found("warning", slices=(name,), name=name)
            rate = float(corrections.target_rate[i])
            beyond = max(-rate, rate - 1) if np.isfinite(rate) else 0.0
            if beyond > 1e-9:
                by_chance = beyond <= MOST_STANDARD_ERRORS * errors[i]
                why = BY_CHANCE if by_chance else NOT_BY_CHANCE
                yield RATE_OUTSIDE.found(
                    "info" if by_chance else "serious",
                    slices=(name,),
                    name=name,
                    rate=rate,
                    used=float(np.clip(rate, 0, 1)),
                    **why,
                )

    def look(self, report: ModelReport) -> Iterator[Finding]:
        """Put the estimators for noisy slices side by side, and say what measuring adds."""
        takes_corrections = get_estimator(report.estimator).takes_corrections
        if takes_corrections and not report.problem.corrections().takes_codes_at_their_word:
            yield from _about_noise(report)
        yield from _about_audits(report)
        yield from _about_lost_rows(report)


def _about_noise(report: ModelReport) -> Iterator[Finding]:
    """Put the two estimators for noisy slices side by side, and test what the denoised one assumes."""
    problem, denoised = report.problem, get_estimator(report.estimator).denoises
    try:
        outcome = (Mandoline() if denoised else Denoised()).estimate(problem)
    except MandolineError as error:
        other = Sentence("cannot be computed here ({error})", error=error.sentence)
    else:
        interval = interval_of(problem, outcome, report.settings.confidence)
        other = Sentence("gives {value}", value=show_interval(outcome.value, interval, share=problem.metric.share))
    yield (NOISY_SLICES_DENOISED if denoised else NOISY_SLICES).found("info", other=other)
    for name, gold in report.fit.truths["source"].tables.items():
        z = gold.mistake_z()
        if z is not None and abs(z) > MISTAKE_Z:
            yield MISTAKES_MATTER.found("warning" if denoised else "info", slices=(name,), name=name, z=z)


def _about_audits(report: ModelReport) -> Iterator[Finding]:
    """Say that corrections were measured on few rows, and what that does to the interval."""
    problem, outcome = report.problem, report.outcome
    if outcome.error_if_known is None or problem.audit is None:
        return
    z = normal_reach(report.settings.confidence)
    sizes = problem.audit.sizes.sum(axis=1)
    if problem.audit.target is not None:
        sizes = sizes + problem.audit.target.sizes.sum(axis=1)
    names = tuple(name for name, n in zip(problem.patterns.names, sizes, strict=True) if n > 0)
    without, with_it = (
        show_difference(z * error, share=problem.metric.share)
        for error in (outcome.error_if_known, outcome.influence.standard_error())
    )
    # Where audited rows are among those scored, the sampling error of one can make up for that of the other.
    wider = outcome.influence.standard_error() > outcome.error_if_known
    yield MEASURED.found(
        "info",
        slices=names,
        names=names,
        least=int(sizes[sizes > 0].min()),
        more=" and more" if len(names) > 1 else "",
        so=f" (+-{without} without, +-{with_it} with)" if wider else f", and is no wider for it (+-{with_it})",
        action="Audit more rows to narrow it." if wider else "Nothing to do.",
    )


def _about_lost_rows(report: ModelReport) -> Iterator[Finding]:
    """Say that answers could not be used, because their rows are gone or hold something else now."""
    lost: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for truths in report.fit.truths.values():
        lost.update(truths.lost)
        given.update(truths.given)
    for name, n in lost.items():
        if n:
            yield LOST_ANSWERS.found("warning", slices=(name,), name=name, lost=n, n=given[name])


class LabelsCheck(CheckRule):
    """Ask whether the labels that arrived agree; what labels may show is declared where they are used."""

    name = "labels"
    question = "Do the labels that arrived agree?"

    def look(self, report: ModelReport) -> tuple[Finding, ...] | None:
        """Test the slices by the labels at hand."""
        return check_slices(report.fit, report.settings)
