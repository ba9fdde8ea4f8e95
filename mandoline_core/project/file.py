"""The project file: from its TOML to the settings it stands for, and back."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

import tomli_w

from mandoline_core.errors import MandolineError, ProjectError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.project.project import Project
from mandoline_core.project.settings import EstimatorSettings, MethodSettings, MetricSettings
from mandoline_core.samples import Model
from mandoline_core.slices import KINDS, Correction, Noise, Slice

VERSION = 1
_TOP = ("version", "name", "source", "target", "task", "models", "metric", "slices", "edges", "estimator", "methods")
_TYPES: dict[type, str] = {str: "a text", bool: "true or false", dict: "a table", list: "a list"}


def load_project(path: str | Path) -> Project:
    """Read a project file.

    Parameters
    ----------
    path : str or Path
        A TOML file.

    Raises
    ------
    ProjectError
        If something in it is wrong, with what and where.

    Examples
    --------
    >>> load_project("no_such_folder/reviews.toml")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: Project file 'reviews.toml' is not in no_such_folder, which does not exist.
    """
    path = Path(path)
    _check_file(path)
    try:
        mapping = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        if b"\0" in error.object:
            raise ProjectError(f"{path.name} is not a text file. Expected a project file in TOML.") from None
        line = error.object[: error.start].count(b"\n") + 1
        raise ProjectError(
            f"{path.name} is not in UTF-8, as a TOML file must be: see line {line}. Save it as UTF-8."
        ) from None
    except tomllib.TOMLDecodeError as error:
        reason, where = re.fullmatch(r"(.*?)(?: \(at (.*)\))?", str(error), re.DOTALL).groups()  # type: ignore[union-attr]
        hint = "Correct it there." if path.suffix == ".toml" else "Expected a project file in TOML."
        raise ProjectError(f"{path.name} is not valid TOML at {where or 'its start'}: {reason}. {hint}") from None
    if "name" not in mapping:
        mapping["name"] = path.stem
    return replace(parse_project(mapping, path.parent, file=path.name), path=path)


def parse_project(mapping: dict[str, Any], base: str | Path, *, file: str = "The project") -> Project:
    """Make a project of what a project file holds.

    Parameters
    ----------
    mapping : dict
        The file's content, as TOML gives it.
    base : str or Path
        The folder that its paths are relative to.
    file : str
        What to call the file in messages.

    Examples
    --------
    >>> parse_project({"version": 2}, ".")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: The project has version 2. Expected version = 1.
    """
    return Project(**_parse_mapping(mapping, file), base=Path(base))


def save_project(project: Project, path: str | Path) -> Project:
    """Write a project file; paths are made relative to its folder.

    Returns
    -------
    Project
        The project as it reads from there.
    """
    path = Path(path)
    here = path.parent.resolve()
    moved: dict[str, Any] = {"base": path.parent, "path": path}
    if project.base.resolve() != here:
        for key in ("source_path", "target_path", "target_labels"):
            old = getattr(project, key)
            if old is not None and not old.is_absolute():
                moved[key] = Path(os.path.relpath(project.base.resolve() / old, here))
    project = replace(project, **moved)
    text = dump_project(project)
    # Written beside and then moved: a crash never leaves half a project.
    draft = path.with_name(f"{path.name}.part")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)
    return project


def dump_project(project: Project) -> str:
    """Write a project as TOML; reading it back gives the same project.

    Examples
    --------
    >>> model = Model("lr", "pred_lr")
    >>> project = Project(name="reviews", source_path="a.csv", target_path="b.csv", label="label", models=(model,))
    >>> print(dump_project(project).splitlines()[1])
    name = "reviews"
    """
    return _dump_mapping(project)


def _parse_mapping(mapping: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Turn a project file's content into the arguments of `Project`.

    Examples
    --------
    >>> _parse_mapping({"version": 1, "nmae": "x"}, "a.toml")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: Unknown key 'nmae' in a.toml. Expected: version, name, source, target, task,
    models, metric, slices, edges, estimator, methods. Did you mean 'name'?
    """
    if not isinstance(mapping, Mapping):
        raise ProjectError(f"{file} must hold a table. Got {mapping!r}.")
    _check_keys(mapping, _TOP, file)
    version = mapping.get("version")
    if version is None:
        raise ProjectError(f"{file} has no version. Add version = {VERSION} at its top.")
    if isinstance(version, bool) or version != VERSION:
        raise ProjectError(f"{file} has version {version!r}. Expected version = {VERSION}.")
    source = _table(mapping, "source", ("path",), file, required=True)
    target = _table(mapping, "target", ("path", "labels"), file, required=True)
    task = _table(mapping, "task", ("label",), file)
    return {
        "name": _take(mapping, "name", str, file, required=False) or "project",
        "source_path": _take(source, "path", str, "[source]"),
        "target_path": _take(target, "path", str, "[target]"),
        "target_labels": _take(target, "labels", str, "[target]", required=False),
        "label": _take(task, "label", str, "[task]", required=False),
        "models": tuple(_model(table, number) for number, table in _tables(mapping, "models", file)),
        "metric": MetricSettings(**_table(mapping, "metric", _keys(MetricSettings), file)),
        "slices": tuple(_slice(table, number) for number, table in _tables(mapping, "slices", file)),
        "edges": mapping.get("edges", ()),
        "estimator": EstimatorSettings(**_table(mapping, "estimator", _keys(EstimatorSettings), file)),
        "methods": MethodSettings(**_table(mapping, "methods", _keys(MethodSettings), file)),
    }


