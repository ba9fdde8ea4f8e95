"""The checks of corrections and labels: whether corrections are plausible, and labels agree with the estimate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from mandoline_core.checks.check import CheckRule
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Denoised, Mandoline, get_estimator, normal_reach
from mandoline_core.findings import Finding
from mandoline_core.formatting import listed, show_difference, show_interval
from mandoline_core.pipeline import Estimate, interval_of

MOST_STANDARD_ERRORS = 1.96  # that a rate may be beyond 0 or 1 before the corrections are in doubt
MISTAKE_Z = 2.576  # two-sided 1%: with many slices, 5% would find one too often


class CorrectionsCheck(CheckRule):
    """Ask whether the corrections are plausible."""

    name = "corrections"
    question = "Are the corrections plausible?"
    labels_outweigh = "failure"
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
            errors = problem.rule.rate_errors(*sides, *problem.alike_rows)
        for i, name in enumerate(table.names):
            if corrections.underivable[i]:
                yield Finding(
                    "corrections",
                    "corrections_not_derivable",
                    "warning",
                    f"Corrections of slice {name!r} for the new data cannot be derived from the labelled data.",
                    "Set the corrections for the new data yourself.",
                    "One of its codes never occurs there, so the labelled data's corrections are used unchanged.",
                    (name,),
                    {"name": name},
                )
            rate = float(corrections.target_rate[i])
            beyond = max(-rate, rate - 1) if np.isfinite(rate) else 0.0
            if beyond > 1e-9:
                yield _impossible_rate(name, rate, sampling=beyond <= MOST_STANDARD_ERRORS * errors[i])

    def look(self, report: ModelReport) -> Iterator[Finding]:
        """Compare the estimators for noisy slices, and report what measured corrections add."""
        takes_corrections = get_estimator(report.estimator).takes_corrections
        if takes_corrections and not report.problem.corrections().takes_codes_at_their_word:
            yield from _about_noise(report)
        yield from _about_audits(report)
        yield from _about_lost_rows(report)


def _impossible_rate(name: str, rate: float, *, sampling: bool) -> Finding:
    used = float(np.clip(rate, 0, 1))
    why, remedy = "Sampling error alone explains this.", "Nothing to do."
    if not sampling:
        why = "The corrections are wrong, or the slice makes other mistakes on the new data."
        remedy = "Measure the corrections again, or set those of the new data."
    return Finding(
        "corrections",
        "derived_rate_outside",
        "info" if sampling else "serious",
        f"By its corrections, slice {name!r} truly contains {rate:.1%} of the new data; {used:.1%} is used.",
        remedy,
        why,
        (name,),
        {"name": name, "rate": rate, "used": used},
    )


def _about_noise(report: ModelReport) -> Iterator[Finding]:
    """Compare the two estimators for noisy slices, and test what the denoised one assumes."""
    problem, denoised = report.problem, get_estimator(report.estimator).denoises
    try:
        outcome = (Mandoline() if denoised else Denoised()).estimate(problem)
    except MandolineError as error:
        other = f"cannot be computed here ({error!s})"
    else:
        interval = interval_of(problem, outcome, report.settings.confidence)
        other = f"gives {show_interval(outcome.value, interval, share=problem.metric.share)}"
    text = "Some slices are noisy, so this method corrects the score only part of the way."
    detail = f'Method "denoised" assumes that slice errors are unrelated to the score, and {other}.'
    remedy = 'Use estimator "denoised" if that assumption holds.'
    if denoised:
        text = "This method assumes that slice errors are unrelated to the score."
        detail = f'Method "mandoline" assumes less, corrects only part of the way, and {other}.'
        remedy = 'Use estimator "mandoline" if you doubt that.'
    yield Finding("corrections", "noisy_slices", "info", text, remedy, detail)
    for name, gold in report.fit.truths["source"].tables.items():
        z = gold.mistake_z()
        if z is not None and abs(z) > MISTAKE_Z:
            yield Finding(
                "corrections",
                "mistakes_matter",
                "warning" if denoised else "info",
                f"In the labelled data, the score depends on the errors of slice {name!r} (z = {z:.1f}).",
                'Compare with estimator "mandoline"; the truth may be between the two.',
                "The denoised estimator assumes that it does not.",
                (name,),
                {"name": name, "z": z},
            )


def _about_audits(report: ModelReport) -> Iterator[Finding]:
    """Report that corrections were measured on few rows, and what that does to the interval."""
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
    least = round(float(sizes[sizes > 0].min()))
    so = f"widens the margin of error from {without} to {with_it}" if wider else "does not widen the interval"
    yield Finding(
        "corrections",
        "measured_corrections",
        "info",
        f"Corrections of {listed(map(repr, names), 4)} were measured on {least:,} rows{' or more' * (len(names) > 1)}.",
        "Audit more rows to narrow the interval." if wider else "Nothing to do.",
        f"Their own sampling error {so}.",
        names,
        {"names": names, "least": least},
    )


def _about_lost_rows(report: ModelReport) -> Iterator[Finding]:
    """Report audit answers that could not be used, because their rows are gone or have changed."""
    lost: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for truths in report.fit.truths.values():
        lost.update(truths.lost)
        given.update(truths.given)
    for name, n in lost.items():
        if n:
            yield Finding(
                "corrections",
                "audited_rows_lost",
                "warning",
                f"{n:,} of {given[name]:,} audit answers for slice {name!r} refer to rows that are not in the data.",
                "Audit rows of the current data. The old answers stay in the project.",
                "",
                (name,),
                {"name": name, "lost": n, "n": given[name]},
            )
