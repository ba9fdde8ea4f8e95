"""The schemas of the commands' JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from mandoline_core.checks import Band, Experience, ModelReport, SecondOpinionOn
from mandoline_core.comparison import Difference, Entry, Ranking
from mandoline_core.comparison.backtests import MethodRecord
from mandoline_core.discovery import CrossFit, RemainingShift, Spread, TrialEstimate
from mandoline_core.findings import Check, Finding, Verdict
from mandoline_core.labels import FewLabels, LabelPlan, SliceTest
from mandoline_core.monitoring import LEVELS, TargetEstimates
from mandoline_core.pipeline import Ablation, AblationPoint, Attribution, Diagnostics, SliceRow
from mandoline_core.project import EstimatorSettings, Hits
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
    about=(Finding,),
)
_VERDICT = closed(
    "Verdict",
    {
        "level": _Level,
        "message": str,
        "checks": list[record(Check, without=("headline",))],
        "harmless": list[closed("Harmless", {"column": str, "reason": str})],
    },
    about=(Verdict,),
)
_HITS = closed("Hits", {"n": Count, "inside": Count, "n_within": Count, "within": float, "message": str}, about=(Hits,))
_EXPERIENCE = closed(
    "Experience",
    {
        "bands": list[record(Band)],
        "measured": str,
        "base": str,
        "hits": _HITS | None,
        "disagreement": float | None,
        "message": str,
    },
    about=(Experience,),
)
_SECOND_OPINION = closed(
    "SecondOpinion",
    {
        "estimate": float,
        "interval": Interval,
        "follows": str,
        "range": Interval | None,
        "methods": dict[str, float],
        "left_out": dict[str, str],
        "mandoline": float,
        "cot": float | None,
        "message": str,
    },
    about=(SecondOpinionOn,),
)
# Null if the weights did not converge: there is no estimate.
_TOLD = {"estimate": float | None, "interval": Interval | None}


class _Printed:
    """Say what keys mean that no other class describes.

    Parameters
    ----------
    estimate : float or null
        The number to quote: where labels of some new rows joined it, the combined one.
    labelled : object or null
        What labels of some new rows say, and the estimate without them; null without such labels.
    converged : bool
        Whether the weights could be fitted; without them there is no estimate.
    findings : list
        What the checks found, worst first.
    sampling_interval : pair of floats or null
        The interval for sampling error alone; `interval` allows for the choice of slices, too. Null where they are one.
    prediction_interval : pair of floats or null
        The interval of the score on exactly these new rows; `interval` is about the population that they come from.
        Null for a metric that has none.
    blind_spot : str
        What no check can see, and what can.
    experience : object or null
        How far estimates with the same verdict were off where the truth became known.
    second_opinion : object or null
        What other methods say that pass their self-test, if the model has probabilities.
    spread : object or null
        How the estimate changes with other plausible slices; null with --plain, and where none were tried.
    n_source : int
        The number of labelled rows.
    n_target : int
        The number of new rows.
    n_patterns : int
        The number of combinations of slices that occur.
    delta : object
        The fitted parameter of each slice; of an edge, under both names with a * between them.
    edges : list
        Pairs of slices whose interaction is modelled, with z of the test that chose them.
    models : object
        The same numbers for each model; the others are the first model's.
    made : object
        What the numbers can be reproduced from: settings, fingerprints of the data, and versions.
    """


class _Tracked:
    """Say what keys of a track mean.

    Parameters
    ----------
    doubts : str
        Why the verdict is not better: the worst check in short.
    errors : object or null
        Standard errors by sample: of the labelled rows in the estimate and in its change from the labelled score, and
        of the new rows. Null for a method that cannot separate them.
    slices : object
        Of each slice, the share of labelled rows and the share of new rows in it.
    realised : object or null
        The score on labels that arrived later, with its interval.
    worst_verdict : object or null
        The worst verdict of all batches, and where and why.
    hits : object or null
        How often labels that arrived later confirmed the estimates.
    """


class _Labelled:
    """Say what keys of labels that join an estimate mean.

    Parameters
    ----------
    n : int
        The new rows with a label and a prediction.
    quoted : bool
        Whether the top-level `estimate` and `interval` are the combined ones: from 20 labels that look like a random
        draw.
    estimate : float
        The combined estimate.
    interval : pair of floats
        Its interval.
    without : object
        The estimate and interval without the labels.
    labels_only : object
        The estimate and interval of the labels alone.
    worth : float
        The number of labels that would give as much information alone.
    test : object or null
        Whether the labels confirm or contradict the estimate without them.
    """


_LABELLED = closed(
    "Labelled",
    {
        "n": Count,
        "quoted": bool,
        **_TOLD,
        "without": closed("WithoutLabels", _TOLD),
        "labels_only": closed("LabelsOnly", _TOLD),
        "worth": float,
        "test": SliceTest | None,
    },
    about=(_Labelled,),
)


class _Backtested:
    """Say what keys of a backtest mean.

    Parameters
    ----------
    average_error : object
        Of each method, the mean absolute error on shifts made from the labelled data, averaged over the kinds except
        "column". Natural shifts are often larger.
    expected_error : object
        The old name of average_error.
    """


class _Compared:
    """Say what keys of a comparison mean.

    Parameters
    ----------
    verdict : str or null
        The verdict on Mandoline's estimate; null if only one model is compared, by methods that do not ask for it.
    disagreement : float or null
        How far methods are apart that share an assumption and pass their self-test.
    held_back : str or null
        Why estimates do not rank the models; the ranking on labelled data stays.
    """


_ABOUT = (Diagnostics, ModelReport, _Printed)
_Rule = Annotated[dict[str, Any], Field(description="A slice as in a project file, or an edge.")]


def _estimate() -> type:
    of_model = {
        **_TOLD,
        "sampling_interval": Interval | None,
        "prediction_interval": Interval | None,
        "labelled": _LABELLED | None,
        "source": float,
        "source_interval": Interval,
        "truth": float | None,
        "set_aside": float,
        "effective_sample_size": float,
        "largest_ratio": float,
        "converged": bool,
        "findings": list[_FINDING],
        "verdict": _VERDICT | None,
        "blind_spot": str,
        "experience": _EXPERIENCE | None,
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
            "group_design_effect": float | None,
            "delta": dict[str, float],
            "edges": list[closed("Edge", {"edge": tuple[str, str], "z": float | None})],
            "models": dict[str, closed("ModelEstimate", of_model, about=_ABOUT)],
            "made": closed("Made", made),
        },
        about=_ABOUT,
    )


def _compare() -> type:
    hidden = ("estimator", "standard_error", "pieces")
    of_model = {
        "source": float,
        "source_interval": Interval,
        "truth": float | None,
        "verdict": _Level | None,
        "disagreement": float | None,
        "estimators": dict[str, record(Entry, without=hidden, findings=list[_FINDING], error=float | None)],
    }
    return closed(
        "Comparison",
        {
            "models": dict[str, closed("ModelComparison", of_model, about=(_Compared,))],
            "rankings": dict[str, record(Ranking, without=("estimator",))],
            "differences": list[Difference],
            "held_back": str | None,
        },
        about=(_Compared,),
    )


def _suggest() -> type:
    suggestion = record(
        TrialEstimate,
        called="Suggestion",
        rule=_Rule,
        words=str,
        needs_reason=bool,
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
        "choice_error": dict[str, float],
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
        "average_error": dict[str, float | None],
        "expected_error": dict[str, float | None],
        "kinds": dict[str, closed("Kind", {"methods": methods, "details": dict[str, methods]})],
        "left_out": dict[str, str],
        "skipped": dict[str, str],
        "words": list[str],
    }
    return closed("Backtest", {"models": dict[str, closed("ModelBacktest", of_model, about=(_Backtested,))]})


_RULE_MET = closed("Rule", {"model": str, "rule": str, "met": bool, "demand": str, "found": str, "message": str})
_POINT = {**_TOLD, "source": float, "converged": bool, "verdict": _Level | None}


def _check() -> type:
    models = dict[str, closed("Point", _POINT, about=_ABOUT)]
    return closed("Check", {"name": str, "passed": bool, "rules": list[_RULE_MET], "models": models})


def _track() -> type:
    errors = closed("Errors", dict.fromkeys(("source_in_estimate", "source_in_change", "target"), float))
    point = {
        **_POINT,
        "doubts": str,
        "n_target": Count,
        "errors": errors | None,
        "slices": dict[str, Interval],
        "realised": closed("Realised", {"value": float, "interval": Interval, "n_labels": Count}) | None,
    }
    models = dict[str, closed("TargetPoint", point, about=(*_ABOUT, _Tracked))]
    said = {"error": str | None, "label_error": str | None}
    target = closed("Target", {"target": str, "fingerprint": str, **said, "models": models}, about=(TargetEstimates,))
    alert = closed("Alert", {"target": str, "model": str, "message": str})
    return closed(
        "Track",
        {
            "name": str,
            "metric": str,
            "targets": list[target],
            "alerts": list[alert],
            "worst_verdict": closed("WorstVerdict", {"level": _Level, "message": str}) | None,
            "hits": _HITS | None,
        },
        about=(_Tracked,),
    )


def _reproduce() -> Any:
    """Describe the results of one experiment, or the list of experiments."""
    rows = list[dict[str, str | float | bool | None]]
    reproduction = closed(
        "Reproduction", {"name": str, "title": str, "rows": rows, "paper": rows, "made": dict[str, Any]}
    )
    experiment = closed("Experiment", {"name": str, "place": str, "title": str})
    return reproduction | closed("Experiments", {"experiments": list[experiment]})


OUTPUTS: dict[str, Callable[[], Any]] = {
    "estimate": _estimate,
    "compare": _compare,
    "slices": lambda: closed("Slices", {"models": dict[str, list[SliceRow]], "effects": dict[str, Attribution]}),
    "ablation": lambda: record(Ablation, models=dict[str, Ablation]),
    "suggest": _suggest,
    "backtest": _backtest,
    "labels": lambda: closed("Labels", {"models": dict[str, record(FewLabels, findings=list[_FINDING])]}),
    "plan": lambda: record(LabelPlan, without=("contents",)),
    "check": _check,
    "track": _track,
    "reproduce": _reproduce,
}
