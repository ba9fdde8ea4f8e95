"""The fifth step, estimate: a method's answer on patterns, an interval around it, and what the weights look like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.data import current_progress, progress_to, take_step
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Estimator, Outcome, bootstrap, bootstrap_interval, get_estimator
from mandoline_core.findings import Finding, rows_sampled
from mandoline_core.formatting import listed, show_interval, show_points
from mandoline_core.patterns import add_up
from mandoline_core.pipeline.cells import Cells
from mandoline_core.pipeline.diagnostics import Diagnostics, diagnose, interval_of, prediction_interval_of
from mandoline_core.pipeline.fits import Fit
from mandoline_core.project import EstimatorSettings, fewest_replicates
from mandoline_core.weighting import Problem, potential_names

Progress = Callable[[str, float], None]

_NOT_BY_BOOTSTRAP = 'Use interval = "influence", or fewer slices.'


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """Hold one model's estimate, how sure it is, and what the steps so far found.

    Parameters
    ----------
    estimate, interval : float, pair of floats
        The metric on the new data.
    source, source_interval : float, pair of floats
        The metric on the labelled data, unweighted.
    ratios : array of float, shape (n_patterns,)
        How many times a row of each pattern counts.
    outcome : Outcome
        The patterns behind the numbers.
    """

    fit: Fit
    settings: EstimatorSettings
    outcome: Outcome
    estimate: float
    interval: Interval
    source: float
    source_interval: Interval
    ratios: Floats
    diagnostics: Diagnostics
    converged: bool
    findings: tuple[Finding, ...]

    @property
    def estimator(self) -> str:
        """The method."""
        return self.settings.name

    @property
    def model(self) -> str:
        """The model's name."""
        return self.fit.model

    @property
    def cells(self) -> Cells:
        """What was counted."""
        return self.fit.cells

    @property
    def problem(self) -> Problem:
        """The problem that was solved."""
        return self.fit.problem

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.problem.metric.name

    @property
    def standard_error(self) -> float:
        """The standard error of the estimate."""
        return self.outcome.influence.standard_error()

    @property
    def n_source(self) -> int:
        """Labelled rows with a score."""
        return round(self.problem.patterns.n_source)

    @property
    def n_target(self) -> int:
        """New rows."""
        return round(self.problem.patterns.n_target)

    @property
    def n_patterns(self) -> int:
        """Distinct combinations of codes."""
        return len(self.problem.patterns)

    @property
    def delta(self) -> dict[str, float]:
        """Fitted parameters; edges as "a*b"."""
        names = potential_names(self.problem.patterns.names, self.problem.edges)
        return {} if self.outcome.delta is None else dict(zip(names, self.outcome.delta.tolist(), strict=True))

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs of slices that move together."""
        return self.fit.edges

    @property
    def edge_z(self) -> tuple[float, ...]:
        """Score-test values of learned edges; empty if edges were given."""
        return () if self.fit.learned is None else self.fit.learned.z

    def __repr__(self) -> str:
        """Write the model's numbers on one line."""
        shown = show_interval(self.estimate, self.interval, share=is_share(self)) if self.converged else "no estimate"
        return f"{type(self).__name__}({self.model!r}, {self.metric}: {shown})"

    @property
    def told(self) -> dict[str, float | list[float] | None]:
        """What a program is told of the estimate: neither number nor interval where the weights did not converge."""
        return {
            "estimate": self.estimate if self.converged else None,
            "interval": list(self.interval) if self.converged else None,
        }

    @property
    def uses_slices(self) -> bool:
        """Whether the method looks at slices."""
        return get_estimator(self.estimator).uses_slices

    @cached_property
    def prediction_interval(self) -> Interval | None:
        """The interval of the metric on exactly these new rows, by influence; None for a metric that has none.

        `interval` is about the population that the new rows come from. Their own score varies about its score.
        """
        if not self.converged:
            return None
        added = _choice_error(self.fit, self.settings)
        return prediction_interval_of(self.problem, self.outcome, self.settings.confidence, self.diagnostics, added)

    @cached_property
    def weights(self) -> Floats:
        """How much each source row counts, shape (n_source_rows,); sums to 1.

        Rows without a score, or used for fitting only, have 0.
        """
        if self.fit.in_table:
            raise MandolineError(
                "The labelled rows stay in a table, so their weights are not in memory. "
                "Use write_weights or --weights FILE.parquet."
            )
        weights = np.zeros(len(self.cells.scored))
        weights[self.cells.scored] = self.outcome.weights(self.problem.members)
        return weights

    @property
    def effective_sample_size(self) -> float:
        """The number of equally weighted rows that would be as informative."""
        return self.diagnostics.effective_sample_size

    @property
    def largest_ratio(self) -> float:
        """How many times the heaviest row counts."""
        return self.diagnostics.largest_ratio

    @property
    def set_aside(self) -> float:
        """Share of the new data that the estimate leaves out."""
        return self.diagnostics.set_aside


