"""One model's report: solve its problem on patterns, put an interval around it, say what to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.data import progress_to
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Outcome, bootstrap, bootstrap_interval, get_estimator
from mandoline_core.findings import Finding, FindingKind, Verdict
from mandoline_core.formatting import Sentence
from mandoline_core.patterns import add_up
from mandoline_core.pipeline.assemble import Fit
from mandoline_core.pipeline.diagnostics import Diagnostics, diagnose, interval_of
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
    """Hold one model's estimate, how sure it is, and what to know before quoting it.

    Parameters
    ----------
    estimate, interval : float, pair of floats
        The metric on the target.
    source, source_interval : float, pair of floats
        The metric on the labelled source, unweighted.
    truth : float or None
        The metric on the target's own labels, if it has them.
    ratios : array of float, shape (n_patterns,)
        How many times a row of each pattern counts.
    delta : dict of str to float
        Fitted parameters; edges as "a*b".
    edge_z : tuple of float
        Score-test values of learned edges; empty when a person gave them.
    findings : tuple of Finding
        Worst first, once all checks were made.
    outcome : Outcome
        The patterns behind the numbers, and the fit.
    verdict : Verdict or None
        The traffic light; None before all checks were made.
    """

    model: str
    metric: str
    estimate: float
    interval: Interval
    standard_error: float
    source: float
    source_interval: Interval
    truth: float | None
    n_source: int
    n_target: int
    n_patterns: int
    ratios: Floats
    delta: dict[str, float]
    edges: tuple[tuple[str, str], ...]
    edge_z: tuple[float, ...]
    diagnostics: Diagnostics
    converged: bool
    findings: tuple[Finding, ...]
    fit: Fit
    outcome: Outcome
    settings: EstimatorSettings = field(default_factory=EstimatorSettings)
    verdict: Verdict | None = None

    @property
    def estimator(self) -> str:
        """The method."""
        return self.settings.name

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

    @property
    def problem(self) -> Problem:
        """The problem that was solved."""
        return self.fit.problem

    @cached_property
    def weights(self) -> Floats:
        """How much each source row counts, shape (n_source_rows,); sums to 1.

        Rows without a score, or used for fitting only, have 0.
        """
        return _row_weights(self.fit, self.outcome)

    @property
    def effective_sample_size(self) -> float:
        """So many equally weighted rows would be as informative."""
        return self.diagnostics.effective_sample_size

    @property
    def largest_ratio(self) -> float:
        """How many times the heaviest row counts."""
        return self.diagnostics.largest_ratio

    @property
    def is_red(self) -> bool:
        """Whether the estimate is not to be trusted, and so not to be shown at full weight."""
        return self.verdict is not None and self.verdict.level == "red"

    @property
    def set_aside(self) -> float:
        """Share of the target that the estimate does not speak of."""
        return self.diagnostics.set_aside


def solve_model(prepared: Fit, settings: EstimatorSettings, progress: Progress | None = None) -> Estimate:
    """Solve one model's problem on its patterns, and report; no rows are touched.

    Checks that look beyond the patterns, and the verdict, are added by `trust.report_model`.
    """
    estimator, whole = get_estimator(settings.name), prepared
    prepared = prepared.for_method(estimator)
    problem, table = prepared.problem, prepared.problem.patterns
    why = estimator.reason(problem)
    if why is not None:
        raise MandolineError(Sentence("Estimator {name!r} does not apply here. {why}", name=settings.name, why=why))
    title = f"{estimator.title} for {prepared.model}"
    with progress_to(None if progress is None else lambda what, share: progress(f"{title}, {what}", share)):
        outcome = estimator.estimate(problem)
    numbers = diagnose(problem, outcome)
    interval, more = interval_by_settings(prepared, settings, outcome, progress)
    plain = get_estimator("source").estimate(problem)
    names = potential_names(table.names, problem.edges)
    learned = prepared.learned
    return Estimate(
        model=prepared.model,
        metric=problem.metric.name,
        estimate=outcome.value,
        interval=interval,
        standard_error=outcome.influence.standard_error(),
        source=plain.value,
        source_interval=interval_of(problem, plain, settings.confidence),
        truth=prepared.cells.truth,
        n_source=round(table.n_source),
        n_target=round(table.n_target),
        n_patterns=len(table),
        ratios=_ratios(problem, outcome),
        delta={} if outcome.delta is None else dict(zip(names, outcome.delta.tolist(), strict=True)),
        edges=tuple((table.names[i], table.names[j]) for i, j in problem.edges),
        edge_z=() if learned is None else learned.z,
        diagnostics=numbers,
        converged=outcome.converged,
        findings=(*prepared.cells.findings, *outcome.findings, *more, *about_draw(whole, prepared)),
        fit=prepared,
        outcome=outcome,
        settings=settings,
    )


def about_draw(whole: Fit, prepared: Fit) -> list[Finding]:
    """Say that a method looked at a draw of the rows, where it did."""
    if whole is prepared:
        return []
    table, drawn = whole.problem.patterns, prepared.problem.patterns
    return [
        ON_A_DRAW.found(
            "info",
            here=round(drawn.n_source),
            n_source=round(table.n_source),
            there=round(drawn.n_target),
            n_target=round(table.n_target),
        )
    ]


def _row_weights(prepared: Fit, outcome: Outcome) -> Floats:
    if prepared.in_table:
        raise MandolineError(
            Sentence(
                "The {source_rows} stay in a table, so their weights are not in memory. Write them with write_weights, "
                "or with --weights FILE.parquet."
            )
        )
    weights = np.zeros(len(prepared.cells.scored))
    weights[prepared.cells.scored] = outcome.weights(prepared.problem.members)
    return weights


def _ratios(problem: Problem, outcome: Outcome) -> Floats:
    """Average, over a pattern's source rows, how many times each counts."""
    total = np.maximum(problem.patterns.source, 1)
    if outcome.scored_weights is not None:
        by_pattern = add_up(problem.members.source, outcome.scored_weights, len(total))
        return by_pattern / total * problem.patterns.n_source
    counts = np.array([group.source for group in problem.groups])
    return (counts * outcome.row_weights).sum(axis=0) / total * problem.patterns.n_source


