"""JSON Schemas as tables: each key with its type, its default and its description."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from mandoline_core.reference.markdown import table

Schema = dict[str, Any]
MANY = "one of many names"
_BOUNDS = {
    "minimum": "{:,g} or more",
    "exclusiveMinimum": "above {:,g}",
    "maximum": "at most {:,g}",
    "exclusiveMaximum": "below {:,g}",
}


def keys_of(properties: Mapping[str, Schema], required: Collection[str] = ()) -> str:
    """Write the keys of an object as a table; keys that must be there are marked, others have their default."""
    rows = [
        (f"`{key}`", type_of(shape), "required" if key in required else _default(shape), shape.get("description", ""))
        for key, shape in properties.items()
    ]
    return table(("Key", "Value", "Default", "Meaning"), rows) if rows else "No keys of its own."


def printed_keys(schema: Schema) -> str:
    """Write the keys of an object that a command prints."""
    required = schema.get("required", ())
    rows = [
        (f"`{key}`", type_of(shape), shape.get("description", "") if key in required else _optional(shape))
        for key, shape in schema["properties"].items()
    ]
    return table(("Key", "Value", "Meaning"), rows)


def _optional(shape: Schema) -> str:
    return " ".join(["Not always there.", shape.get("description", "")]).strip()


def _default(shape: Schema) -> str:
    value = shape.get("default")
    return "" if value is None or value in ({}, [], "") else f"`{json.dumps(value)}`"


def type_of(shape: Schema) -> str:
    """Say what a value must be.

    >>> type_of({"type": "array", "items": {"type": "number", "minimum": 0}})
    'list of numbers, 0 or more'
    >>> type_of({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]})
    '`"a"` or `"b"` or null'
    """
    if "$ref" in shape:
        name = name_of(shape["$ref"])
        return f"[{name}](#{name.lower()})"
    if "anyOf" in shape:
        types = dict.fromkeys(type_of(part) for part in shape["anyOf"])
        return " or ".join(type_ for type_ in types if type_ != "whole number" or "number" not in types)
    if "const" in shape or "enum" in shape:
        values = shape.get("enum", [shape.get("const")])
        return " or ".join(f"`{json.dumps(value)}`" for value in values) if len(values) < 10 else MANY
    if "prefixItems" in shape:
        return "[" + ", ".join(type_of(part) for part in shape["prefixItems"]) + "]"
    match shape.get("type"):
        case "array":
            return f"list of {_plural(type_of(shape.get('items', {})))}"
        case "object" if isinstance(shape.get("additionalProperties"), dict):
            return f"{_plural(type_of(shape['additionalProperties']))} by name"
        case "object":
            return "object"
        case "string":
            return "date" if shape.get("format") == "date" else "text"
        case "integer":
            return ", ".join(["whole number", *_bounds(shape)])
        case "number":
            return ", ".join(["number", *_bounds(shape)])
        case "boolean":
            return "boolean"
        case "null":
            return "null"
    return "any value"


def _plural(name: str) -> str:
    return re.sub(r"\b(text|number|boolean|object)\b", r"\1s", name) if name[0] not in "[`" else name


def _bounds(shape: Schema) -> Iterator[str]:
    if shape.get("minimum") == shape.get("maximum") is not None:
        return iter([f"always {shape['minimum']}"])
    if (shape.get("minimum"), shape.get("maximum")) == (0, 1):
        return iter(["0 to 1"])
    return (words.format(shape[key]) for key, words in _BOUNDS.items() if key in shape)


def name_of(reference: str) -> str:
    """Return the name of a definition, without what makes it private.

    >>> name_of("#/$defs/_Source")
    'Source'
    """
    return reference.rsplit("/", 1)[-1].lstrip("_")


def objects_of(schema: Schema, properties: Any, level: str = "###") -> list[str]:
    """Write the definitions that some properties refer to, each under its heading, with those they refer to."""
    found: list[str] = []
    waiting = [*references(properties)]
    while waiting:
        reference = waiting.pop(0)
        if reference not in found:
            found.append(reference)
            waiting += references(schema["$defs"][reference.rsplit("/", 1)[-1]])
    parts = []
    for reference in found:
        shape = schema["$defs"][reference.rsplit("/", 1)[-1]]
        parts += [f"{level} {name_of(reference)}", keys_of(shape["properties"], shape.get("required", ()))]
    return parts


def references(shape: Any) -> Iterator[str]:
    """Walk the definitions that a schema refers to."""
    if isinstance(shape, dict):
        for key, value in shape.items():
            if key == "$ref":
                yield value
            else:
                yield from references(value)
    elif isinstance(shape, list):
        for part in shape:
            yield from references(part)
