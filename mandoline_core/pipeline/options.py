"""The options of an estimate, by name: what type checkers check, editors complete and `help()` lists."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Literal, TypedDict, TypeVar

from mandoline_core.metrics import Metric
from mandoline_core.pipeline.fits import EdgeNames
from mandoline_core.project import TESTS, EstimatorSettings, MethodSettings, MetricSettings

F = TypeVar("F", bound=Callable[..., Any])


class Options(TypedDict, total=False):
    """The options that `estimate` and everything built on it take.

    What is left out is as in the project, or as in `EstimatorSettings`.
    """

    estimator: str | EstimatorSettings
    edges: EdgeNames | str
    metric: str | MetricSettings | Metric
    methods: MethodSettings
    harmless: Mapping[str, str]
    split: Literal["none", "half", "crossfit"]
    overlap: Literal["trim", "strict"]
    ridge: float
    confidence: float
    seed: int
    interval: Literal["influence", "bootstrap"]
    replicates: int
    spread: bool


def option_defaults() -> dict[str, Any]:
    """Return what each option is when left out, without a project.

    >>> option_defaults()["metric"], option_defaults()["confidence"]
    ('accuracy', 0.95)
    """
    settings = {one.name: one.default for one in fields(EstimatorSettings)}
    own = {"estimator": settings.pop("name"), "edges": TESTS, "metric": MetricSettings().name, "methods": None}
    return own | {"harmless": None} | settings


def with_options(function: F) -> F:
    """List the options in a function's signature, where it takes them as keyword arguments.

    Type checkers read them from `Options`; `help()`, notebooks and consoles read a signature.
    """
    signature = inspect.signature(function)
    hints = Options.__annotations__
    named = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints.get(name, Any))
        for name, default in option_defaults().items()
        if name not in signature.parameters
    ]
    function.__signature__ = signature.replace(parameters=[*named, *options])  # type: ignore[attr-defined]
    return function
