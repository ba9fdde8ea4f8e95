"""Pages about what is registered: metrics, methods, slice kinds and checks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from mandoline_core.checks import CHECKS, CheckRule
from mandoline_core.estimators import ESTIMATORS
from mandoline_core.metrics import METRICS
from mandoline_core.reference.markdown import code, examples_of, page, sentence, summary_of, table
from mandoline_core.reference.shapes import Schema, keys_of, objects_of
from mandoline_core.schemas import PROJECT, make_schema
from mandoline_core.slices import KINDS, Slice


def metrics_page() -> str:
    """List the metrics."""
    rows = [
        (f"`{name}`", sentence(metric.title), metric.needs, _bounds(metric.bounds), metric.better)
        for name, metric in METRICS.items()
    ]
    return page(
        "Metrics",
        "The values of `name` in `[metric]`, with what each needs.",
        table(("Name", "What it measures", "Needs", "Range", "Better"), rows),
    )


def _bounds(bounds: tuple[float, float] | None) -> str:
    low, high = bounds or (-math.inf, math.inf)
    if math.isinf(high):
        return "any" if math.isinf(low) else f"{low:g} or more"
    return f"{low:g} to {high:g}"


def methods_page() -> str:
    """Describe every method."""
    parts = []
    for name, method in ESTIMATORS.items():
        needs = ", ".join(method.needs) or "labels only"
        facts = [f"- Assumes: {method.assumes}", f"- Needs: {needs}.", f'- In a project file: `name = "{name}"`.']
        if method.slow:
            facts.append("- Slow: backtests leave it out unless you ask for it.")
        parts += [f"## {method.title}", method.does, "\n".join(facts)]
    return page(
        "Methods",
        "The values of `name` in `[estimator]`, what each method does and what it assumes.",
        "`mandoline compare` runs every method that applies. "
        "[`[methods]`](reference-project-file.md#methods) has their settings.",
        *parts,
    )


def slice_kinds_page() -> str:
    """Describe every kind of slice, with its keys and examples."""
    schema = make_schema(PROJECT)
    shapes = {shape["properties"]["kind"]["const"]: shape for shape in schema["properties"]["slices"]["items"]["oneOf"]}
    common = {item.name for item in fields(Slice)}
    parts = []
    for name, kind in KINDS.items():
        shape = shapes[name]
        own = {item.name: _setting(item, shape["properties"]) for item in fields(kind) if item.name not in common}
        parts += [f"## {name}", sentence(kind.purpose), keys_of(own, shape["required"])]
        if examples := examples_of(kind):
            parts.append(code(examples, "pycon"))
    shared = {key: value for key, value in shape["properties"].items() if key in common}
    return page(
        "Slice kinds",
        "The values of `kind` in `[[slices]]`, with the keys of each.",
        "A slice says of every row whether it is in or not, or abstains. A missing value abstains.",
        *parts,
        "## Keys of every slice",
        keys_of(shared, ("name",)),
        *objects_of(schema, shared),
    )


def _setting(item: Field[Any], shapes: Mapping[str, Schema]) -> Schema:
    """Describe a setting of a rule, as its form does."""
    control = item.metadata.get("control", {})
    words = control.get("help") or control.get("label") or ""
    default = {} if item.default is MISSING else {"default": item.default}
    return {"description": sentence(words), **default, **shapes[item.name]}


def checks_page() -> str:
    """List the checks."""
    rows = [
        (
            f"`{rule.name}`",
            rule.question,
            _does(rule),
            "methods that use slices" if rule.on_slices else "every method",
        )
        for rule in CHECKS
    ]
    return page(
        "Checks",
        "The questions that Mandoline asks of every estimate. The verdict follows from the answers.",
        "A check is passed, in doubt, failed or not run. `check` of a finding names the check it belongs to. "
        "[What does the verdict mean?](verdict.md) explains each.",
        table(("Name", "Question", "What it does", "Asked of"), rows),
    )


def _does(rule: CheckRule) -> str:
    own = vars(type(rule))
    return " ".join(summary_of(own[step]) for step in ("find", "look") if step in own)
