"""The report: the estimates of all models, and the request behind them."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mandoline_core.arrays import Floats, Interval
from mandoline_core.checks import (
    Experience,
    ModelReport,
    SecondOpinionOn,
    Sensitivity,
    add_labels,
    experience_of,
    known_of,
    second_opinion_on,
    sensitivity_curve,
)
from mandoline_core.comparison import Comparison, compare
from mandoline_core.comparison.backtests import Backtest, backtest
from mandoline_core.data import Sample
from mandoline_core.discovery import Spread, Suggestions, suggest
from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.findings import Finding, Verdict
from mandoline_core.formatting import listed
from mandoline_core.labels import FewLabels, LabelPlan, bring_labels, label_column, plan_labels, use_labels
from mandoline_core.pipeline import (
    Ablation,
    Attribution,
    Fit,
    Progress,
    Request,
    SliceTable,
    ablation,
    attribute,
    slice_table,
)
from mandoline_core.project import EstimatorSettings
from mandoline_core.report.earlier import read_report
from mandoline_core.results import ends
from mandoline_core.slices import Slice

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from mandoline_core.report.groups import Groups

GAMMAS = (1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0)  # strengths of a hidden change worth a line in a table


@cache
def _versions() -> dict[str, str]:
    """Look up the versions of packages that affect the numbers; once, because each takes milliseconds."""
    return {name: version(name) for name in ("mandoline-estimator", "numpy", "scipy", "pandas", "narwhals")}


@dataclass(frozen=True, eq=False)
class Report:
    """Hold the estimates of all models; its own numbers are the first model's.

    Prints as text in a terminal and as a table in a notebook.

    Parameters
    ----------
    request : Request or None
        The request; None if there were only codes.
    spreads : mapping of str to Spread
        How sensitive each estimate is to the choice of slices, if asked for.
    """

    name: str
    models: Mapping[str, ModelReport]
    settings: EstimatorSettings
    request: Request | None = None
    spreads: Mapping[str, Spread] = field(default_factory=dict)

    @cached_property
    def made(self) -> dict[str, Any]:
        """How the report was made: settings, fingerprints of the samples, versions; computed on demand."""
        return {
            "settings": asdict(self.settings),
            "fingerprints": {side: sample.fingerprint for side, sample in self.samples.items()},
            "versions": {"python": platform.python_version(), **_versions()},
        }

    @property
    def samples(self) -> dict[str, Sample]:
        """The source and the target; empty if there were only codes."""
        return {} if self.request is None else {"source": self.request.source, "target": self.request.target}

    @property
    def note(self) -> str:
        """The project's note."""
        return "" if self.request is None else self.request.note

    @property
    def slice_notes(self) -> dict[str, str]:
        """The notes on slices, by the name of the rule."""
        return {} if self.request is None else notes_of(self.request.slices)

    @cached_property
    def second_opinions(self) -> dict[str, SecondOpinionOn | None]:
        """The second opinion by each model's own confidence; None if absent."""
        return {name: second_opinion_on(one.without or one, self.draw(one)) for name, one in self.models.items()}

    @cached_property
    def experiences(self) -> dict[str, Experience | None]:
        """How far estimates with the same verdict were off, by model; None where nothing of the kind was measured."""
        memory = self.request.memory if self.request else None
        return {name: experience_of(one, memory, self.second_opinions[name]) for name, one in self.models.items()}

    def draw(self, model: ModelReport) -> Fit | None:
        """Fit to a sample in memory, for what needs rows where these stay in a table."""
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
        """The interval of the first model's estimate: of the population that the new rows come from."""
        return self.first.interval

    @property
    def prediction_interval(self) -> Interval | None:
        """The interval of the first model's score on exactly these new rows; None for a metric that has none."""
        return self.first.prediction_interval

    @property
    def source(self) -> float:
        """The first model's score on the source."""
        return self.first.source

    @property
    def truth(self) -> float | None:
        """The first model's score on the labels of the target, if it has them."""
        return self.first.truth

    @property
    def weights(self) -> Floats:
        """The weight of each source row for the first model; the weights sum to 1.

        Use them as `sample_weight` in scikit-learn, with the source's rows in their order, to compute any metric as on
        the target, or to fit a model to it.
        """
        return self.first.weights

    @property
    def delta(self) -> dict[str, float]:
        """The first model's fitted parameters."""
        return self.first.delta

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings about the first model's estimate."""
        return self.first.findings

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the first model's estimate."""
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
            "group_design_effect": first.diagnostics.group_design_effect,
            "delta": first.delta,
            "edges": [
                {"edge": list(e), "z": first.edge_z[i] if first.edge_z else None} for i, e in enumerate(first.edges)
            ],
            "models": models,
            "made": dict(self.made),
        }

    def _model_as_dict(self, name: str, model: ModelReport) -> dict[str, Any]:
        opinion, spread = self.second_opinions[name], self.spreads.get(name)
        return {
            **model.told,
            "sampling_interval": model.sampling_interval and list(model.sampling_interval),
            "prediction_interval": model.prediction_interval and list(model.prediction_interval),
            "labelled": model.joined_labels,
            "source": model.source,
            "source_interval": list(model.source_interval),
            "truth": model.truth,
            "set_aside": model.set_aside,
            "effective_sample_size": model.effective_sample_size,
            "largest_ratio": model.largest_ratio,
            "converged": model.converged,
            "findings": [finding.as_dict() for finding in model.findings],
            "verdict": None if model.verdict is None else model.verdict.as_dict(),
            **known_of(model, self.experiences[name]),
            "second_opinion": None if opinion is None else opinion.as_dict(),
            "spread": None if spread is None else spread.as_dict(),
        }

    def slices(self, model: str | None = None) -> SliceTable:
        """Describe every slice: its shares, its shift, and the score in it and elsewhere."""
        return slice_table(self.of(model).fit, confidence=self.settings.confidence)

    def ablation(
        self, model: str | None = None, *, order: Sequence[str] | None = None, leave_one_out: bool = True
    ) -> Ablation:
        """Estimate with the first slice, the first two and so on, and with each left out."""
        return ablation(self.of(model).fit, self.settings, order=order, leave_one_out=leave_one_out)

    def attribution(self, model: str | None = None) -> Attribution:
        """Divide the difference between estimate and labelled score among the slices, whatever their order."""
        return attribute(self.of(model).fit, self.settings)

    def sensitivity(self, gammas: Iterable[float] = GAMMAS, model: str | None = None) -> Sensitivity:
        """Bound the estimate under a hidden change of each strength: rows weigh up to `gamma` times more or less."""
        return sensitivity_curve(self.of(model), gammas, self.settings.confidence)

    def compare(self, estimators: Sequence[str] | None = None, *, progress: Progress | None = None) -> Comparison:
        """Estimate each model with every method that applies."""
        return compare(self.asked, estimators=estimators, reveal=self.truth is not None, progress=progress)

    def backtest(
        self, draws: int = 100, *, estimators: Sequence[str] | None = None, progress: Progress | None = None
    ) -> Backtest:
        """Try every method on shifts made of the labelled data, where the truth is known."""
        return backtest(self.asked, draws=draws, estimators=estimators, progress=progress)

    def suggest(self, most: int = 10, *, auto: bool = False, progress: Progress | None = None) -> Suggestions:
        """Find slices worth trying, and try each."""
        return suggest(self.asked, most=most, auto=auto, progress=progress)

    def spread(self, model: str | None = None, *, progress: Progress | None = None) -> Spread:
        """Tell how sensitive the estimate is to the choice of slices."""
        from mandoline_core.report.spreads import find_spreads

        return (self.spreads or find_spreads(self, progress))[self.of(model).model]

    def plan(self, n: int = 50, model: str | None = None) -> LabelPlan:
        """Choose the new rows to label next; `to_csv` writes them with an empty label column, for `use_labels`."""
        return plan_labels(self.of(model).fit, self.settings, n, self.asked.target, key=self.asked.key)

    def use_labels(
        self,
        labels: Sample | Iterable[Any] | Path,
        model: str | None = None,
        *,
        plan: LabelPlan | Floats | None = None,
        key: str | None = None,
    ) -> FewLabels:
        """Combine the estimate with labels of some new rows.

        Parameters
        ----------
        labels : Sample, frame, path, or one value per new row
            A plan's sheet with its label column filled in, as a frame or a file; a table of labels with a key; the new
            data with its label column; or labels in the order of the new rows: None if absent.
        plan : LabelPlan or array, optional
            The plan that chose the labelled rows. Not needed with a plan's sheet; without either they must be a random
            draw.
        key : str, optional
            The column that names rows in the new data and in the table of labels. By default, the project's.
        """
        target, weights = bring_labels(labels, self.asked, label_column(self.first.fit), plan, key)
        return use_labels(self.of(model).fit, self.settings, target, plan=weights)

    def with_labels(
        self,
        labels: Sample | Iterable[Any] | Path,
        *,
        plan: LabelPlan | Floats | None = None,
        key: str | None = None,
    ) -> Report:
        """Return the report with labels of some new rows: estimate, interval and verdict rest on them, too.

        The parameters are those of `use_labels`.
        """
        request = self.asked
        joined = bring_labels(labels, request, label_column(self.first.fit), plan, key)
        models = {name: add_labels(model.without or model, *joined) for name, model in self.models.items()}
        return replace(self, models=models)

    def plot(self, what: str = "estimate", model: str | None = None, *, dark: bool = False) -> go.Figure:
        """Draw a picture by its name; needs Plotly.

        Parameters
        ----------
        what : str
            "estimate", "weights", "ablation", "leave_one_out", "attribution", "balance" or "methods".
        """
        from mandoline_core.report.plots import plot

        return plot(self, what, model, dark=dark)

    def by(self, column: str, *, fewest: int = 30) -> Groups:
        """Estimate each group of the new data on its own: all rows with one value of a column.

        Parameters
        ----------
        column : str
            A column of the new data with few values.
        fewest : int
            Groups with fewer new rows are left out.
        """
        from mandoline_core.report.groups import estimate_groups

        return estimate_groups(self.asked, column, fewest)

    def of(self, model: str | None = None) -> ModelReport:
        """Return a model's report by its name; the first model's when left out."""
        if model is None:
            return self.first
        if model not in self.models:
            raise MandolineError(
                f"Unknown model {model!r}. Models: {listed(self.models)}.{did_you_mean(model, self.models)}"
            )
        return self.models[model]

    @property
    def asked(self) -> Request:
        """What was asked for, or a sentence that rows are needed."""
        if self.request is None:
            raise MandolineError("This report was made from slice codes, and this needs rows. Use estimate().")
        return self.request

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data: what `mandoline estimate --json` prints."""
        return self.as_dict()

    def to_frame(self) -> pd.DataFrame:
        """Return one line per model: estimate, labelled score, their intervals and the verdict."""
        import pandas as pd

        return pd.DataFrame(
            {"model": name, "estimate": one.told["estimate"], **ends(one.interval if one.converged else None)}
            | {"source": one.source, "source_low": one.source_interval[0], "source_high": one.source_interval[1]}
            | {"truth": one.truth, "effective_rows": one.effective_sample_size}
            | {"verdict": one.verdict.level if one.verdict else None}
            for name, one in self.models.items()
        )

    def without_truth(self) -> Report:
        """Leave out the true value, even if the target has labels."""
        return replace(self, models={name: replace(model, truth=None) for name, model in self.models.items()})

    def to_html(self, *, since: str | None = None, progress: Progress | None = None) -> str:
        """Write the report as one self-contained HTML file: figures, tables, and all numbers as JSON.

        Parameters
        ----------
        since : str, optional
            An earlier report in HTML, to say what has changed.
        progress : callable, optional
            Called with the current step and the share done, between 0 and 1.
        """
        from mandoline_core.report.gathering import gather_parts

        earlier = None if since is None else read_report(since)
        return gather_parts(self, earlier=earlier, progress=progress).to_html()

    def __str__(self) -> str:
        from mandoline_core.report.text import render_text

        return render_text(self)

    def __repr__(self) -> str:
        """Write the numbers and the verdict in at most twelve lines."""
        from mandoline_core.report.text import render_short

        return render_short(self)

    def _repr_html_(self) -> str:
        from mandoline_core.report.text import render_html

        return render_html(self)


def notes_of(slices: Sequence[Slice]) -> dict[str, str]:
    """List the notes on slices, by name."""
    return {rule.name: rule.note for rule in slices if rule.note and rule.enabled}
