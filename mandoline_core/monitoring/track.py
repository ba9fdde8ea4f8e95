"""A track: the estimates on one target after the other, as text, plain data, CSV and a page with charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mandoline_core.formatting import Sentence, csv_text, one_line, show_interval, table
from mandoline_core.metrics import Metric, get_metric
from mandoline_core.monitoring.alerts import AlertRule, find_alerts, find_limits
from mandoline_core.project import Project

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from mandoline_core.report.charts import TrackedPoint


@dataclass(frozen=True, eq=False)
class TargetEstimates:
    """Hold what was estimated on one target.

    Parameters
    ----------
    fingerprint : str
        Of the file's bytes.
    models : mapping of str to mapping
        By model: estimate, interval, source, converged, verdict, n_target.
    error : str or None
        Why there is no estimate.
    kept : bool
        Whether it was done before.
    """

    target: str
    fingerprint: str
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    error: str | None = None
    kept: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        models = {name: dict(found) for name, found in self.models.items()}
        return {"target": self.target, "fingerprint": self.fingerprint, "error": self.error, "models": models}


@dataclass(frozen=True, eq=False)
class Track:
    """Hold the estimates on all targets, in their order, and what they call for. Prints as text in a terminal."""

    project: Project
    targets: tuple[TargetEstimates, ...]
    alert: AlertRule | None = None

    @property
    def share(self) -> bool:
        """Whether values are shown as percentages."""
        return self.metric.share

    @property
    def metric(self) -> Metric:
        """What is estimated."""
        return get_metric(self.project.metric.name)

    @property
    def models(self) -> list[str]:
        """The models that have an estimate on some target."""
        return list(dict.fromkeys(name for one in self.targets for name, p in one.models.items() if p["converged"]))

    @cached_property
    def alerts(self) -> dict[tuple[str, str], Sentence]:
        """What calls for a person, by target and model, in one sentence each."""
        if self.alert is None:
            return {}
        return {
            (target, model): sentence
            for model in self.models
            for target, sentence in find_alerts(self._of(model), model, self.alert, self.metric).items()
        }

    def points(self, model: str) -> list[TrackedPoint]:
        """Return what is drawn of a model: its estimates in the order of targets, with marks for alerts."""
        from mandoline_core.report.charts import TrackedPoint  # it needs Plotly, which a job without charts does not

        found = [(target, point) for target, point in self._of(model) if point["converged"]]
        limits = {} if self.alert is None else find_limits(found, self.alert, self.metric)
        return [
            TrackedPoint(
                short_name(target),
                point["estimate"],
                tuple(point["interval"]),
                point["verdict"] or "",
                (target, model) in self.alerts,
                limits.get(target, ()),
            )
            for target, point in found
        ]

    def draw(self, model: str, *, dark: bool = False) -> go.Figure:
        """Draw the estimates of a model over the targets."""
        from mandoline_core.report.charts import track_chart

        source = next(point["source"] for _, point in self._of(model) if point["converged"])
        return track_chart(
            self.points(model),
            source=source,
            model=model,
            metric=self.metric.spoken,
            share=self.share,
            dark=dark,
        )

    def _of(self, model: str) -> list[tuple[str, Mapping[str, Any]]]:
        return [(one.target, one.models[model]) for one in self.targets if model in one.models]

    @property
    def newest_alerts(self) -> list[str]:
        """What the last target calls for."""
        return [said for (target, _), said in self.alerts.items() if target == self.targets[-1].target]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data: what `mandoline track --json` prints."""
        alerts = [{"target": key[0], "model": key[1], "message": said} for key, said in self.alerts.items()]
        return {
            "name": self.project.name,
            "metric": self.project.metric.name,
            "targets": [one.as_dict() for one in self.targets],
            "alerts": alerts,
        }

    def to_csv(self) -> str:
        """Write a line for each target and model."""
        rows: list[list[object]] = [
            ["target", "model", "estimate", "low", "high", "source", "verdict", "n_target", "alert", "error"]
        ]
        for one in self.targets:
            for model, point in one.models.items() or [("", None)]:
                cells: list[object] = [one.target, model]
                if point is None or not point["converged"]:
                    cells += ["", "", "", "", "", "", "", one.error or "no estimate: the weights did not converge"]
                else:
                    cells += [point["estimate"], *point["interval"], point["source"], point["verdict"] or ""]
                    cells += [point["n_target"], int((one.target, model) in self.alerts), ""]
                rows.append(cells)
        return csv_text(rows)

    def to_html(self) -> str:
        """Write one HTML file with a chart for each model."""
        from mandoline_core.report.html import PageFigure, figure_page  # it needs Plotly, which tracking does not

        return figure_page(
            self.project.name,
            "track",
            f"{self.metric.spoken} on one batch of new data after the other, estimated without labels.",
            [*self.alerts.values(), *(f"{one.target}: {one.error}" for one in self.targets if one.error)],
            self.as_dict(),
            [PageFigure(*_figure(self, model, number)) for number, model in enumerate(self.models)],
        )

    def __str__(self) -> str:
        share = self.share
        lines = [["target", "model", "on the target", "verdict", ""]]
        for one in self.targets:
            for model, point in one.models.items():
                found = point["converged"]
                alert = "ALERT" if (one.target, model) in self.alerts else ""
                lines.append(
                    [
                        one_line(one.target),
                        one_line(model),
                        show_interval(point["estimate"], point["interval"], share=share) if found else "no estimate",
                        point["verdict"] or "-",
                        alert,
                    ]
                )
            if one.error:
                lines.append([one_line(one.target), "", "no estimate", "-", ""])
        head = f"{one_line(self.project.name)}: {self.project.metric.name} on one target after the other"
        return f"{head}\n\n{table(lines, '<<<<<')}"


def _figure(track: Track, model: str, number: int) -> tuple[Any, ...]:
    share, metric = track.share, track.metric.spoken
    rows = [[p.name, show_interval(p.estimate, p.interval, share=share), p.verdict] for p in track.points(model)]
    return (
        f"track-{number + 1}",
        f"The {metric} of {model}, batch by batch",
        lambda dark: track.draw(model, dark=dark),
        ("batch", "estimate", "verdict"),
        rows,
    )


def short_name(target: str) -> str:
    """Name a target without its folder and ending.

    >>> short_name("weekly/2026-01-05.csv.gz")
    '2026-01-05'
    """
    name = Path(target).name
    return Path(name.removesuffix(".gz")).stem or name
