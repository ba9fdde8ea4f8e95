"""JSON Schemas by Pydantic: from classes and annotations, with descriptions from docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.dataclasses import is_pydantic_dataclass
from pydantic.json_schema import GenerateJsonSchema

Schema = dict[str, Any]


def schema_of(kind: Any) -> Schema:
    """Write a type as a schema.

    >>> schema_of(dict[str, int] | None)["anyOf"][0]
    {'additionalProperties': {'type': 'integer'}, 'type': 'object'}
    """
    return TypeAdapter(kind).json_schema(schema_generator=_Generator)


class _Generator(GenerateJsonSchema):
    """Take descriptions of fields from docstrings, and leave out titles that repeat names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - its base has it
        return False

    def dataclass_schema(self, schema: Any) -> Schema:
        """Describe an object; every field of a printed one is required."""
        made = _described(super().dataclass_schema(schema), schema["cls"])
        if not is_pydantic_dataclass(schema["cls"]):
            made |= {"required": list(made["properties"]), "additionalProperties": False}
            made["properties"] = {name: _no_default(shape) for name, shape in made["properties"].items()}
        return made

    def model_schema(self, schema: Any) -> Schema:
        """Describe a model; its keys say what they mean."""
        made = super().model_schema(schema)
        return {key: value for key, value in made.items() if key not in ("title", "description")}

    def is_instance_schema(self, schema: Any) -> Schema:
        return {"type": "string"} if issubclass(schema["cls"], str) else super().is_instance_schema(schema)

    def named_tuple_schema(self, schema: Any) -> Schema:
        """Describe a named tuple as an object, as it is printed."""
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
    """Read the description of each parameter from a docstring.

    >>> from mandoline_core.data import Model
    >>> described(Model)["prediction"]
    'The column of predicted classes. When left out, the most probable class.'
    """
    sentences: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        text = inspect.cleandoc(base.__doc__ or "").partition("Parameters\n")[2].partition("\nExamples\n")[0]
        for names, words in re.findall(r"^([a-z_, ]+) : [^\n]*\n((?:    [^\n]*\n?|\n(?=    ))+)", text, re.MULTILINE):
            sentences |= dict.fromkeys(names.split(", "), " ".join(words.split()))
    return sentences


def closed(
    name: str, keys: Mapping[str, Any], *, optional: Collection[str] = (), about: Collection[type] = ()
) -> type[BaseModel]:
    """Describe an object that has these keys and no others, each with its type.

    Parameters
    ----------
    about : collection of type
        Classes whose docstrings say what the keys mean.
    """
    settings = ConfigDict(extra="forbid", arbitrary_types_allowed=True, protected_namespaces=())
    sentences: dict[str, Any] = {
        key: {"description": words} for kind in about for key, words in described(kind).items()
    }
    given: dict[str, Any] = {
        key: (kind, Field(None if key in optional else ..., **sentences.get(key, {}))) for key, kind in keys.items()
    }
    return create_model(name, __config__=settings, **given)


def record(
    kind: type, /, *, without: Collection[str] = (), all_required: bool = True, called: str = "", **given: Any
) -> Any:
    """Describe a dataclass as it is written.

    Parameters
    ----------
    without : collection of str
        Fields that are not written.
    all_required : bool
        Whether fields with a default are required, too.
    called : str
        The name of the definition, if not the class's.
    **given
        Fields whose written type differs from the declared one, and keys in addition to the fields.
    """
    hints = get_type_hints(kind, include_extras=True)
    names = [item.name for item in fields(kind) if item.name not in without]
    spare = [item.name for item in fields(kind) if item.default is not MISSING or item.default_factory is not MISSING]
    keys = {name: hints[name] for name in names} | given
    optional = () if all_required else [*spare, *given]
    return closed(called or kind.__name__, keys, optional=optional, about=(kind,))