def interval_by_settings(
    prepared: Fit, settings: EstimatorSettings, outcome: Outcome, progress: Progress | None = None
) -> tuple[Interval, list[Finding]]:
    """Put an interval around an outcome the way the settings ask for, with what to know about it."""
    if settings.interval == "influence":
        return interval_of(prepared.problem, outcome, settings.confidence), []
    estimator = get_estimator(settings.name)
    if not estimator.on_patterns or prepared.problem.metric.ranked:
        return interval_of(prepared.problem, outcome, settings.confidence), [NO_BOOTSTRAP.found("info")]
    said = (lambda share: progress(f"bootstrap of {prepared.model}", share)) if progress is not None else None
    values = bootstrap(
        prepared.problem,
        estimator,
        outcome,
        replicates=settings.replicates,
        rng=np.random.default_rng(settings.seed),
        progress=said,
    )
    failures = settings.replicates - len(values)
    if len(values) < max(fewest_replicates(settings.confidence), settings.replicates // 2):
        raise MandolineError(
            f"The bootstrap failed on {failures} of {settings.replicates} redraws: "
            "the weights hang on too few rows. "
            'Use interval = "influence", or fewer slices.'
        )
    findings = []
    if failures:
        findings.append(BOOTSTRAP_FAILURES.found("warning", failures=failures, replicates=settings.replicates))
    if np.ptp(values) < 1e-12:  # where every row is right, so is every redraw: it shows no sampling error
        return interval_of(prepared.problem, outcome, settings.confidence), findings
    sides = {"above": (values <= outcome.value).mean(), "below": (values >= outcome.value).mean()}
    way = min(sides, key=lambda side: sides[side])
    if sides[way] < (1 - settings.confidence) / 2:
        findings.append(ONE_SIDED.found("warning", way=way))
    return bootstrap_interval(values, confidence=settings.confidence, estimate=outcome.value), findings


def is_share(model: Estimate) -> bool:
    """Tell whether a model's metric is a share, to be written as a percentage."""
    return model.problem.metric.share
