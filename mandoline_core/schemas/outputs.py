"""The schemas of what commands print with `--json`."""

from __future__ import annotations

from collections.abc import Callable

from mandoline_core.comparison import Difference, Entry, Ranking
from mandoline_core.comparison.backtests import MethodRecord
from mandoline_core.discovery import CrossFit, Spread, Trial, Unexplained
from mandoline_core.findings import Check
from mandoline_core.labels import FewLabels, LabelPlan
from mandoline_core.monitoring import LEVELS
from mandoline_core.pipeline import Ablation, AblationPoint, SliceRow
from mandoline_core.project import EstimatorSettings
from mandoline_core.schemas.shapes import (
    ANYTHING,
    COUNT,
    FLAG,
    INTERVAL,
    NUMBER,
    TEXT,
    Schema,
    by_name,
    closed,
    either,
    many,
    or_null,
    pair,
    record,
)

_FINDING = closed(
    {
        "check": TEXT,
        "code": TEXT,
        "severity": {"enum": ["info", "warning", "serious"]},
        "headline": TEXT,
        "message": TEXT,
        "remedy": TEXT,
        "slices": many(TEXT),
        "numbers": by_name(ANYTHING),
    }
)
_VERDICT = closed(
    {
        "level": {"enum": list(LEVELS)},
        "message": TEXT,
        "checks": many(record(Check, without=("headline",))),
        "harmless": many(closed({"column": TEXT, "reason": TEXT})),
    }
)
_SECOND_OPINION = closed(
    {"estimate": NUMBER, "interval": INTERVAL, "follows": TEXT, "mandoline": NUMBER, "cot": NUMBER, "message": TEXT}
)
# Null where the weights did not converge: then there is no estimate.
_TOLD = {"estimate": or_null(NUMBER), "interval": or_null(INTERVAL)}
_RULE: Schema = {"type": "object", "description": "a slice as in a project file, or an edge"}


def _estimate() -> Schema:
    of_model = {
        **_TOLD,
        "source": NUMBER,
        "source_interval": INTERVAL,
        "truth": or_null(NUMBER),
        "set_aside": NUMBER,
        "effective_sample_size": NUMBER,
        "largest_ratio": NUMBER,
        "converged": FLAG,
        "findings": many(_FINDING),
        "verdict": or_null(_VERDICT),
        "second_opinion": or_null(_SECOND_OPINION),
        "spread": or_null(record(Spread, given={"message": TEXT, "finding": or_null(_FINDING)})),
    }
    end = or_null(NUMBER)
    return closed(
        {
            **of_model,
            "n_source": COUNT,
            "n_target": COUNT,
            "n_patterns": COUNT,
            "bounds": or_null(pair(end, end)),
            "unseen": NUMBER,
            "design_effect": NUMBER,
            "delta": by_name(NUMBER),
            "edges": many(closed({"edge": pair(TEXT, TEXT), "z": or_null(NUMBER)})),
            "models": by_name(closed(of_model)),
            "made": closed(
                {"settings": record(EstimatorSettings), "fingerprints": by_name(TEXT), "versions": by_name(TEXT)}
            ),
        }
    )


def _compare() -> Schema:
    entry = record(
        Entry,
        without=("estimator", "standard_error", "pieces"),
        given={"findings": many(_FINDING), "error": or_null(NUMBER)},
    )
    of_model = {
        "source": NUMBER,
        "source_interval": INTERVAL,
        "truth": or_null(NUMBER),
        "disagreement": or_null(NUMBER),
        "estimators": by_name(entry),
    }
    return closed(
        {
            "models": by_name(closed(of_model)),
            "rankings": by_name(record(Ranking, without=("estimator",))),
            "differences": many(record(Difference)),
        }
    )


def _slices() -> Schema:
    return closed({"models": by_name(many(record(SliceRow)))})


def _ablation() -> Schema:
    one = record(Ablation)
    return closed({**one["properties"], "models": by_name(one)})


def _suggest() -> Schema:
    trial = record(Trial)
    suggestion = closed(
        {
            "rule": _RULE,
            "words": TEXT,
            "source": NUMBER,
            "target": NUMBER,
            **trial["properties"],
            "model": TEXT,
            "stands_out": FLAG,
            "reason": TEXT,
            "unexplained": or_null(record(Unexplained)),
            "models": by_name(trial),
        }
    )
    accepted = {
        "accepted": many(TEXT),
        "rules": many(_RULE),
        "estimate": by_name(NUMBER),
        "interval": by_name(INTERVAL),
        "verdict": by_name(_VERDICT),
        "cross_fit": by_name(record(CrossFit)),
        "curve": by_name(many(record(AblationPoint))),
    }
    return closed(
        {"suggestions": many(suggestion), "start": by_name(NUMBER), "note": TEXT, **accepted}, optional=accepted
    )


def _backtest() -> Schema:
    methods = by_name(record(MethodRecord))
    of_model = {
        "metric": TEXT,
        "n_source": COUNT,
        "n_target": COUNT,
        "confidence": NUMBER,
        "expected_error": by_name(or_null(NUMBER)),
        "kinds": by_name(closed({"methods": methods, "details": by_name(methods)})),
        "left_out": by_name(TEXT),
        "skipped": by_name(TEXT),
        "words": many(TEXT),
    }
    return closed({"models": by_name(closed(of_model))})


def _labels() -> Schema:
    return closed({"models": by_name(record(FewLabels, given={"findings": many(_FINDING)}))})


def _plan() -> Schema:
    return record(LabelPlan)


_HELD = closed({"model": TEXT, "rule": TEXT, "met": FLAG, "demand": TEXT, "found": TEXT, "message": TEXT})
_POINT = {
    **_TOLD,
    "source": NUMBER,
    "converged": FLAG,
    "verdict": or_null({"enum": list(LEVELS)}),
}


def _check() -> Schema:
    return closed({"name": TEXT, "passed": FLAG, "rules": many(_HELD), "models": by_name(closed(_POINT))})


def _track() -> Schema:
    target = {"target": TEXT, "fingerprint": TEXT, "error": or_null(TEXT)}
    models = by_name(closed({**_POINT, "n_target": COUNT}))
    alert = closed({"target": TEXT, "model": TEXT, "message": TEXT})
    return closed(
        {"name": TEXT, "metric": TEXT, "targets": many(closed({**target, "models": models})), "alerts": many(alert)}
    )


def _reproduce() -> Schema:
    """Describe one experiment's numbers, or the list of all where none is named."""
    row = by_name({"type": ["string", "number", "boolean", "null"]})
    found = closed({"name": TEXT, "title": TEXT, "rows": many(row), "paper": many(row), "made": by_name(ANYTHING)})
    known = closed({"name": TEXT, "place": TEXT, "title": TEXT})
    return either(found, closed({"experiments": many(known)}))


OUTPUTS: dict[str, Callable[[], Schema]] = {
    "estimate": _estimate,
    "compare": _compare,
    "slices": _slices,
    "ablation": _ablation,
    "suggest": _suggest,
    "backtest": _backtest,
    "labels": _labels,
    "plan": _plan,
    "check": _check,
    "track": _track,
    "reproduce": _reproduce,
}
