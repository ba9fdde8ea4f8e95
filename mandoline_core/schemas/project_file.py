"""The schema of the project file, for editors that complete and check it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from mandoline_core.data import ENGINES, Model
from mandoline_core.estimators import ESTIMATORS
from mandoline_core.metrics import METRICS
from mandoline_core.project import CHOICES, PLACES, SETTINGS, VERSION, MetricSettings, Project
from mandoline_core.schemas.shapes import (
    FLAG,
    SHARE,
    TEXT,
    Schema,
    by_name,
    closed,
    described,
    either,
    many,
    pair,
    record,
    shape_of,
)
from mandoline_core.slices import KINDS, AuditAnswers, Correction, Slice, SliceAudit

_NAME: Schema = {"type": "string", "minLength": 1}
_EDGES = either(
    many(pair(_NAME, _NAME)),
    {"enum": ["auto", "graphical-lasso"]},
    {"type": "string", "pattern": "^inverse-covariance(:[1-9][0-9]*)?$"},
)


def project_schema() -> Schema:
    """Describe a project file."""
    said = described(Project)
    places = {
        heading: closed(
            {key: {**_place(key), "description": said[name]} for key, name in keys.items() if name in said}
            | {key: _place(key) for key, name in keys.items() if name not in said},
            optional=set(keys),
        )
        for heading, keys in PLACES.items()
    }
    for side in ("source", "target"):
        places[side]["anyOf"] = [{"required": ["path"]}, {"required": ["table"]}]
    top = {
        "version": {"const": VERSION},
        "name": _NAME,
        "note": _NAME,
        "edges": {**_EDGES, "description": said["edges"]},
        **places,
        "models": many(record(Model, given={"probabilities": by_name(_NAME)}, all_required=False)),
        **_settings(),
        "slices": many({"oneOf": [_slice(kind) for kind in KINDS.values()]}),
    }
    found = closed(top, optional=set(top) - {"version", "source", "target"})
    return {**_without_null(found), "$defs": _without_null({"noise": _noise(), "audit": _audit()})}


def _place(key: str) -> Schema:
    return {"enum": list(ENGINES)} if key == "engine" else _NAME


def _settings() -> dict[str, Schema]:
    scalar = shape_of(str | int | float | bool)
    given: dict[str, dict[str, Schema]] = {
        "metric": {
            "name": {"enum": list(METRICS)},
            "positive": scalar,
            "merge": by_name(many(scalar)),
            "column": _NAME,
        },
        "estimator": {
            "name": {"enum": list(ESTIMATORS)},
            "confidence": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            **{key: {"enum": list(choices)} for key, choices in CHOICES.items()},
        },
        "trust": {"harmless": either(many(_NAME), by_name(TEXT))},
    }
    found = {
        heading: record(settings, given=given.get(heading), all_required=False)
        for heading, settings in SETTINGS.items()
    }
    found["metric"]["description"] = described(Project).get("metric", MetricSettings.__name__)
    return found


def _slice(kind: type[Slice]) -> Schema:
    """Describe one kind of slice; `kind` tells it from the others."""
    own: dict[str, Schema] = {
        "name": _NAME,
        "kind": {"const": kind.kind},
        "noise": {"$ref": "#/$defs/noise"},
        "audit": {"$ref": "#/$defs/audit"},
    }
    special: dict[str, Schema] = {"of": many(_NAME), "model": _NAME, "unit": {"enum": ["words", "characters"]}}
    own |= {item.name: special[item.name] for item in fields(kind) if item.name in special}
    found = record(kind, given=own, all_required=False)
    found["required"] = ["name", "kind", *(name for name in found["required"] if name not in ("name", "kind"))]
    return {**found, "description": kind.purpose}


def _without_null(schema: Any) -> Any:
    """Leave out what TOML cannot write: a key that has no value is left out."""
    if isinstance(schema, list):
        return [_without_null(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {key: _without_null(value) for key, value in schema.items() if key != "anyOf"}
    shapes = [_without_null(one) for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    return shapes[0] | rest if len(shapes) == 1 else rest | ({"anyOf": shapes} if shapes else {})


def _noise() -> Schema:
    correction = dict.fromkeys((item.name for item in fields(Correction)), SHARE)
    target = correction | {"same": FLAG, "measured": FLAG}
    sides = {
        "source": closed(correction, optional=correction),
        "target": closed(target, optional=target),
        "measured": FLAG,
    }
    return closed(sides, optional=sides)


def _audit() -> Schema:
    answers = record(AuditAnswers, all_required=False)
    return record(SliceAudit, given={"source": answers, "target": answers}, all_required=False)