def estimate(
    fit: Fit,
    settings: EstimatorSettings,
    progress: Progress | None = None,
    *,
    method: Estimator | None = None,
    draw: Fit | None = None,
) -> Estimate:
    """Estimate one model's metric on the target with its interval; no rows are touched, unless a method looks at them.

    Parameters
    ----------
    method : Estimator, optional
        The settings' method when left out.
    draw : Fit, optional
        Of the rows in memory, for a method that looks at rows, where these stay in a table.
    """
    method = method or get_estimator(settings.name)
    used = fit_for(method, fit, draw)
    problem = used.problem
    why = method.why_not(problem)
    if why is not None:
        raise MandolineError(f"Method {settings.name!r} does not apply. {why}")
    title = f"{method.title} for {fit.model}"
    tell = current_progress() if progress is None else lambda what, share: progress(f"{title}, {what}", share)
    with progress_to(tell):
        outcome = method.estimate(problem)
    if (value := problem.metric.within(outcome.value)) != outcome.value:
        outcome = replace(outcome, value=value)
    diagnostics = diagnose(problem, outcome)
    with progress_to(progress or current_progress()):
        interval, findings = interval_by_settings(used, settings, outcome, diagnostics)
    plain = get_estimator("source").estimate(problem)
    return Estimate(
        fit=used,
        settings=settings,
        outcome=outcome,
        estimate=outcome.value,
        interval=interval,
        source=plain.value,
        source_interval=interval_of(problem, plain, settings.confidence),
        ratios=_ratios(problem, outcome),
        diagnostics=diagnostics,
        converged=outcome.converged,
        findings=(
            *used.cells.findings,
            *outcome.findings,
            *findings,
            *about_draw(fit, used),
            *_about_choice(used, settings),
        ),
    )


def fit_for(method: Estimator, fit: Fit, draw: Fit | None) -> Fit:
    """Use the fit to a draw of rows instead of that to all cells, for a method that looks at rows."""
    if not fit.in_table or method.on_patterns:
        return fit
    if draw is None:
        raise ValueError(f"Method {method.name!r} needs rows, which stay in a table: pass a draw of them.")
    return draw


def about_draw(whole: Fit, used: Fit) -> tuple[Finding, ...]:
    """Report that a method used a draw of the rows, if it did."""
    if whole is used:
        return ()
    table, drawn = whole.problem.patterns, used.problem.patterns
    return rows_sampled(
        "on_a_draw", round(drawn.n_source), round(table.n_source), round(drawn.n_target), round(table.n_target)
    )


def _ratios(problem: Problem, outcome: Outcome) -> Floats:
    """Average, over a pattern's source rows, how many times each counts."""
    total = np.where(problem.patterns.source > 0, problem.patterns.source, 1.0)
    if outcome.scored_weights is not None:
        by_pattern = add_up(problem.members.source, outcome.scored_weights, len(total))
        return by_pattern / total * problem.patterns.n_source
    counts = np.array([group.source for group in problem.groups])
    return (counts * outcome.row_weights).sum(axis=0) / total * problem.patterns.n_source


