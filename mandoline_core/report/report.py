"""The report: the estimates of all models, and what was asked for."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from importlib.metadata import version
from typing import Any

from mandoline_core.arrays import Floats, Interval
from mandoline_core.checks import ModelReport, SecondOpinionOn, second_opinion_on
from mandoline_core.data import Sample
from mandoline_core.discovery import Spread
from mandoline_core.findings import Finding, Verdict
from mandoline_core.pipeline import Fit, Progress, Request
from mandoline_core.project import EstimatorSettings
from mandoline_core.slices import Slice

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
        first, bounds = self.first, self.first.diagnostics.bounds
        models = {name: self._model_as_dict(name, model) for name, model in self.models.items()}
        return {
            **models[first.model],
            "n_source": first.n_source,
            "n_target": first.n_target,
            "n_patterns": first.n_patterns,
            # JSON has no infinity.
            "bounds": bounds and [end if math.isfinite(end) else None for end in bounds],
            "unseen": first.diagnostics.unseen,
            "design_effect": first.diagnostics.design_effect,
            "delta": first.delta,
            "edges": [
                {"edge": list(edge), "z": first.edge_z[i] if first.edge_z else None}
                for i, edge in enumerate(first.edges)
            ],
            "models": models,
            "made": dict(self.made),
        }

    def _model_as_dict(self, name: str, model: ModelReport) -> dict[str, Any]:
        opinion, spread = self.second_opinions[name], self.spreads.get(name)
        return {
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
            "second_opinion": None if opinion is None else opinion.as_dict(),
            "spread": None if spread is None else spread.as_dict(),
        }

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


def notes_of(slices: Sequence[Slice]) -> dict[str, str]:
    """List what people noted about slices, by name."""
    return {rule.name: rule.note for rule in slices if rule.note and rule.enabled}
