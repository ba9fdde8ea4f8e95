"""One model's report: solve its problem on patterns, put an interval around it, say what to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from mandoline_core.arrays import Floats, Interval
from mandoline_core.errors import MandolineError
from mandoline_core.estimating.assemble import ModelProblem
from mandoline_core.estimating.diagnostics import Diagnostics, diagnose, find, interval_of
from mandoline_core.estimators import Outcome, Redrawable, bootstrap, bootstrap_interval, get_estimator
from mandoline_core.findings import Finding, Verdict, worst_first
from mandoline_core.formatting import listed, show_interval, show_points
from mandoline_core.patterns import add_up
from mandoline_core.project import EstimatorSettings
from mandoline_core.weighting import Problem, edge_threshold, has_rows, potential_names, score_tests

Progress = Callable[[str, float], None]
MISTAKE_Z = 2.576  # two-sided 1%
MAX_UNCERTAIN = 8
MUCH_TOGETHER = 0.05  # of the rows: a pair that agrees so much more or less often than in the target is worth an edge


@dataclass(frozen=True, eq=False)
class ModelReport:
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
    findings : tuple of Finding, worst first
    outcome : Outcome
        The patterns behind the numbers, and the fit.
    estimator : str
        The method.
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
    prepared: ModelProblem
    outcome: Outcome
    estimator: str = "mandoline"
    verdict: Verdict | None = None

    @property
    def problem(self) -> Problem:
        """The problem that was solved."""
        return self.prepared.problem

    @cached_property
    def weights(self) -> Floats:
        """How much each source row counts, shape (n_source_rows,); sums to 1.

        Rows without a score, or used for fitting only, have 0.
        """
        return _row_weights(self.prepared, self.outcome)

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


def solve_model(prepared: ModelProblem, settings: EstimatorSettings, progress: Progress | None = None) -> ModelReport:
    """Solve one model's problem on its patterns, and report; no rows are touched.

    Checks that look beyond the patterns, and the verdict, are added by `trust.report_model`.
    """
    problem, table = prepared.problem, prepared.problem.patterns
    estimator = get_estimator(settings.name)
    why = estimator.reason(problem)
    if why is not None:
        raise MandolineError(f"Estimator {settings.name!r} does not apply here. {why}")
    outcome = estimator.estimate(problem)
    numbers = diagnose(problem, outcome)
    uses_slices = "slices" in estimator.needs
    findings = [*prepared.counted.findings, *find(problem, outcome, numbers, uses_slices=uses_slices)]
    findings += [*_about_noise(prepared, settings), *_about_pairs(prepared, settings)]
    findings += _about_audits(prepared, outcome, settings)
    interval, more = interval_by_settings(prepared, settings, outcome, progress)
    findings.extend(more)
    plain = get_estimator("source").estimate(problem)
    names = potential_names(table.names, problem.edges)
    learned = prepared.learned
    return ModelReport(
        model=prepared.model,
        metric=problem.metric.name,
        estimate=outcome.value,
        interval=interval,
        standard_error=outcome.influence.standard_error(),
        source=plain.value,
        source_interval=interval_of(problem, plain, settings.confidence),
        truth=prepared.counted.truth,
        n_source=round(table.n_source),
        n_target=round(table.n_target),
        n_patterns=len(table),
        ratios=_ratios(problem, outcome),
        delta={} if outcome.delta is None else dict(zip(names, outcome.delta.tolist(), strict=True)),
        edges=tuple((table.names[i], table.names[j]) for i, j in problem.edges),
        edge_z=() if learned is None else learned.z,
        diagnostics=numbers,
        converged=outcome.converged,
        findings=worst_first(findings),
        prepared=prepared,
        outcome=outcome,
        estimator=settings.name,
    )


def _about_noise(prepared: ModelProblem, settings: EstimatorSettings) -> Iterator[Finding]:
    """Put the two estimators for noisy slices side by side, and test what the denoised one assumes."""
    problem = prepared.problem
    if settings.name not in ("mandoline", "denoised") or problem.corrections().takes_codes_at_their_word:
        return
    other = get_estimator("denoised" if settings.name == "mandoline" else "mandoline")
    try:
        outcome = other.estimate(problem)
    except MandolineError as error:
        said = f"cannot be computed here ({error})"
    else:
        interval = interval_of(problem, outcome, settings.confidence)
        share = problem.metric.share
        said = f"gives {show_interval(outcome.value, interval, share=share)}"
    if settings.name == "mandoline":
        yield Finding(
            "noisy_slices",
            "info",
            "Some slices are noisy, and the paper's weights then move the score only part of the way. The denoised "
            f"estimator, which assumes that a slice's mistakes have nothing to do with the score, {said}.",
            'Choose estimator "denoised" if that assumption is sound.',
        )
    else:
        yield Finding(
            "noisy_slices",
            "info",
            "This assumes that a slice's mistakes have nothing to do with the score. The paper's weighting, "
            f"which assumes less but moves the score only part of the way, {said}.",
            'Choose estimator "mandoline" if that assumption is in doubt.',
        )
    for name, gold in prepared.counted.gold.items():
        z = gold.mistake_z()
        if z is not None and abs(z) > MISTAKE_Z:
            yield Finding(
                "mistakes_matter",
                "warning" if settings.name == "denoised" else "info",
                f"In the source, the score depends on what slice {name!r} says even where the truth is known "
                f"(z = {z:.1f}), so the denoised estimator's assumption does not quite hold.",
                'Compare it with estimator "mandoline"; the truth may lie between the two.',
                (name,),
            )


def _about_audits(prepared: ModelProblem, outcome: Outcome, settings: EstimatorSettings) -> Iterator[Finding]:
    """Say that corrections were measured on few rows, and what that does to the interval."""
    problem = prepared.problem
    if outcome.error_if_known is None or problem.audit is None:
        return
    z = float(ndtri(0.5 + settings.confidence / 2))
    sizes = problem.audit.sizes.sum(axis=1)
    names = [name for name, n in zip(problem.patterns.names, sizes, strict=True) if n > 0]
    most = f"{int(sizes[sizes > 0].min()):,}" + (" rows and more" if len(names) > 1 else " rows")
    without, with_it = (
        show_points(z * error, share=problem.metric.share).lstrip("+")
        for error in (outcome.error_if_known, outcome.influence.standard_error())
    )
    said = f"The corrections of {listed([repr(name) for name in names], most=4)} were measured on {most}; the interval "
    if outcome.influence.standard_error() > outcome.error_if_known:
        said += f"allows for that (+-{without} without, +-{with_it} with)."
        action = "Audit more rows to narrow it."
    else:  # the audited rows are among those scored, and the luck of one makes up for the luck of the other
        said += f"allows for that, and is no wider for it (+-{with_it})."
        action = "Nothing to do."
    yield Finding("measured_corrections", "info", said, action, tuple(names))


def _about_pairs(prepared: ModelProblem, settings: EstimatorSettings) -> Iterator[Finding]:
    """Name the pair of slices whose joint frequency weighting leaves furthest off, if tests tell it from luck."""
    problem = prepared.problem
    if settings.name not in ("mandoline", "denoised") or prepared.learned is not None:
        return
    noisy = (problem.rule.source[:, [0, 2]] != [0.0, 1.0]).any(axis=1)
    abstains = problem.patterns.rates("source")[:, 1] > 0
    uncertain = int((noisy | abstains).sum())
    if uncertain > MAX_UNCERTAIN:  # testing pairs of uncertain slices means enumerating them together
        yield _pairs_not_tested(
            f"{uncertain} slices are noisy or abstain, and testing pairs of so many takes too long."
        )
        return
    try:
        tests = score_tests(problem)
    except MandolineError as error:
        yield _pairs_not_tested(str(error))
        return
    threshold = edge_threshold(len(problem.patterns.names))
    found = sorted(
        (test for test in tests if abs(test.z) > threshold and has_rows(problem, test.edge)),
        key=lambda test: -abs(test.z),
    )
    if not found:
        return
    names = tuple(problem.patterns.names[i] for i in found[0].edge)
    gap = found[0].gap / 2  # two slices agree in (1 + E[g_i g_j]) / 2 of the rows
    others = f" {len(found) - 1} other pairs stand out, too." if len(found) > 1 else ""
    yield Finding(
        "unmodelled_pair",
        "warning" if abs(gap) >= MUCH_TOGETHER else "info",
        f"Slices {names[0]!r} and {names[1]!r} move together: after weighting they still agree on "
        f"{abs(100 * gap):.1f} points {'more' if gap > 0 else 'less'} of the target than of the source "
        f"(z = {found[0].z:.1f}).{others}",
        'Add an edge between the two, or let edges = "auto" choose.',
        names,
    )


def _pairs_not_tested(why: str) -> Finding:
    return Finding(
        "pairs_not_tested",
        "info",
        f"Whether pairs of slices match after weighting was not tested. {why}",
        "Use fewer slices that are noisy or abstain.",
    )


def _row_weights(prepared: ModelProblem, outcome: Outcome) -> Floats:
    weights = np.zeros(len(prepared.counted.scored))
    weights[prepared.counted.scored] = outcome.weights(prepared.problem.members)
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
    prepared: ModelProblem, settings: EstimatorSettings, outcome: Outcome, progress: Progress | None = None
) -> tuple[Interval, list[Finding]]:
    """Put an interval around an outcome the way the settings ask for, with what to know about it."""
    if settings.interval == "influence":
        return interval_of(prepared.problem, outcome, settings.confidence), []
    estimator = get_estimator(settings.name)
    if not isinstance(estimator, Redrawable) or prepared.problem.metric.ranked:
        return interval_of(prepared.problem, outcome, settings.confidence), [
            Finding(
                "no_bootstrap",
                "info",
                "The bootstrap redraws slice patterns, which does not do for this method and metric; "
                "the interval is made the method's own way.",
                'Nothing to do; interval = "influence" says the same.',
            )
        ]
    said = (lambda share: progress(f"bootstrap of {prepared.model}", share)) if progress is not None else None
    found = bootstrap(
        prepared.problem,
        estimator,
        outcome,
        replicates=settings.replicates,
        rng=np.random.default_rng(settings.seed),
        progress=said,
    )
    if len(found.values) < max(2, settings.replicates // 2):
        raise MandolineError(
            f"The bootstrap failed on {found.failures} of {settings.replicates} redraws: "
            "the weights hang on too few rows. "
            'Use interval = "influence", or fewer slices.'
        )
    findings = []
    if found.failures:
        findings.append(
            Finding(
                "bootstrap_failures",
                "warning",
                f"On {found.failures} of {settings.replicates} redraws the weights could not be fitted; the interval "
                "leaves them out and may be too short.",
                "Use fewer slices, or merge rare ones.",
            )
        )
    if np.ptp(found.values) < 1e-12:  # where every row is right, so is every redraw: it says nothing about luck
        return interval_of(prepared.problem, outcome, settings.confidence), findings
    return bootstrap_interval(found.values, confidence=settings.confidence), findings


def is_share(model: ModelReport) -> bool:
    """Tell whether a model's metric is a share, to be written as a percentage."""
    return model.problem.metric.share