def interval_by_settings(
    fit: Fit,
    settings: EstimatorSettings,
    outcome: Outcome,
    diagnostics: Diagnostics | None = None,
) -> tuple[Interval, list[Finding]]:
    """Put an interval around an outcome the way the settings ask for, with what to know about it.

    Parameters
    ----------
    diagnostics : Diagnostics, optional
        Of the outcome, where they are known already.
    """
    added = _choice_error(fit, settings)
    by_influence = partial(interval_of, fit.problem, outcome, settings.confidence, diagnostics, added)
    if settings.interval == "influence" or fit.problem.metric.whole is not None:  # which is by redraws anyway
        return by_influence(), []
    estimator = get_estimator(settings.name)
    if not estimator.on_patterns or fit.problem.metric.ranked:
        text = "The bootstrap does not support this method and metric; the interval uses the influence function."
        return by_influence(), [Finding("fit", "no_bootstrap", "info", text)]
    values = bootstrap(
        fit.problem,
        estimator,
        outcome,
        replicates=settings.replicates,
        rng=np.random.default_rng(settings.seed),
        progress=lambda share: take_step(f"bootstrap of {fit.model}", share),
    )
    failures = settings.replicates - len(values)
    if len(values) < max(fewest_replicates(settings.confidence), settings.replicates // 2):
        raise MandolineError(
            f"The bootstrap failed on {failures} of {settings.replicates} samples: too few rows carry the weights. "
            f"{_NOT_BY_BOOTSTRAP}"
        )
    findings = []
    if failures:
        text = f"The weights could not be fitted on {failures} of {settings.replicates} bootstrap samples."
        remedy, detail = "Use fewer slices, or merge rare ones.", "The interval leaves them out and may be too narrow."
        numbers = {"failures": failures, "replicates": settings.replicates}
        findings.append(Finding("fit", "bootstrap_failures", "warning", text, remedy, detail, numbers=numbers))
    if np.ptp(values) < 1e-12:  # where every row is right, so is every redraw: it shows no sampling error
        return by_influence(), findings
    sides = {"above": (values <= outcome.value).mean(), "below": (values >= outcome.value).mean()}
    way = min(sides, key=lambda side: sides[side])
    if sides[way] < (1 - settings.confidence) / 2:
        text = f"Nearly all bootstrap samples are {way} the estimate; the interval was widened to include it."
        findings.append(Finding("fit", "one_sided_redraws", "warning", text, _NOT_BY_BOOTSTRAP, numbers={"way": way}))
    if added:  # as if each redraw had chosen its own slices
        low, high = fit.problem.metric.bounds or (-np.inf, np.inf)
        values = np.clip(values + np.random.default_rng(settings.seed).normal(0, added, len(values)), low, high)
    return bootstrap_interval(values, confidence=settings.confidence, estimate=outcome.value), findings


def _about_choice(fit: Fit, settings: EstimatorSettings) -> Iterator[Finding]:
    """Say that the interval allows for choosing slices."""
    added = _choice_error(fit, settings)
    if added:
        shown = show_points(added, share=fit.problem.metric.share, sign=False)
        text = f"The slices were chosen on these labels. The interval allows for it: {shown} more standard error."
        yield Finding("fit", "slices_chosen", "info", text, numbers={"added": added})
    elif fit.trust.chosen.get(fit.model) and not fit.choice_error:
        names = fit.trust.chosen_slices
        gone = listed(map(repr, names))
        text = (
            f"The slices chosen on these labels are not in use ({gone}), so the interval does not allow for a choice."
        )
        remedy = "Delete chosen and chosen_slices from [trust]. If you renamed slices, correct the names there."
        yield Finding("fit", "chosen_slices_unused", "info", text, remedy, numbers={"slices": names})


def _choice_error(fit: Fit, settings: EstimatorSettings) -> float:
    """Return what choosing slices adds to the standard error; nothing for a method that looks at none."""
    return fit.choice_error if get_estimator(settings.name).uses_slices else 0.0


def is_share(model: Estimate) -> bool:
    """Tell whether a model's metric is a share, to be written as a percentage."""
    return model.problem.metric.share
