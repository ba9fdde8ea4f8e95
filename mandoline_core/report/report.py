"""The estimate and its report: one function behind the app, the command line and the library."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from importlib.metadata import version
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from mandoline_core.arrays import Floats, Interval
from mandoline_core.checks import ModelReport, SecondOpinionOn, report_model, second_opinion_on
from mandoline_core.data import Model, Sample, current_progress, progress_to
from mandoline_core.discovery import Spread
from mandoline_core.errors import DataError, SliceError
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding, FindingKind, Verdict, worst_first
from mandoline_core.formatting import listed
from mandoline_core.metrics import check_finite, get_metric
from mandoline_core.patterns import count_patterns
from mandoline_core.pipeline import (
    Asked,
    Cells,
    Fit,
    Memo,
    Progress,
    Request,
    make_problem,
    no_memo,
    part_of,
    score_truth,
    state,
)
from mandoline_core.project import EstimatorSettings, Project
from mandoline_core.slices import Slice
from mandoline_core.weighting import CorrectionRule, check_edges, fixed_rule

OVERRIDDEN = FindingKind(
    "fit",
    "settings_overridden",
    "This estimate was asked for with other settings than the project's: {names}",
    "Nothing to do, if that is what you meant.",
)
PACKAGES = ("mandoline-estimator", "numpy", "scipy", "pandas", "narwhals")  # whose versions a report names


@cache
def _versions() -> dict[str, str]:
    """Look up the packages that numbers hang on; once, for each takes milliseconds."""
    return {name: version(name) for name in PACKAGES}


@dataclass(frozen=True, eq=False)
class Report:
    """Hold the estimates of all models; its own numbers are the first model's.

    Prints as text in a terminal and as a table in a notebook.

    Parameters
    ----------
    request : Request or None
        What was asked for; None where there were only codes.
    spreads : mapping of str to Spread
        How much hangs on the choice of slices, by model, where that was asked for.
    """

    name: str
    models: Mapping[str, ModelReport]
    settings: EstimatorSettings
    request: Request | None = None
    spreads: Mapping[str, Spread] = field(default_factory=dict)

    @cached_property
    def made(self) -> dict[str, Any]:
        """How the report was made: settings, fingerprints of the samples, versions; worked out when asked for."""
        return {
            "settings": asdict(self.settings),
            "fingerprints": {side: sample.fingerprint for side, sample in self.samples.items()},
            "versions": {"python": platform.python_version(), **_versions()},
        }

    @property
    def samples(self) -> dict[str, Sample]:
        """The source and the target; none where there were only codes."""
        return {} if self.request is None else {"source": self.request.source, "target": self.request.target}

    @property
    def note(self) -> str:
        """What a person wants to remember about the project."""
        return "" if self.request is None else self.request.note

    @property
    def slice_notes(self) -> dict[str, str]:
        """What a person wants to remember about a slice, by its rule's name."""
        return {} if self.request is None else notes_of(self.request.slices)

    @cached_property
    def second_opinions(self) -> dict[str, SecondOpinionOn | None]:
        """What each model's own confidence adds to its estimate; None where it has no say."""
        return {name: second_opinion_on(model, self.draw(model)) for name, model in self.models.items()}

    def draw(self, model: ModelReport) -> Fit | None:
        """Fit to the rows in memory, for what looks at rows where these stay in a table."""
        return None if self.request is None or not model.fit.in_table else self.request.fit_of_draw(model.fit)

    @property
    def first(self) -> ModelReport:
        """The first model's report."""
        return next(iter(self.models.values()))

    @property
    def estimate(self) -> float:
        """The first model's estimate on the target."""
        return self.first.estimate

    @property
    def interval(self) -> Interval:
        """The interval of the first model's estimate."""
        return self.first.interval

    @property
    def source(self) -> float:
        """The first model's score on the source."""
        return self.first.source

    @property
    def truth(self) -> float | None:
        """The first model's score on the target's own labels, if it has them."""
        return self.first.truth

    @property
    def weights(self) -> Floats:
        """How much each source row counts for the first model; sums to 1.

        It serves as `sample_weight` wherever scikit-learn takes one, on the source's rows in their order: a metric
        so weighted is what it would be on the target, and a model so fitted is fitted to it.
        """
        return self.first.weights

    @property
    def delta(self) -> dict[str, float]:
        """The first model's fitted parameters."""
        return self.first.delta

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to know before quoting the first model's estimate."""
        return self.first.findings

    @property
    def verdict(self) -> Verdict | None:
        """How far to believe the first model's estimate."""
        return self.first.verdict

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data: what `mandoline estimate --json` prints."""
        first = self.first
        return {
            **first.told,
            "source": first.source,
            "source_interval": list(first.source_interval),
            "truth": first.truth,
            "n_source": first.n_source,
            "n_target": first.n_target,
            "n_patterns": first.n_patterns,
            "set_aside": first.set_aside,
            "bounds": _finite(first.diagnostics.bounds),
            "unseen": first.diagnostics.unseen,
            "effective_sample_size": first.effective_sample_size,
            "design_effect": first.diagnostics.design_effect,
            "largest_ratio": first.largest_ratio,
            "converged": first.converged,
            "delta": first.delta,
            "edges": [
                {"edge": list(edge), "z": first.edge_z[i] if first.edge_z else None}
                for i, edge in enumerate(first.edges)
            ],
            "models": {
                name: {
                    **model.told,
                    "source": model.source,
                    "source_interval": list(model.source_interval),
                    "truth": model.truth,
                    "set_aside": model.set_aside,
                    "effective_sample_size": model.effective_sample_size,
                    "largest_ratio": model.largest_ratio,
                    "converged": model.converged,
                    "findings": [finding.as_dict() for finding in model.findings],
                    "verdict": None if model.verdict is None else model.verdict.as_dict(),
                    "second_opinion": self._second_opinion(name),
                    "spread": self._spread(name),
                }
                for name, model in self.models.items()
            },
            "findings": [finding.as_dict() for finding in first.findings],
            "verdict": None if first.verdict is None else first.verdict.as_dict(),
            "second_opinion": self._second_opinion(first.model),
            "spread": self._spread(first.model),
            "made": dict(self.made),
        }

    def _spread(self, model: str) -> dict[str, Any] | None:
        found = self.spreads.get(model)
        return None if found is None else found.as_dict()

    def _second_opinion(self, model: str) -> dict[str, Any] | None:
        opinion = self.second_opinions[model]
        return None if opinion is None else opinion.as_dict()

    def without_truth(self) -> Report:
        """Leave the truth out, also where the target brings its labels along."""
        return replace(self, models={name: replace(model, truth=None) for name, model in self.models.items()})

    def to_html(self, *, progress: Progress | None = None) -> str:
        """Write the report as one HTML file that needs nothing else: figures, tables, and all numbers as JSON.

        Parameters
        ----------
        progress : callable, optional
            Called with what is being done and the share done, between 0 and 1.
        """
        from mandoline_core.report.gathering import gather_parts

        return gather_parts(self, progress=progress).to_html()

    def __str__(self) -> str:
        from mandoline_core.report.text import render_text

        return render_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from mandoline_core.report.text import render_html

        return render_html(self)


def estimate(
    source: Project | Sample,
    target: Sample | None = None,
    slices: Sequence[Slice] | None = None,
    *,
    reveal: bool = False,
    progress: Progress | None = None,
    **asked: Unpack[Asked],
) -> Report:
    """Estimate how well each model does on the target.

    Parameters
    ----------
    source : Project or Sample
        A project says everything else itself. What is asked for beside it takes the place of its own settings, and a
        finding of the report says so.
    reveal : bool
        Read the project's file of target labels, to show the truth beside the estimate.
    progress : callable, optional
        Called with what is being done and the share done, between 0 and 1.
    **asked
        estimator (a name in the registry, "mandoline" when left out), edges, metric ("accuracy" when left out), methods
        (what methods look at that do not work on slices), harmless, and fields of EstimatorSettings: split, overlap,
        ridge, confidence, seed, interval, replicates.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample
    >>> source = pd.DataFrame({"place": ["a"] * 80 + ["b"] * 20, "y": 1, "p": [1] * 80 + [1, 0] * 10})
    >>> target = pd.DataFrame({"place": ["a"] * 50 + ["b"] * 50, "p": 1})
    >>> report = estimate(
    ...     Sample(source, label="y", prediction="p"), Sample(target), [Category("b", column="place", values=("b",))]
    ... )
    >>> round(report.source, 3), round(report.estimate, 3)
    (0.9, 0.75)
    """
    request = state("estimate", source, target, slices, **asked)
    labelled = source.reveal(request.target) if reveal and isinstance(source, Project) else request.target
    return report(request, labelled=labelled, progress=progress)


def report(
    request: Request,
    memo: Memo = no_memo,
    *,
    models: Sequence[Model | None] | None = None,
    labelled: Sample | None = None,
    progress: Progress | None = None,
) -> Report:
    """Walk all steps for every model: the one function behind the library, the command line and the app.

    Parameters
    ----------
    memo : callable
        The caller's hook: what was made before is not made again.
    models : sequence of Model, optional
        Some of the request's; all when left out.
    labelled : Sample, optional
        The target with its labels, to score the truth by.
    """
    get_estimator(request.settings.name)  # refuse an unknown name before any work
    chosen = request.models if models is None else models
    reports = {}
    for i, model in enumerate(chosen):
        if progress is not None:
            progress(f"model {model.name}" if model else "score", i / len(chosen))
        own = part_of(progress, i, len(chosen))
        with progress_to(own or current_progress()):
            checked = report_of(request, model, memo, progress=own)
        reports[checked.model] = checked if labelled is None else with_truth(checked, labelled)
    return Report(request.name, reports, request.settings, request)


def report_of(
    request: Request, model: Model | None, memo: Memo = no_memo, *, progress: Progress | None = None
) -> ModelReport:
    """Walk the steps for one model: read samples are coded, counted, fitted, estimated and checked."""

    def make() -> ModelReport:
        fit = request.fit(model, memo, need_slices=True)
        on_rows = fit.in_table and not get_estimator(request.settings.name).on_patterns
        draw = request.fit_of_draw(fit, memo) if on_rows else None
        checked = report_model(fit, request.settings, progress, draw=draw)
        if not request.overrides:
            return checked
        names = ", ".join(request.overrides)
        return replace(checked, findings=(*checked.findings, OVERRIDDEN.found("info", names=names)))

    return memo(request.report_key(model), make)


def with_truth(checked: ModelReport, labelled: Sample) -> ModelReport:
    """Put the truth beside a report; nothing is counted, fitted or checked again for it."""
    truth, findings = score_truth(checked.cells, labelled)
    return replace(checked, truth=truth, findings=worst_first([*checked.findings, *findings]))


def estimate_from_codes(
    source_codes: ArrayLike,
    scores: ArrayLike,
    target_codes: ArrayLike,
    *,
    edges: Sequence[Sequence[int]] = (),
    noise: tuple[ArrayLike, ArrayLike] | None = None,
    estimator: str = "mandoline",
    ridge: float = 0.0,
    names: Sequence[str] | None = None,
    **settings: Any,
) -> Report:
    """Estimate the mean score on the target from slice codes that someone already has.

    Parameters
    ----------
    source_codes, target_codes : array of -1, 0, 1, shape (n_rows, n_slices)
    scores : array of float, shape (n_source_rows,)
    noise : pair of arrays, each of shape (n_slices, 3), optional
        Source and target p(g = 1 | code) for the codes -1, 0, 1. None takes slices at their word.
    **settings
        Further fields of EstimatorSettings: split, overlap, confidence, seed, interval, replicates.

    Examples
    --------
    >>> report = estimate_from_codes([[1], [-1], [-1], [-1]], [0.0, 1.0, 1.0, 1.0], [[1], [-1]])
    >>> round(report.estimate, 6)
    0.5
    """
    how = EstimatorSettings(name=estimator, ridge=ridge, **settings)
    source, target = _check_codes(source_codes, "source_codes"), _check_codes(target_codes, "target_codes")
    values = np.asarray(scores, dtype=float).reshape(-1)
    if len(values) != len(source):
        raise DataError(f"There are {len(source)} source rows and {len(values)} scores. Expected one score a row.")
    check_finite(values, "scores")
    n_slices = source.shape[1]
    labels = [f"{i}" for i in range(n_slices)] if names is None else [str(name) for name in names]
    if len(labels) != n_slices:
        raise SliceError(f"There are {n_slices} slices and {len(labels)} names. Expected one name a slice.")
    inside_unit = bool(((values >= 0) & (values <= 1)).all())
    metric = get_metric("mean")
    if inside_unit:
        metric = replace(metric, bounds=(0.0, 1.0), unit="percent")
    count = count_patterns(source, target, values[:, None], labels)
    problem = make_problem(count, values[:, None], metric, how)
    problem = replace(problem, edges=check_edges(edges, n_slices))
    if noise is not None:
        problem = replace(problem, rule=_check_noise(noise, n_slices))
    scored = np.ones(len(values), dtype=bool)
    cells = Cells("score", (), {}, metric, count, values[:, None], scored, (), {}, ())
    return Report("codes", {"score": report_model(Fit(cells, problem), how)}, how)


def notes_of(slices: Sequence[Slice]) -> dict[str, str]:
    """List what people noted about slices, by name."""
    return {rule.name: rule.note for rule in slices if rule.note and rule.enabled}


def _finite(bounds: Interval | None) -> list[float | None] | None:
    """Write bounds for JSON, which has no infinity: None where there is no bound."""
    return None if bounds is None else [end if math.isfinite(end) else None for end in bounds]


def _check_codes(given: ArrayLike, what: str) -> np.ndarray:
    array = np.asarray(given)
    if array.ndim != 2 or not len(array):
        raise DataError(
            f"{what} must have a row for each example and a column for each slice. Got shape {array.shape}."
        )
    if array.dtype.kind == "i" and array.min(initial=0) >= -1 and array.max(initial=0) <= 1:
        return array.astype(np.int8, copy=False)
    wrong = array[~np.isin(array, (-1, 0, 1))]
    if wrong.size:
        raise DataError(f"{what} must be 1 (inside), -1 (outside) or 0 (abstained). Got {listed(np.unique(wrong), 5)}.")
    return array.astype(np.int8)


def _check_noise(noise: tuple[ArrayLike, ArrayLike], n_slices: int) -> CorrectionRule:
    if len(noise) != 2:
        raise DataError("noise must be a pair: the source's corrections and the target's.")
    tables = [np.asarray(table, dtype=float) for table in noise]
    for table, side in zip(tables, ("source", "target"), strict=True):
        if table.shape != (n_slices, 3):
            raise DataError(f"The {side}'s noise must have shape ({n_slices}, 3). Got {table.shape}.")
        if not ((table >= 0) & (table <= 1)).all():
            raise DataError(f"The {side}'s noise must hold probabilities between 0 and 1.")
    return fixed_rule(tables[0], tables[1])
