"""The fifth step, estimate: a method's answer on patterns, an interval around it, and what the weights look like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.data import current_progress, progress_to, take_step
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Estimator, Outcome, bootstrap, bootstrap_interval, get_estimator
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.patterns import add_up
from mandoline_core.pipeline.cells import Cells
from mandoline_core.pipeline.diagnostics import Diagnostics, diagnose, interval_of
from mandoline_core.pipeline.fits import Fit
from mandoline_core.project import EstimatorSettings, fewest_replicates
from mandoline_core.weighting import Problem, potential_names

Progress = Callable[[str, float], None]

NO_BOOTSTRAP = FindingKind(
    "fit",
    "no_bootstrap",
    "The bootstrap redraws slice patterns, which does not do for this method and metric",
    'Nothing to do; interval = "influence" says the same.',
    "; the interval is made the method's own way.",
)
BOOTSTRAP_FAILURES = FindingKind(
    "fit",
    "bootstrap_failures",
    "On {failures} of {replicates} redraws the weights could not be fitted; the interval leaves them out and may be "
    "too short",
    "Use fewer slices, or merge rare ones.",
)
ONE_SIDED = FindingKind(
    "fit",
    "one_sided_redraws",
    "Nearly all redraws lie {way} the estimate; the interval was widened to hold it",
    'Use interval = "influence", or fewer slices.',
)
ON_A_DRAW = FindingKind(
    "rows",
    "on_a_draw",
    "This method looks at rows, which stay in a table: it used {here:,} of {n_source:,} {source_rows} and {there:,} of "
    "{n_target:,} {target_rows}, drawn at random",
    "Nothing to do; methods on slices use all rows.",
)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Hold one model's estimate, how sure it is, and what the steps so far found.

    Parameters
    ----------
    estimate, interval : float, pair of floats
        The metric on the target.
    source, source_interval : float, pair of floats
        The metric on the labelled source, unweighted.
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
        """Score-test values of learned edges; empty when a person gave them."""
        return () if self.fit.learned is None else self.fit.learned.z

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
    def weights(self) -> Floats:
        """How much each source row counts, shape (n_source_rows,); sums to 1.

        Rows without a score, or used for fitting only, have 0.
        """
        if self.fit.in_table:
            raise MandolineError(
                Sentence(
                    "The {source_rows} stay in a table, so their weights are not in memory. Write them with "
                    "write_weights, or with --weights FILE.parquet."
                )
            )
        weights = np.zeros(len(self.cells.scored))
        weights[self.cells.scored] = self.outcome.weights(self.problem.members)
        return weights

    @property
    def effective_sample_size(self) -> float:
        """So many equally weighted rows would be as informative."""
        return self.diagnostics.effective_sample_size

    @property
    def largest_ratio(self) -> float:
        """How many times the heaviest row counts."""
        return self.diagnostics.largest_ratio

    @property
    def set_aside(self) -> float:
        """Share of the target that the estimate does not speak of."""
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
    why = method.reason(problem)
    if why is not None:
        raise MandolineError(Sentence("Estimator {name!r} does not apply here. {why}", name=settings.name, why=why))
    title = f"{method.title} for {fit.model}"
    tell = current_progress() if progress is None else lambda what, share: progress(f"{title}, {what}", share)
    with progress_to(tell):
        outcome = method.estimate(problem)
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
        findings=(*used.cells.findings, *outcome.findings, *findings, *about_draw(fit, used)),
    )


def fit_for(method: Estimator, fit: Fit, draw: Fit | None) -> Fit:
    """Take the fit to a draw of rows in the place of that to all cells, for a method that looks at rows."""
    if not fit.in_table or method.on_patterns:
        return fit
    if draw is None:
        raise ValueError(f"Method {method.name!r} looks at rows, and these stay in a table: give it a draw of them.")
    return draw


def about_draw(whole: Fit, used: Fit) -> list[Finding]:
    """Say that a method looked at a draw of the rows, where it did."""
    if whole is used:
        return []
    table, drawn = whole.problem.patterns, used.problem.patterns
    return [
        ON_A_DRAW.found(
            "info",
            here=round(drawn.n_source),
            n_source=round(table.n_source),
            there=round(drawn.n_target),
            n_target=round(table.n_target),
        )
    ]


def _ratios(problem: Problem, outcome: Outcome) -> Floats:
    """Average, over a pattern's source rows, how many times each counts."""
    total = np.maximum(problem.patterns.source, 1)
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
    by_influence = partial(interval_of, fit.problem, outcome, settings.confidence, diagnostics)
    if settings.interval == "influence":
        return by_influence(), []
    estimator = get_estimator(settings.name)
    if not estimator.on_patterns or fit.problem.metric.ranked:
        return by_influence(), [NO_BOOTSTRAP.found("info")]
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
            f"The bootstrap failed on {failures} of {settings.replicates} redraws: "
            f"the weights hang on too few rows. {ONE_SIDED.remedy}"
        )
    findings = []
    if failures:
        findings.append(BOOTSTRAP_FAILURES.found("warning", failures=failures, replicates=settings.replicates))
    if np.ptp(values) < 1e-12:  # where every row is right, so is every redraw: it shows no sampling error
        return by_influence(), findings
    sides = {"above": (values <= outcome.value).mean(), "below": (values >= outcome.value).mean()}
    way = min(sides, key=lambda side: sides[side])
    if sides[way] < (1 - settings.confidence) / 2:
        findings.append(ONE_SIDED.found("warning", way=way))
    return bootstrap_interval(values, confidence=settings.confidence, estimate=outcome.value), findings


def is_share(model: Estimate) -> bool:
    """Tell whether a model's metric is a share, to be written as a percentage."""
    return model.problem.metric.share
