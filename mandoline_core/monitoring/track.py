"""A track: the estimates on each batch of new data, as text, plain data, CSV and a page with charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mandoline_core.findings import MEANINGS
from mandoline_core.formatting import counted, csv_text, one_line, show_interval, show_percent, table, wrapped
from mandoline_core.metrics import Metric, get_metric
from mandoline_core.monitoring.alerts import AlertRule, find_alerts, find_limits
from mandoline_core.monitoring.demands import LEVELS
from mandoline_core.monitoring.realised import short_name
from mandoline_core.project import Hits, Project, count_hits

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from mandoline_core.report.charts import TrackedPoint


@dataclass(frozen=True, eq=False)
class TargetEstimates:
    """Hold the estimates on one batch of new data.

    Parameters
    ----------
    fingerprint : str
        Of the file's bytes.
    models : mapping of str to mapping
        By model: estimate, interval, source, converged, verdict and its doubts, n_target, standard errors by sample,
        the shares of slices in both samples, and what labels that arrived later show.
    error : str or None
        Why there is no estimate.
    label_error : str or None
        Why its labels cannot be used.
    kept : bool
        Whether the estimates come from the cache.
    """

    target: str
    fingerprint: str
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    error: str | None = None
    label_error: str | None = None
    kept: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        models = {name: dict(found) for name, found in self.models.items()}
        errors = {"error": self.error, "label_error": self.label_error}
        return {"target": self.target, "fingerprint": self.fingerprint, **errors, "models": models}


@dataclass(frozen=True, eq=False)
class Track:
    """Hold the estimates on all batches of new data, in order, and the alerts. Prints as text in a terminal.

    Parameters
    ----------
    record : tuple of mapping
        The project's record: estimates as they stood when labels arrived, and what these showed.
    """

    project: Project
    targets: tuple[TargetEstimates, ...]
    alert: AlertRule | None = None
    record: tuple[Mapping[str, Any], ...] = ()

    @property
    def share(self) -> bool:
        """Whether values are shown as percentages."""
        return self.metric.share

    @property
    def metric(self) -> Metric:
        """What is estimated."""
        return get_metric(self.project.metric)

    @property
    def models(self) -> list[str]:
        """The models that have an estimate on some batch."""
        return list(dict.fromkeys(name for one in self.targets for name, p in one.models.items() if p["converged"]))

    @cached_property
    def alerts(self) -> dict[tuple[str, str], str]:
        """The alerts by target and model, one sentence each."""
        return {} if self.alert is None else find_alerts(self._runs, self.alert, self.metric)

    @property
    def alert_sentences(self) -> list[str]:
        """The alerts on the last batch in full, those on earlier ones by name."""
        last = self.targets[-1].target if self.targets else ""
        said = [sentence for (target, _), sentence in self.alerts.items() if target == last]
        before = list(dict.fromkeys(target for target, _ in self.alerts if target != last))
        if before:
            named = f"{counted(len(before), 'earlier batch')}" if len(before) == 1 else f"{len(before)} earlier batches"
            said.append(f"Alerts on {named}: {', '.join(before)}.")
        return said

    def worst_light(self, model: str | None = None) -> tuple[str, str] | None:
        """Return the worst verdict of all batches, and a sentence that says where and why; None without any.

        Parameters
        ----------
        model : str, optional
            Only its verdicts; those of all models when left out.
        """
        lights = [
            (LEVELS.index(point["verdict"]), number, name)
            for number, one in enumerate(self.targets)
            for name, point in one.models.items()
            if point["verdict"] is not None and model in (None, name)
        ]
        if not lights:
            return None
        worst = max(rank for rank, _, _ in lights)
        batches = sorted({number for rank, number, _ in lights if rank == worst})
        number, name = next((number, name) for rank, number, name in lights if (rank, number) == (worst, batches[-1]))
        where, level = self.targets[number], LEVELS[worst]
        doubts = where.models[name]["doubts"]
        n = len({number for _, number, _ in lights})
        said = f"Worst verdict: {MEANINGS[level]}, on {len(batches)} of {n} batches, last on {where.target}."
        return level, f"{said} {doubts}".strip()

    @cached_property
    def hits(self) -> Hits | None:
        """How often labels that arrived later confirmed the estimates; None before any did."""
        return count_hits((one for one in self.record if one["metric"] == self.metric.name), share=self.share)

    def points(self, model: str) -> list[TrackedPoint]:
        """Return a model's estimates in order, with their alerts, to draw them."""
        from mandoline_core.report.charts import TrackedPoint  # it needs Plotly, which a job without charts does not

        found = [(target, point) for target, point in self._runs[model] if point["converged"]]
        limits = {} if self.alert is None else find_limits(found, self.alert, self.metric, n_models=len(self._runs))
        return [
            TrackedPoint(
                short_name(target),
                point["estimate"],
                tuple(point["interval"]),
                point["verdict"] or "",
                (target, model) in self.alerts,
                limits.get(target, ()),
                None if point["realised"] is None else point["realised"]["value"],
                None if point["realised"] is None else tuple(point["realised"]["interval"]),
            )
            for target, point in found
        ]

    def draw(self, model: str, *, dark: bool = False) -> go.Figure:
        """Draw the estimates of a model, batch by batch."""
        from mandoline_core.report.charts import track_chart

        source = next(point["source"] for _, point in self._runs[model] if point["converged"])
        return track_chart(
            self.points(model),
            source=source,
            model=model,
            metric=self.metric.spoken,
            share=self.share,
            dark=dark,
        )

    def shares(self, model: str) -> dict[str, tuple[float, list[float | None]]]:
        """Return the share of every slice in the labelled data, and in each batch; None where a batch has no slice."""
        run = self._runs[model]
        names = dict.fromkeys(name for _, point in run for name in point["slices"])
        return {
            name: (
                next(point["slices"][name][0] for _, point in run if name in point["slices"]),
                [point["slices"][name][1] if name in point["slices"] else None for _, point in run],
            )
            for name in names
        }

    def draw_shares(self, model: str, *, dark: bool = False) -> go.Figure:
        """Draw the shares of a model's slices, batch by batch."""
        from mandoline_core.report.charts import slice_shares

        return slice_shares([short_name(target) for target, _ in self._runs[model]], self.shares(model), dark=dark)

    @cached_property
    def _runs(self) -> dict[str, list[tuple[str, Mapping[str, Any]]]]:
        """By model: its points in order, each with its target."""
        names = dict.fromkeys(name for one in self.targets for name in one.models)
        return {name: [(one.target, one.models[name]) for one in self.targets if name in one.models] for name in names}

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data: what `mandoline track --json` prints."""
        alerts = [{"target": key[0], "model": key[1], "message": said} for key, said in self.alerts.items()]
        worst = self.worst_light()
        return {
            "name": self.project.name,
            "metric": self.project.metric.name,
            "targets": [one.as_dict() for one in self.targets],
            "alerts": alerts,
            "worst_verdict": None if worst is None else {"level": worst[0], "message": worst[1]},
            "hits": None if self.hits is None else self.hits.as_dict(),
        }

    def to_csv(self) -> str:
        """Write one line per batch and model."""
        head = ["target", "model", "estimate", "low", "high", "source", "verdict", "n_target", "alert", "error"]
        rows: list[list[object]] = [[*head, "realised", "realised_low", "realised_high", "n_labels"]]
        for one in self.targets:
            for model, point in one.models.items() or [("", None)]:
                alert = int((one.target, model) in self.alerts)
                cells: list[object] = [one.target, model]
                if point is None or not point["converged"]:
                    level, why = "" if point is None else point["verdict"] or "", one.error
                    cells += ["", "", "", "", level, "", alert, why or "no estimate: the weights did not converge"]
                else:
                    cells += [point["estimate"], *point["interval"], point["source"], point["verdict"] or ""]
                    cells += [point["n_target"], alert, ""]
                shown = None if point is None else point["realised"]
                cells += [""] * 4 if shown is None else [shown["value"], *shown["interval"], shown["n_labels"]]
                rows.append(cells)
        return csv_text(rows)

    def to_html(self) -> str:
        """Write one HTML file with charts for each model."""
        from mandoline_core.report.html import PageFigure, figure_page  # it needs Plotly, which tracking does not

        errors = [f"{one.target}: {said}" for one in self.targets for said in (one.error, one.label_error) if said]
        figures = (pair for number, model in enumerate(self.models) for pair in _figures(self, model, number))
        return figure_page(
            self.project.name,
            "track",
            f"Estimated {self.metric.spoken} on each batch of new data.",
            [*self.alert_sentences, *errors, "" if self.hits is None else f"By later labels: {self.hits.message}"],
            self.as_dict(),
            [PageFigure(*figure) for figure in figures],
            banner=self.worst_light(),
        )

    def __str__(self) -> str:
        shown = any(point["realised"] for one in self.targets for point in one.models.values())
        lines = [["batch", "model", "estimate", *(["by labels"] if shown else []), "verdict", ""]]
        for one in self.targets:
            for model, point in one.models.items():
                alert = "ALERT" if (one.target, model) in self.alerts else ""
                estimate = _shown(point, share=self.share) if point["converged"] else "no estimate"
                labels = [realised_words(point, share=self.share) or "-"] if shown else []
                verdict = MEANINGS.get(point["verdict"], "-")
                lines.append([one_line(one.target), one_line(model), estimate, *labels, verdict, alert])
            if one.error:
                lines.append([one_line(one.target), "", "no estimate", *(["-"] if shown else []), "-", ""])
        head = f"{one_line(self.project.name)}: {self.metric.spoken} on each batch of new data"
        worst = self.worst_light()
        parts = [
            head,
            *([] if worst is None else [wrapped(one_line(worst[1]), "")]),
            "",
            table(lines, "<" * len(lines[0])),
        ]
        return "\n".join([*parts, *([] if self.hits is None else ["", f"By later labels: {self.hits.message}"])])


def _shown(point: Mapping[str, Any], *, share: bool) -> str:
    return show_interval(point["estimate"], point["interval"], share=share)


def realised_words(point: Mapping[str, Any], *, share: bool) -> str:
    """Write the score that labels show, with its interval; nothing before there are labels."""
    shown = point["realised"]
    if shown is None:
        return ""
    part = "" if shown["n_labels"] == point["n_target"] else f", {counted(shown['n_labels'], 'label')}"
    return f"{show_interval(shown['value'], shown['interval'], share=share)}{part}"


def _figures(track: Track, model: str, number: int) -> Iterator[tuple[Any, ...]]:
    share, metric = track.share, track.metric.spoken
    points = track._runs[model]
    yield (
        f"track-{number + 1}",
        f"The {metric} of {model}, batch by batch",
        lambda dark: track.draw(model, dark=dark),
        ("batch", "estimate", "by labels", "verdict", "alert"),
        [
            [
                short_name(target),
                _shown(point, share=share),
                realised_words(point, share=share),
                MEANINGS.get(point["verdict"], ""),
                "alert" if (target, model) in track.alerts else "",
            ]
            for target, point in points
            if point["converged"]
        ],
    )
    slices = track.shares(model)
    if not slices:
        return
    yield (
        f"slices-{number + 1}",
        f"Share of rows in each slice of {model}, batch by batch",
        lambda dark: track.draw_shares(model, dark=dark),
        ("slice", "labelled data", *(short_name(target) for target, _ in points)),
        [
            [name, show_percent(before), *("-" if one is None else show_percent(one) for one in after)]
            for name, (before, after) in slices.items()
        ],
    )
