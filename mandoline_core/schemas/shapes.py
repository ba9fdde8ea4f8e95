"""JSON Schemas of types: what annotations and dataclasses say, as a schema says it."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Schema = dict[str, Any]
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
ANYTHING: Schema = {}
_PLAIN: dict[object, Schema] = {
    float: NUMBER,
    int: {"type": "integer"},
    str: TEXT,
    bool: FLAG,
    type(None): {"type": "null"},
    Any: ANYTHING,
}


def shape_of(kind: Any) -> Schema:
    """Say in a schema what an annotation says.

    >>> shape_of(tuple[float, float] | None)["anyOf"][1]
    {'type': 'null'}
    >>> shape_of(dict[str, int])
    {'type': 'object', 'additionalProperties': {'type': 'integer'}}
    """
    if kind in _PLAIN:
        return _PLAIN[kind]
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return either(*(shape_of(part) for part in parts))
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (tuple, list):
        if len(parts) == 2 and parts[1] is not Ellipsis:
            return pair(shape_of(parts[0]), shape_of(parts[1]))
        return many(shape_of(parts[0]))
    if origin is not None and issubclass(origin, Mapping):
        return by_name(shape_of(parts[1]))
    if isinstance(kind, type) and issubclass(kind, str):
        return TEXT
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return record(kind)
    raise TypeError(f"There is no schema for {kind!r}.")


def record(
    kind: Any, *, without: Collection[str] = (), given: Mapping[str, Schema] | None = None, all_required: bool = True
) -> Schema:
    """Say what a dataclass or a named tuple holds.

    Parameters
    ----------
    without : collection of str
        Fields that are not written.
    given : mapping of str to schema
        Fields that are written otherwise than their types say, and what is written beside the fields.
    all_required : bool
        Whether fields with a default are always there.
    """
    given = given or {}
    hints, said = get_type_hints(kind), described(kind)
    names = [item.name for item in fields(kind)] if is_dataclass(kind) else list(kind._fields)
    optional = set() if all_required else _with_default(kind)
    properties: dict[str, Schema] = {}
    for name in names:
        if name not in without:
            shape = given[name] if name in given else shape_of(hints[name])
            properties[name] = {**shape, "description": said[name]} if name in said else shape
    properties |= {name: shape for name, shape in given.items() if name not in names}
    return closed(properties, optional=optional | (set() if all_required else set(given) - set(names)))


def closed(properties: Mapping[str, Schema], *, optional: Collection[str] = ()) -> Schema:
    """Describe an object that has these keys and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def by_name(shape: Schema) -> Schema:
    """Describe an object with any keys."""
    return {"type": "object", "additionalProperties": shape}


def many(shape: Schema) -> Schema:
    """Describe a list."""
    return {"type": "array", "items": shape}


def pair(first: Schema, second: Schema) -> Schema:
    """Describe a list of two."""
    return {"type": "array", "prefixItems": [first, second], "items": False, "minItems": 2}


def either(*shapes: Schema) -> Schema:
    """Describe what is one of several."""
    return {"anyOf": list(shapes)}


def or_null(shape: Schema) -> Schema:
    """Describe what may be missing."""
    return either(shape, _PLAIN[type(None)])


INTERVAL = pair(NUMBER, NUMBER)


def described(kind: Any) -> dict[str, str]:
    """Take what a docstring says of each parameter.

    >>> from mandoline_core.data import Model
    >>> described(Model)["prediction"]
    'The column of predicted classes.'
    """
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        text = inspect.cleandoc(base.__doc__ or "").partition("Parameters\n")[2].partition("\nExamples\n")[0]
        for names, words in re.findall(r"^([a-z_, ]+) : [^\n]*\n((?:    [^\n]*\n?|\n(?=    ))+)", text, re.MULTILINE):
            for name in names.split(", "):
                found[name] = " ".join(words.split())
    return found


def _with_default(kind: Any) -> set[str]:
    return {item.name for item in fields(kind) if item.default is not MISSING or item.default_factory is not MISSING}
