"""A track: the estimates on one target after the other, as text, plain data, CSV and a page with charts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mandoline_core.errors import MandolineError
from mandoline_core.formatting import csv_text, one_line, show_interval, show_value, table
from mandoline_core.metrics import get_metric
from mandoline_core.pipelines.demands import badness
from mandoline_core.project import Project
from mandoline_core.report import figure_page

BASES = ("source", "first", "previous")


@dataclass(frozen=True)
class AlertRule:
    """Say when an estimate calls for a person: more than `drop` worse than its base.

    Parameters
    ----------
    drop : float
        In points for shares, else in the metric's own unit.
    base : {"source", "first", "previous"}
        What it is compared with: the score on the source, the first target's estimate, or that of the target before.
    """

    drop: float
    base: str = "source"

    def __post_init__(self) -> None:
        """Refuse what no number is."""
        if not 0 <= self.drop < float("inf"):
            raise MandolineError(f"--alert-drop must be a number, 0 or above. Got {self.drop:g}.")


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
        return get_metric(self.project.metric.name).share

    @property
    def alerts(self) -> dict[tuple[str, str], str]:
        """What calls for a person, by target and model, in one sentence each."""
        if self.alert is None:
            return {}
        metric, rule, found = get_metric(self.project.metric.name), self.alert, {}
        for model in dict.fromkeys(name for one in self.targets for name in one.models):
            base: float | None = None
            for one in self.targets:
                point = one.models.get(model)
                if point is None or not point["converged"]:
                    continue
                against = point["source"] if rule.base == "source" or base is None else base
                drop = (badness(point["estimate"], metric) - badness(against, metric)) * (100 if metric.share else 1)
                if drop > rule.drop and (rule.base == "source" or base is not None):
                    unit = " points" if metric.share else ""
                    than = {"source": "the source's", "first": "the first target's", "previous": "the target's before,"}
                    said = show_value(point["estimate"], share=metric.share)
                    found[one.target, model] = (
                        f"{one.target}: the estimate of {model}, {said}, is {drop:.3g}{unit} worse than "
                        f"{than[rule.base]} {show_value(against, share=metric.share)}, more than {rule.drop:g}."
                    )
                base = point["estimate"] if rule.base == "previous" or base is None else base
        return found

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
        return figure_page(
            self.project.name,
            "track",
            f"{self.project.metric.name} on one target after the other, estimated without labels.",
            [*self.alerts.values(), *(f"{one.target}: {one.error}" for one in self.targets if one.error)],
            self.as_dict(),
            [_figure(self, model, number) for number, model in enumerate(self._models())],
        )

    def _models(self) -> list[str]:
        return list(dict.fromkeys(name for one in self.targets for name, p in one.models.items() if p["converged"]))

    def __str__(self) -> str:
        share = self.share
        lines = [["target", "model", "on the target", "verdict", ""]]
        for one in self.targets:
            for model, point in one.models.items():
                said = show_interval(point["estimate"], point["interval"], share=share)
                alert = "ALERT" if (one.target, model) in self.alerts else ""
                lines.append(
                    [
                        one_line(one.target),
                        one_line(model),
                        said if point["converged"] else "no estimate",
                        point["verdict"] or "-",
                        alert,
                    ]
                )
            if one.error:
                lines.append([one_line(one.target), "", "no estimate", "-", ""])
        head = f"{one_line(self.project.name)}: {self.project.metric.name} on one target after the other"
        return f"{head}\n\n{table(lines, '<<<<<')}"


def _figure(track: Track, model: str, number: int) -> tuple[Any, ...]:
    from mandoline_core.charts import TrackedPoint, track_chart

    found = [(one.target, one.models[model]) for one in track.targets if model in one.models]
    points = [
        TrackedPoint(
            Path(target).stem,
            point["estimate"],
            tuple(point["interval"]),
            point["verdict"] or "",
            (target, model) in track.alerts,
        )
        for target, point in found
        if point["converged"]
    ]
    share, metric, source = track.share, track.project.metric.name, found[0][1]["source"]
    rows = [[one.name, show_interval(one.estimate, one.interval, share=share), one.verdict] for one in points]

    def draw(dark: bool) -> Any:
        return track_chart(points, source=source, model=model, metric=metric, share=share, dark=dark)

    return (
        f"track-{number + 1}",
        f"The {metric} of {model}, target by target",
        draw,
        ("target", "estimate", "verdict"),
        rows,
    )
