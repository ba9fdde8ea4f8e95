"""JSON Schemas by Pydantic: what classes and annotations say, with what docstrings say of each field."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, create_model
from pydantic.dataclasses import is_pydantic_dataclass
from pydantic.json_schema import GenerateJsonSchema

Schema = dict[str, Any]


def schema_of(kind: Any) -> Schema:
    """Write what a type says as a schema.

    >>> schema_of(dict[str, int] | None)["anyOf"][0]
    {'additionalProperties': {'type': 'integer'}, 'type': 'object'}
    """
    return TypeAdapter(kind).json_schema(schema_generator=_Generator)


class _Generator(GenerateJsonSchema):
    """Describe fields as docstrings do; leave out what only repeats names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - its base has it
        return False

    def dataclass_schema(self, schema: Any) -> Schema:
        """Describe an object; of one that is printed, every field is there."""
        made = _described(super().dataclass_schema(schema), schema["cls"])
        if not is_pydantic_dataclass(schema["cls"]):
            made |= {"required": list(made["properties"]), "additionalProperties": False}
            made["properties"] = {name: _no_default(shape) for name, shape in made["properties"].items()}
        return made

    def model_schema(self, schema: Any) -> Schema:
        return _described(super().model_schema(schema), schema["cls"])

    def is_instance_schema(self, schema: Any) -> Schema:
        return {"type": "string"} if issubclass(schema["cls"], str) else super().is_instance_schema(schema)

    def named_tuple_schema(self, schema: Any) -> Schema:
        """Describe a named tuple by its names: so it is printed."""
        parts = {part["name"]: _no_default(self.generate_inner(part["schema"])) for part in schema["fields"]}
        made = {"properties": parts, "type": "object", "required": list(parts), "additionalProperties": False}
        return _described(made, schema["cls"])


def _no_default(shape: Schema) -> Schema:
    return {key: value for key, value in shape.items() if key != "default"}


def _described(schema: Schema, kind: type) -> Schema:
    sentences = described(kind)
    for name, shape in schema["properties"].items():
        if name in sentences:
            schema["properties"][name] = {**shape, "description": sentences[name]}
    return {key: value for key, value in schema.items() if key not in ("title", "description")}


def described(kind: type) -> dict[str, str]:
    """Take what a docstring says of each parameter.

    >>> from mandoline_core.data import Model
    >>> described(Model)["prediction"]
    'The column of predicted classes.'
    """
    sentences: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        text = inspect.cleandoc(base.__doc__ or "").partition("Parameters\n")[2].partition("\nExamples\n")[0]
        for names, words in re.findall(r"^([a-z_, ]+) : [^\n]*\n((?:    [^\n]*\n?|\n(?=    ))+)", text, re.MULTILINE):
            sentences |= dict.fromkeys(names.split(", "), " ".join(words.split()))
    return sentences


def closed(
    name: str, keys: Mapping[str, Any], *, optional: Collection[str] = (), doc: str | None = None
) -> type[BaseModel]:
    """Describe an object that has these keys and no others, each with its type."""
    settings = ConfigDict(extra="forbid", arbitrary_types_allowed=True, protected_namespaces=())
    given: dict[str, Any] = {key: (kind, None if key in optional else ...) for key, kind in keys.items()}
    return create_model(name, __config__=settings, __doc__=doc, **given)


def record(kind: type, /, *, without: Collection[str] = (), all_required: bool = True, **given: Any) -> Any:
    """Describe what is written of a dataclass.

    Parameters
    ----------
    without : collection of str
        Fields that are not written.
    all_required : bool
        Whether fields with a default are always there.
    **given
        Fields that are written otherwise than their types say, and what is written beside the fields.
    """
    hints = get_type_hints(kind, include_extras=True)
    names = [item.name for item in fields(kind) if item.name not in without]
    spare = [item.name for item in fields(kind) if item.default is not MISSING or item.default_factory is not MISSING]
    keys = {name: hints[name] for name in names} | given
    return closed(kind.__name__, keys, optional=() if all_required else [*spare, *given], doc=kind.__doc__)
