"""The project file: from TOML to settings and back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, SkipValidation, ValidationError

from mandoline_core.data import ENGINES, ColumnType, Model
from mandoline_core.errors import MandolineError, ProjectError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.project.project import Project
from mandoline_core.project.settings import (
    TESTS,
    DecisionSettings,
    EstimatorSettings,
    MethodSettings,
    MetricSettings,
    TrustSettings,
)
from mandoline_core.project.validation import Name, Whole, first_problem, problem_of, unknown_key
from mandoline_core.slices import ANSWERS, KINDS, AuditAnswers, Correction, Noise, Slice, SliceAudit

VERSION = 1


class _Table(BaseModel):
    """Describe a table of a project file: its keys, and no others."""

    model_config = ConfigDict(extra="forbid")


class _Source(_Table):
    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["path"]}, {"required": ["table"]}]})
    path: Name | None = None
    engine: Annotated[str, Field(min_length=1, json_schema_extra={"enum": list(ENGINES)})] | None = None
    table: Name | None = None
    master: Name | None = None
    group: Name | None = None
    weight: Name | None = None
    types: dict[Name, ColumnType] = {}


class _Target(_Source):
    labels: Name | None = None
    key: Name | None = None


class _Task(_Table):
    label: Name | None = None


class _Model(_Table):
    name: Name
    prediction: Name | None = None
    probabilities: dict[str, Name] = {}


class ProjectFile(_Table):
    """Describe a project file; slices are read by their kinds, and edges by the project."""

    version: Annotated[Whole, Field(ge=VERSION, le=VERSION)]
    name: Name = "project"
    note: Name = ""
    source: _Source
    target: _Target
    task: _Task = Field(default_factory=_Task)
    models: list[_Model] = []
    metric: MetricSettings = Field(default_factory=MetricSettings)
    slices: list[dict[str, Any]] = []
    edges: SkipValidation[
        list[tuple[Name, Name]]
        | Literal["auto", "graphical-lasso"]
        | Annotated[str, Field(pattern="^inverse-covariance(:[1-9][0-9]*)?$")]
    ] = TESTS
    estimator: EstimatorSettings = Field(default_factory=EstimatorSettings)
    methods: MethodSettings = Field(default_factory=MethodSettings)
    trust: TrustSettings = Field(default_factory=TrustSettings)
    decision: DecisionSettings = Field(default_factory=DecisionSettings)


_AS_THEY_ARE = ("name", "note", "metric", "edges", "estimator", "methods", "trust", "decision")
# What a file keeps in tables of its own, and what a project calls it.
PLACES = {
    "source": {key: f"source_{key}" for key in _Source.model_fields},
    "target": {key: f"target_{key}" for key in _Target.model_fields},
    "task": {"label": "label"},
}


def parse_project(mapping: dict[str, Any], base: str | Path, *, file: str = "The project") -> Project:
    """Make a project from the content of a project file.

    Parameters
    ----------
    mapping : dict
        The file's content, as TOML gives it.
    base : str or Path
        The folder that its paths are relative to.
    file : str
        The file's name in messages.

    Examples
    --------
    >>> parse_project({"version": 2}, ".")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: The project has version 2. Expected version = 1.
    >>> parse_project({"version": 1, "nmae": "x"}, ".", file="a.toml")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: Unknown key 'nmae' in a.toml. Expected: version, name, note, source, target,
    task, models, metric, slices, edges, estimator, methods, trust, decision. Did you mean 'name'?
    """
    if not isinstance(mapping, Mapping):
        raise ProjectError(f"{file} must be a table. Got {mapping!r}.")
    try:
        content = ProjectFile.model_validate(dict(mapping))
    except ValidationError as error:
        raise _problem(error, mapping, file) from None
    placed: dict[str, Any] = {}
    for heading, keys in PLACES.items():
        table = getattr(content, heading)
        if "path" in keys and table.path is None and table.table is None:
            raise ProjectError(f"[{heading}] has no path. Add path.")
        placed |= {name: getattr(table, key) for key, name in keys.items()}
    return Project(
        **{key: getattr(content, key) for key in _AS_THEY_ARE},
        **placed,
        models=tuple(Model(**dict(model)) for model in content.models),
        slices=tuple(_slice(table, _where("slices", number, table)) for number, table in enumerate(content.slices)),
        base=Path(base),
    )


def _where(heading: str, number: int, table: Mapping[str, Any]) -> str:
    """Say which table of a list it is."""
    name = table.get("name")
    return f"[[{heading}]] number {number + 1}" + (f" ({name!r})" if isinstance(name, str) else "")


def _problem(error: ValidationError, mapping: Mapping[str, Any], file: str) -> ProjectError:
    """Say what is wrong with a file: what only files get wrong, or what is wrong with a value."""
    tables: dict[tuple[str | int, ...], tuple[Any, str]] = {(): (ProjectFile, file)}
    for key, item in ProjectFile.model_fields.items():
        if hasattr(item.annotation, "__pydantic_fields__"):
            tables[key,] = item.annotation, f"[{key}]"
    match first_problem(error):
        case {"ctx": {"error": _}}:
            pass
        case {"loc": ["version"], "type": "missing"}:
            return ProjectError(f"{file} has no version. Add version = {VERSION} at its top.")
        case {"loc": ["version"]}:
            return ProjectError(f"{file} has version {mapping['version']!r}. Expected version = {VERSION}.")
        case {"loc": [key], "type": "missing"}:
            return ProjectError(f"{file} has no [{key}]. Add [{key}] with path.")
        case {"loc": [key]} if (key,) in tables:
            hint = f"Write [{key}] on its own line."
            return ProjectError(f"{key} in {file} must be a table. Got {mapping[key]!r}. {hint}")
        case {"loc": ["models" | "slices" as key] | ["models" | "slices" as key, _]}:
            got = "one table" if isinstance(mapping[key], dict) else repr(mapping[key])
            hint = f"Start each one with [[{key}]], in double brackets."
            return ProjectError(f"{key} in {file} must be a list of tables. Got {got}. {hint}")
        case {"loc": ["models", number, *rest]}:
            model = mapping["models"][number]
            where = _where("models", number, model)
            tables["models", number] = _Model, where
            if len(rest) > 1:
                wrong = f"Got {model['probabilities'][rest[1]]!r} for {rest[1]!r}."
                return ProjectError(f"probabilities in {where} must give a column for each class. {wrong}")
    return problem_of(error, mapping, tables)


def dump_project(project: Project) -> str:
    """Write a project as TOML; reading it back gives the same project.

    Examples
    --------
    >>> model = Model("lr", "pred_lr")
    >>> project = Project(name="reviews", source_path="a.csv", target_path="b.csv", label="label", models=(model,))
    >>> print(dump_project(project).splitlines()[1])
    name = "reviews"
    """
    return "\n".join(dump_parts(project).values())


def dump_parts(project: Project) -> dict[str, str]:
    """Write a project as TOML, by heading; keys above the first heading are under ""."""
    if type(project.metric) is not MetricSettings:
        raise ProjectError(
            f"Metric {project.metric.name!r} is a Python function, which a project file cannot hold. Add a column with "
            "its scores and use the metric 'mean'."
        )
    top: dict[str, Any] = {"version": VERSION, "name": project.name}
    if project.note:
        top["note"] = project.note
    if project.edges != TESTS:
        top["edges"] = _toml(project.edges)
    places: dict[str, str] = {}
    for heading, keys in PLACES.items():
        values = {key: getattr(project, setting) for key, setting in keys.items()}
        if table := {key: _toml(value) for key, value in values.items() if value not in (None, {})}:
            types = table.pop("types", {})
            lines = ", ".join(tomli_w.dumps({column: kind}).strip() for column, kind in types.items())
            inline = f"types = {{ {lines} }}\n" if types else ""
            places[heading] = tomli_w.dumps({heading: table}) + inline
    methods, decision = _plain(project.methods), _plain(project.decision)
    declared = _plain(project.trust)
    if "harmless" in declared and not any(project.trust.harmless.values()):
        declared["harmless"] = list(project.trust.harmless)
    trust = {key: _toml(value) for key, value in declared.items() if value}
    parts = {
        "": tomli_w.dumps(top),
        **places,
        "models": "\n".join(_dump_item("models", _plain(model)) for model in project.models),
        "metric": tomli_w.dumps({"metric": {"name": project.metric.name} | _plain(project.metric)}),
        "slices": "\n".join(_dump_item("slices", rule_table(rule)) for rule in project.slices),
        "estimator": tomli_w.dumps({"estimator": {"name": project.estimator.name} | _plain(project.estimator)}),
        "methods": tomli_w.dumps({"methods": methods}) if methods else "",
        "trust": tomli_w.dumps({"trust": trust}) if trust else "",
        "decision": tomli_w.dumps({"decision": decision}) if decision else "",
    }
    return {heading: _short_lists(text) for heading, text in parts.items() if text}


def _check_keys(table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise unknown_key(key, known, where)


def _take(table: Mapping[str, Any], key: str, kind: type, where: str) -> Any:
    """Return a value of one type, None if absent, or say that it is of another."""
    value = table.get(key)
    if key in table and (not isinstance(value, kind) or value == ""):
        expected = {str: "a non-empty text", bool: "true or false", dict: "a table"}[kind]
        raise ProjectError(f"{key} in {where} must be {expected}. Got {value!r}.")
    return value


def _slice(table: dict[str, Any], where: str) -> Slice:
    for key in ("name", "kind"):
        if _take(table, key, str, where) is None:
            raise ProjectError(f"{where} has no {key}. Add {key}.")
    name, kind = table["name"], table["kind"]
    if kind not in KINDS:
        kinds = listed(KINDS, most=len(KINDS))
        raise ProjectError(f"{where} has an unknown kind {kind!r}. Kinds: {kinds}.{did_you_mean(kind, KINDS)}")
    rule = KINDS[kind]
    settings = [item for item in fields(rule) if item.name != "name"]
    own_first = sorted(settings, key=lambda item: item.name in _keys(Slice))
    _check_keys(table, ("name", "kind", *(item.name for item in own_first)), where)
    for item in settings:
        if item.default is MISSING and item.name not in table:
            raise ProjectError(f"{where} has no {item.name}, which kind {kind!r} needs. Add {item.name}.")
    values = {key: value for key, value in table.items() if key not in ("name", "kind")}
    if "noise" in table:
        values["noise"] = _noise(table["noise"], where)
    if "audit" in table:
        values["audit"] = _audit(table["audit"], where)
    return rule(name, **values)


def _audit(table: object, where: str) -> SliceAudit:
    owner = f"the audit of {where}"
    if not isinstance(table, dict):
        raise ProjectError(f"audit in {where} must be a table. Got {table!r}. Write [slices.audit] below the slice.")
    _check_keys(table, _keys(SliceAudit), owner)
    if "columns" not in table:
        raise ProjectError(f"{owner} has no columns. Add columns, the columns that identify its rows.")
    sides = {side: _take(table, side, dict, owner) or {} for side in ("source", "target")}
    for side, answers in sides.items():
        _check_keys(answers, ANSWERS, f"{side} of {owner}")
    try:
        return SliceAudit(table["columns"], *(AuditAnswers(**answers) for answers in sides.values()))
    except MandolineError as error:
        raise ProjectError(f"{where}: {error}") from None


def _noise(table: object, where: str) -> Noise:
    owner = f"the noise of {where}"
    if not isinstance(table, dict):
        problem = f"noise in {where} must be a table. Got {table!r}."
        raise ProjectError(f"{problem} Write [slices.noise.source] below the slice.")
    _check_keys(table, ("source", "target", "measured"), owner)
    sides = {side: _take(table, side, dict, owner) for side in ("source", "target")}
    measured = _take(table, "measured", bool, owner) or False
    ways = ("same", "measured")
    same, target_measured = (_take(sides["target"] or {}, way, bool, f"target of {owner}") for way in ways)
    if same is not None or target_measured is not None:
        sides["target"] = {key: value for key, value in sides["target"].items() if key not in ways} or None
    try:
        for side, keys in {"source": _keys(Correction), "target": (*_keys(Correction), *ways)}.items():
            _check_keys(sides[side] or {}, keys, f"{side} of the noise")
        corrections = {side: Correction(**given) for side, given in sides.items() if given is not None}
        return Noise(**corrections, same=same or False, measured=measured, target_measured=target_measured or False)
    except MandolineError as error:
        raise ProjectError(f"{where}: {error}") from None


def _keys(settings: type) -> tuple[str, ...]:
    return tuple(item.name for item in fields(settings))


def _plain(settings: Any) -> dict[str, Any]:
    """Write a settings object as a table, what is required first, without what is as by default."""
    table = {}
    for item in sorted(fields(settings), key=lambda item: item.default is not MISSING):
        value = getattr(settings, item.name)
        default = item.default if item.default_factory is MISSING else item.default_factory()
        if value is not None and (value != default or isinstance(value, bool) != isinstance(default, bool)):
            table[item.name] = _toml(value)
    return table


def _dump_item(key: str, table: dict[str, Any]) -> str:
    """Write one table of a list under its own [[heading]]; the writer would put short ones on one line."""
    flat = {name: value for name, value in table.items() if not isinstance(value, dict)}
    nested = {name: value for name, value in table.items() if isinstance(value, dict)}
    text = f"[[{key}]]\n{tomli_w.dumps(flat)}"
    return f"{text}\n{tomli_w.dumps({key: nested})}" if nested else text


def _toml(value: Any) -> Any:
    match value:
        case Mapping():
            return {key: _toml(item) for key, item in value.items()}
        case tuple() | list():
            return [_toml(item) for item in value]
        case Path():
            return value.as_posix()
        case Model() | Slice():
            return value.name
        case Noise(same=True):
            return _plain(replace(value, same=False)) | {"target": {"same": True}}
        case Noise(target_measured=True):
            return _plain(replace(value, target_measured=False)) | {"target": {"measured": True}}
        case Noise() | Correction() | SliceAudit() | AuditAnswers():
            return _plain(value)
    return value


def rule_table(rule: Slice) -> dict[str, Any]:
    """Write a slice as its table in a project file.

    >>> from mandoline_core.slices import Missing
    >>> rule_table(Missing("no_age", column="age"))
    {'name': 'no_age', 'kind': 'missing', 'column': 'age'}
    """
    if rule.unwritable:
        raise ProjectError(f"Slice {rule.name!r} {rule.unwritable}")
    return {"name": rule.name, "kind": rule.kind} | _plain(rule)


def _short_lists(text: str) -> str:
    """Bring lists that fit onto one line; a text never spans lines here, so lines can be joined."""

    def shorten(match: re.Match[str]) -> str:
        joined = re.sub(r"\n *", " ", re.sub(r"(?<=\[)\n *|,\n *(?=\])", "", match[0]))
        return joined if len(joined) <= 120 else match[0]

    return re.sub(r"^.* = \[\n(?:.*\n)*?\]$", shorten, text, flags=re.MULTILINE)