def _dump_mapping(project: Project) -> str:
    """Write a project as TOML."""
    target = {"path": project.target_path.as_posix()}
    if project.target_labels is not None:
        target["labels"] = project.target_labels.as_posix()
    content: dict[str, Any] = {"version": VERSION, "name": project.name}
    if project.edges:
        content["edges"] = project.edges if isinstance(project.edges, str) else [list(pair) for pair in project.edges]
    content |= {"source": {"path": project.source_path.as_posix()}, "target": target}
    if project.label is not None:
        content["task"] = {"label": project.label}
    parts = [
        tomli_w.dumps(content),
        *(_dump_item("models", _plain(model)) for model in project.models),
        tomli_w.dumps({"metric": {"name": project.metric.name} | _plain(project.metric)}),
        *(_dump_item("slices", _dump_slice(rule)) for rule in project.slices),
        tomli_w.dumps({"estimator": {"name": project.estimator.name} | _plain(project.estimator)}),
        *([tomli_w.dumps({"methods": _plain(project.methods)})] if _plain(project.methods) else []),
    ]
    return _short_lists("\n".join(parts))


def _check_keys(table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ProjectError(
                f"Unknown key {key!r} in {where}. Expected: {listed(known, most=20)}.{did_you_mean(key, known)}"
            )


def _take(table: Mapping[str, Any], key: str, kind: type, where: str, *, required: bool = True) -> Any:
    """Return a value of one type, or say that it is missing or of another."""
    if key not in table:
        if required:
            raise ProjectError(f"{where} has no {key}. Add {key}, {_TYPES[kind]}.")
        return None
    value = table[key]
    if not isinstance(value, kind) or value == "":
        expected = _TYPES[kind] + (" that is not empty" if kind is str else "")
        raise ProjectError(f"{key} in {where} must be {expected}. Got {value!r}.")
    return value


def _table(
    mapping: Mapping[str, Any], key: str, known: Sequence[str], file: str, *, required: bool = False
) -> dict[str, Any]:
    if required and key not in mapping:
        raise ProjectError(f"{file} has no [{key}]. Add [{key}] with {known[0]}.")
    value = mapping.get(key, {})
    if not isinstance(value, dict):
        raise ProjectError(f"{key} in {file} must be a table. Got {value!r}. Write [{key}] on a line of its own.")
    _check_keys(value, known, f"[{key}]")
    return value


def _tables(mapping: Mapping[str, Any], key: str, file: str) -> list[tuple[int, dict[str, Any]]]:
    value = mapping.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        hint = f"Write [[{key}]], with two brackets, before each."
        got = "one table" if isinstance(value, dict) else repr(value)
        raise ProjectError(f"{key} in {file} must be a list of tables. Got {got}. {hint}")
    return list(enumerate(value, start=1))


def _where(kind: str, number: int, table: Mapping[str, Any]) -> str:
    name = table.get("name")
    return f"[[{kind}]] number {number}" + (f" ({name!r})" if isinstance(name, str) else "")


def _model(table: dict[str, Any], number: int) -> Model:
    where = _where("models", number, table)
    _check_keys(table, _keys(Model), where)
    probabilities = _take(table, "probabilities", dict, where, required=False) or {}
    for name, column in probabilities.items():
        if not isinstance(column, str) or not column:
            raise ProjectError(
                f"probabilities in {where} must name a column for each class. Got {column!r} for {name!r}."
            )
    return Model(
        _take(table, "name", str, where), _take(table, "prediction", str, where, required=False), probabilities
    )


def _slice(table: dict[str, Any], number: int) -> Slice:
    where = _where("slices", number, table)
    name, kind = _take(table, "name", str, where), _take(table, "kind", str, where)
    if kind not in KINDS:
        raise ProjectError(
            f"{where} has kind {kind!r}, which is not one. Kinds: {_kinds()}.{did_you_mean(kind, KINDS)}"
        )
    rule = KINDS[kind]
    settings = [item for item in fields(rule) if item.name != "name"]
    own_first = sorted(settings, key=lambda item: item.name in _keys(Slice))
    _check_keys(table, ("name", "kind", *(item.name for item in own_first)), where)
    for item in settings:
        if item.default is MISSING and item.name not in table:
            raise ProjectError(f"{where} has no {item.name}, which kind {kind!r} needs. Add {item.name}.")
    values = {key: value for key, value in table.items() if key not in ("name", "kind", "noise")}
    if "noise" in table:
        values["noise"] = _noise(table["noise"], where)
    return rule(name, **values)


def _kinds() -> str:
    return listed(KINDS, most=len(KINDS))


def _noise(table: object, where: str) -> Noise:
    place = f"the noise of {where}"
    if not isinstance(table, dict):
        raise ProjectError(
            f"noise in {where} must be a table. Got {table!r}. Write [slices.noise.source] below the slice."
        )
    _check_keys(table, ("source", "target", "measured"), place)
    source, target = (_take(table, side, dict, place, required=False) for side in ("source", "target"))
    measured = _take(table, "measured", bool, place, required=False) or False
    same = False
    if target is not None and "same" in target:
        same = _take(target, "same", bool, f"target of {place}")
        target = {key: value for key, value in target.items() if key != "same"} or None
    try:
        return Noise(
            source=_correction(source, "source of the noise"),
            target=_correction(target, "target of the noise", "same"),
            same=same,
            measured=measured,
        )
    except MandolineError as error:
        raise ProjectError(f"{where}: {error}") from None


def _correction(table: dict[str, Any] | None, place: str, *more: str) -> Correction | None:
    if table is None:
        return None
    _check_keys(table, (*_keys(Correction), *more), place)
    return Correction(**table)


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
    if isinstance(value, Mapping):
        return {key: _toml(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_toml(item) for item in value]
    return value.name if isinstance(value, (Model, Slice)) else value


def _dump_slice(rule: Slice) -> dict[str, Any]:
    if rule.unwritable:
        raise ProjectError(f"Slice {rule.name!r} {rule.unwritable}")
    table = {"name": rule.name, "kind": rule.kind} | {
        key: value for key, value in _plain(rule).items() if key != "noise"
    }
    return table | ({} if rule.noise is None else {"noise": _dump_noise(rule.noise)})


def _dump_noise(noise: Noise) -> dict[str, Any]:
    table: dict[str, Any] = {"measured": True} if noise.measured else {}
    if noise.source is not None:
        table["source"] = _plain(noise.source)
    if noise.target is not None or noise.same:
        table["target"] = {"same": True} if noise.target is None else _plain(noise.target)
    return table


def _short_lists(text: str) -> str:
    """Bring lists that fit onto one line; a text never spans lines here, so lines can be joined."""
    done: list[str] = []
    # Not splitlines(): it also cuts at characters that may stand in a text, such as U+0085.
    lines = iter(text.removesuffix("\n").split("\n"))
    for line in lines:
        block = [line]
        if line.endswith(" = ["):
            while block[-1] != "]":
                block.append(next(lines))
        joined = block[0]
        for item in (item.strip() for item in block[1:]):
            if item.startswith("]"):
                joined = joined.removesuffix(",") + item
            else:
                joined += item if joined.endswith("[") else f" {item}"
        done += [joined] if len(joined) <= 120 else block
    return "\n".join(done) + "\n"


def _check_file(path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        found = sorted(item.name for item in path.glob("*.toml"))
        raise ProjectError(f"{path} is a folder. Name the project file in it: {listed(found) or 'it has none'}.")
    if not path.is_file():
        where = f"{folder}" if folder.is_dir() else f"{folder}, which does not exist"
        near = [item.name for item in folder.glob("*.toml")] if folder.is_dir() else []
        raise ProjectError(f"Project file {path.name!r} is not in {where}.{did_you_mean(path.name, near)}")
