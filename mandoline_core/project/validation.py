"""What Pydantic finds wrong with settings and tables, said in one sentence: what, where, what was expected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import wraps
from typing import Annotated, Any, TypeVar, dataclass_transform

from pydantic import ConfigDict, Field, Strict, TypeAdapter, ValidationError, WrapValidator
from pydantic.dataclasses import dataclass

from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.formatting import listed

Name = Annotated[str, Field(min_length=1)]
Whole = Annotated[int, Strict()]  # neither 3.0 nor "3", which Pydantic would take for one
Real = Annotated[float, Strict()]
# A whole number that will do for a float stays one, so that a file is written as it was read.
AS_GIVEN = WrapValidator(lambda value, check: (check(value), value)[1])
Columns = tuple[Name, ...]

_Settings = TypeVar("_Settings", bound=type)
UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")


@dataclass_transform(frozen_default=True)
def settings(kind: _Settings) -> _Settings:
    """Make a class a frozen dataclass that refuses values its annotations do not allow, in a sentence of ours."""
    # A dataclass, and no model: whoever changes one setting uses dataclasses.replace, and equal settings hash alike.
    made: Any = dataclass(frozen=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))(kind)
    validate = made.__init__

    @wraps(validate)
    def init(self: Any, *values: Any, **named: Any) -> None:
        names = list(made.__pydantic_fields__)
        if len(values) > len(names):
            raise TypeError(f"{kind.__name__} takes {len(names)} settings. Got {len(values)}.")
        given = dict(zip(names, values, strict=False)) | named
        try:
            validate(self, **given)
        except ValidationError as error:
            raise problem_of(error, given, {(): (made, kind.__name__)}) from None

    made.__init__ = init
    return made


def first_problem(error: ValidationError) -> Any:
    """Choose the first problem to report. A misspelt key comes before the key it leaves missing."""
    problems = error.errors(include_url=False)
    first = problems[0]
    for problem in problems:
        table = problem["loc"][:-1]
        if problem["type"] in UNKNOWN and first["loc"][: len(table)] == table:
            return problem
    return first


def problem_of(
    error: ValidationError, given: Any, tables: Mapping[tuple[str | int, ...], tuple[Any, str]]
) -> ProjectError:
    """Say what is wrong.

    Parameters
    ----------
    given : mapping
        What was validated.
    tables : mapping
        The class that describes the table at each place, and what messages call it.
    """
    first = first_problem(error)
    if isinstance(ours := first.get("ctx", {}).get("error"), ProjectError):
        return ours
    *table, key = first["loc"]
    while tuple(table) not in tables:  # what is wrong is a part of the value
        *table, key = table
    kind, where = tables[tuple(table)]
    if first["type"] in UNKNOWN:
        return unknown_key(key, kind.__pydantic_fields__, where)
    if first["type"] == "missing":
        return ProjectError(f"{where} has no {key}. Add {key}.")
    value = given
    for step in (*table, key):
        value = value[step]
    subject = key if is_dataclass(kind) else f"{key} in {where}"
    return ProjectError(f"{kind.__pydantic_fields__[key].title or subject} must be {_expected(kind, key, value)}")


def unknown_key(key: object, known: Iterable[str], where: str) -> ProjectError:
    """Say which keys there are.

    >>> print(unknown_key("lable", ["label"], "[task]"))
    Unknown key 'lable' in [task]. Expected: label. Did you mean 'label'?
    """
    known = list(known)
    return ProjectError(
        f"Unknown key {key!r} in {where}. Expected: {listed(known, most=20)}.{did_you_mean(str(key), known)}"
    )


def _expected(kind: Any, key: str, value: Any) -> str:
    """Say what a value must be, as its declaration has it, and what it is."""
    # The schema has in one form what annotations say in many.
    schema = TypeAdapter(kind).json_schema()["properties"][key]
    hint = ""
    match next((shape for shape in schema.get("anyOf", ()) if shape.get("type") != "null"), schema):
        case {"enum": [*choices, last]}:
            expected = f"{', '.join(map(repr, choices))} or {last!r}"
            hint = did_you_mean(str(value), [*choices, last])
        case {"type": "integer", "minimum": least, "maximum": most}:
            expected = f"a whole number from {least} to {most:,}"
        case {"type": "integer", "minimum": least}:
            expected = f"a whole number, {least} or more"
        case {"exclusiveMinimum": low, "exclusiveMaximum": high}:
            expected = f"between {low:g} and {high:g}"
            if isinstance(value, (int, float)) and 1 < value < 100:
                hint = f" Did you mean {value / 100:g}?"
        case {"minimum": low, "maximum": high}:
            expected = f"between {low:g} and {high:,g}"
        case {"exclusiveMinimum": low}:
            expected = f"a number above {low:g}"
        case {"minimum": least}:
            expected = f"a number, {least:g} or more"
        case {"type": "number"}:
            expected = "a number"
        case {"type": "array"}:
            expected = "a list of columns"
            hint = f" Did you mean [{value!r}]?" if isinstance(value, str) else ""
        case {"type": "string"}:
            expected = "a non-empty text"
        case _:
            expected = "a table"
    return f"{expected}. Got {value!r}.{hint}"
