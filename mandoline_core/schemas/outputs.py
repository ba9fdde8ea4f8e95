"""The schemas of what commands print with `--json`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from mandoline_core.comparison import Difference, Entry, Ranking
from mandoline_core.comparison.backtests import MethodRecord
from mandoline_core.discovery import CrossFit, RemainingShift, Spread, TrialEstimate
from mandoline_core.findings import Check
from mandoline_core.labels import FewLabels, LabelPlan
from mandoline_core.monitoring import LEVELS
from mandoline_core.pipeline import Ablation, AblationPoint, SliceRow
from mandoline_core.project import EstimatorSettings
from mandoline_core.schemas.shapes import closed, record

Interval = tuple[float, float]
Count = Annotated[int, Field(ge=0)]
_Level = Literal[LEVELS]
_FINDING = closed(
    "Finding",
    {
        "check": str,
        "code": str,
        "severity": Literal["info", "warning", "serious"],
        "headline": str,
        "message": str,
        "remedy": str,
        "slices": list[str],
        "numbers": dict[str, Any],
    },
)
_VERDICT = closed(
    "Verdict",
    {
        "level": _Level,
        "message": str,
        "checks": list[record(Check, without=("headline",))],
        "harmless": list[closed("Harmless", {"column": str, "reason": str})],
    },
)
_SECOND_OPINION = closed(
    "SecondOpinion",
    {"estimate": float, "interval": Interval, "follows": str, "mandoline": float, "cot": float, "message": str},
)
# Null where the weights did not converge: then there is no estimate.
_TOLD = {"estimate": float | None, "interval": Interval | None}
_Rule = Annotated[dict[str, Any], Field(description="a slice as in a project file, or an edge")]


def _estimate() -> type:
    of_model = {
        **_TOLD,
        "source": float,
        "source_interval": Interval,
        "truth": float | None,
        "set_aside": float,
        "effective_sample_size": float,
        "largest_ratio": float,
        "converged": bool,
        "findings": list[_FINDING],
        "verdict": _VERDICT | None,
        "second_opinion": _SECOND_OPINION | None,
        "spread": record(Spread, message=str, finding=_FINDING | None) | None,
    }
    made = {"settings": EstimatorSettings, "fingerprints": dict[str, str], "versions": dict[str, str]}
    return closed(
        "Estimate",
        {
            **of_model,
            "n_source": Count,
            "n_target": Count,
            "n_patterns": Count,
            "bounds": tuple[float | None, float | None] | None,
            "unseen": float,
            "design_effect": float,
            "delta": dict[str, float],
            "edges": list[closed("Edge", {"edge": tuple[str, str], "z": float | None})],
            "models": dict[str, closed("ModelEstimate", of_model)],
            "made": closed("Made", made),
        },
    )


def _compare() -> type:
    hidden = ("estimator", "standard_error", "pieces")
    of_model = {
        "source": float,
        "source_interval": Interval,
        "truth": float | None,
        "disagreement": float | None,
        "estimators": dict[str, record(Entry, without=hidden, findings=list[_FINDING], error=float | None)],
    }
    return closed(
        "Comparison",
        {
            "models": dict[str, closed("ModelComparison", of_model)],
            "rankings": dict[str, record(Ranking, without=("estimator",))],
            "differences": list[Difference],
        },
    )


def _suggest() -> type:
    suggestion = record(
        TrialEstimate,
        rule=_Rule,
        words=str,
        source=float,
        target=float,
        model=str,
        stands_out=bool,
        reason=str,
        unexplained=RemainingShift | None,
        models=dict[str, TrialEstimate],
    )
    accepted = {
        "accepted": list[str],
        "rules": list[_Rule],
        "estimate": dict[str, float],
        "interval": dict[str, Interval],
        "verdict": dict[str, _VERDICT],
        "cross_fit": dict[str, CrossFit],
        "curve": dict[str, list[AblationPoint]],
    }
    always = {"suggestions": list[suggestion], "start": dict[str, float], "note": str}
    return closed("Suggestions", always | accepted, optional=accepted)


def _backtest() -> type:
    methods = dict[str, MethodRecord]
    of_model = {
        "metric": str,
        "n_source": Count,
        "n_target": Count,
        "confidence": float,
        "expected_error": dict[str, float | None],
        "kinds": dict[str, closed("Kind", {"methods": methods, "details": dict[str, methods]})],
        "left_out": dict[str, str],
        "skipped": dict[str, str],
        "words": list[str],
    }
    return closed("Backtest", {"models": dict[str, closed("ModelBacktest", of_model)]})


_RULE_MET = closed("Rule", {"model": str, "rule": str, "met": bool, "demand": str, "found": str, "message": str})
_POINT = {**_TOLD, "source": float, "converged": bool, "verdict": _Level | None}


def _check() -> type:
    models = dict[str, closed("Point", _POINT)]
    return closed("Check", {"name": str, "passed": bool, "rules": list[_RULE_MET], "models": models})


def _track() -> type:
    models = dict[str, closed("Point", {**_POINT, "n_target": Count})]
    target = closed("Target", {"target": str, "fingerprint": str, "error": str | None, "models": models})
    alert = closed("Alert", {"target": str, "model": str, "message": str})
    return closed("Track", {"name": str, "metric": str, "targets": list[target], "alerts": list[alert]})


def _reproduce() -> Any:
    """Describe one experiment's numbers, or the list of all where none is named."""
    rows = list[dict[str, str | float | bool | None]]
    reproduction = closed(
        "Reproduction", {"name": str, "title": str, "rows": rows, "paper": rows, "made": dict[str, Any]}
    )
    experiment = closed("Experiment", {"name": str, "place": str, "title": str})
    return reproduction | closed("Experiments", {"experiments": list[experiment]})


OUTPUTS: dict[str, Callable[[], Any]] = {
    "estimate": _estimate,
    "compare": _compare,
    "slices": lambda: closed("Slices", {"models": dict[str, list[SliceRow]]}),
    "ablation": lambda: record(Ablation, models=dict[str, Ablation]),
    "suggest": _suggest,
    "backtest": _backtest,
    "labels": lambda: closed("Labels", {"models": dict[str, record(FewLabels, findings=list[_FINDING])]}),
    "plan": lambda: LabelPlan,
    "check": _check,
    "track": _track,
    "reproduce": _reproduce,
}
