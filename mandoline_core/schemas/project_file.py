"""The schema of the project file, for editors that complete and check it."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import Field

from mandoline_core.data import Model
from mandoline_core.estimators import ESTIMATORS
from mandoline_core.metrics import METRICS
from mandoline_core.project import PLACES, Name, Project, ProjectFile
from mandoline_core.schemas.shapes import Schema, closed, described, record, schema_of
from mandoline_core.slices import KINDS, AuditAnswers, Correction, Slice, SliceAudit


def project_schema() -> Schema:
    """Describe a project file."""
    schema = schema_of(ProjectFile)
    sentences, parts = described(Project), schema["$defs"]
    for heading, keys in PLACES.items():
        for key, name in keys.items():
            if name in sentences:
                parts[f"_{heading.title()}"]["properties"][key]["description"] = sentences[name]
    for key, words in described(Model).items():
        parts["_Model"]["properties"][key]["description"] = words
    # Names that only packages above the project know.
    for settings, names in {"MetricSettings": [*METRICS], "EstimatorSettings": [*ESTIMATORS]}.items():
        parts[settings]["properties"]["name"]["enum"] = names
    kinds = [_slice(kind) for kind in KINDS.values()]
    for kind in kinds:
        parts |= kind.pop("$defs", {})
    schema["properties"]["slices"] = {"type": "array", "items": {"oneOf": kinds}}
    schema["properties"]["edges"]["description"] = sentences["edges"]
    return _without_null(schema)


def _slice(kind: type[Slice]) -> Schema:
    """Describe one kind of slice; `kind` identifies it."""
    share = Annotated[float, Field(ge=0, le=1)] | None
    correction = dict.fromkeys((item.name for item in fields(Correction)), share)
    target = correction | {"same": bool, "measured": bool}
    noise = {
        "source": closed("SourceCorrection", correction, optional=correction, about=(Correction,)),
        "target": closed("TargetCorrection", target, optional=target, about=(Correction,)),
        "measured": bool,
    }
    answers = record(AuditAnswers, all_required=False)
    own: dict[str, Any] = {
        "noise": closed("Noise", noise, optional=noise),
        "audit": record(SliceAudit, all_required=False, source=answers, target=answers),
        "of": list[Name],
        "model": Name,
        "unit": Literal["words", "characters"],
    }
    own = {item.name: own[item.name] for item in fields(kind) if item.name in own}
    schema = schema_of(record(kind, all_required=False, **own, kind=Literal[kind.kind], name=Name))
    required = [name for name in schema.get("required", ()) if name not in ("name", "kind")]
    return {**schema, "required": ["name", "kind", *required], "description": kind.purpose}


def _without_null(schema: Any) -> Any:
    """Remove null, which TOML does not have."""
    if isinstance(schema, list):
        return [_without_null(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {key: _without_null(value) for key, value in schema.items() if key != "anyOf" and value is not None}
    shapes = [_without_null(shape) for shape in schema.get("anyOf", ()) if shape != {"type": "null"}]
    return shapes[0] | rest if len(shapes) == 1 else rest | ({"anyOf": shapes} if shapes else {})
