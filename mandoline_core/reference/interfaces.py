"""Pages about the interfaces: the project file, the command line, JSON and Python."""

from __future__ import annotations

import argparse
import inspect
import textwrap

import mandoline_core
from mandoline_core.cli import COMMANDS, make_parser
from mandoline_core.reference.markdown import code, page, sentence, summary_of, table
from mandoline_core.reference.shapes import MANY, Schema, keys_of, printed_keys, type_of
from mandoline_core.schemas import PROJECT, make_schema, schema_names

# Where the names are that a key may have.
_LISTED = {"metric": "a [metric](reference-metrics.md)", "estimator": "a [method](reference-methods.md)"}


def project_file_page() -> str:
    """Describe every key of a project file."""
    schema = make_schema(PROJECT)
    alone = {key: shape for key, shape in schema["properties"].items() if not _definition(schema, shape)}
    parts = ["## Top level", keys_of({key: shape for key, shape in alone.items() if key != "slices"}, ["version"])]
    for key, shape in schema["properties"].items():
        if key == "slices":
            parts += ["## slices", "`[[slices]]`, once for each slice: see [Slice kinds](reference-slice-kinds.md)."]
        elif key not in alone:
            heading = f"[[{key}]]" if shape.get("type") == "array" else f"[{key}]"
            definition = _definition(schema, shape)
            keys = keys_of(definition["properties"], definition.get("required", ()))
            parts += [f"## {key}", f"`{heading}`", keys.replace(MANY, _LISTED.get(key, MANY))]
    return page(
        "Project file",
        "Every key of a project file, which is TOML. Paths are relative to the file.",
        "`mandoline init` writes one to start with, and `mandoline schema project` prints its JSON Schema for editors.",
        *parts,
    )


def _definition(schema: Schema, shape: Schema) -> Schema:
    """Find the table that a key holds, alone or in a list; empty where it holds a value."""
    reference = shape.get("$ref") or shape.get("items", {}).get("$ref") or ""
    return schema["$defs"].get(reference.rsplit("/", 1)[-1], {})


def command_line_page() -> str:
    """Describe every command with its arguments."""
    parser = make_parser()
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    parts = []
    for name in COMMANDS:
        command = commands.choices[name]
        taken = [action for action in command._actions if not isinstance(action, argparse._HelpAction)]
        words = [_usage(action).replace(" ", "\xa0") for action in taken]  # an option and its value stay together
        first = f"mandoline {name} "
        usage = textwrap.fill(
            " ".join(words), 88, initial_indent=first, subsequent_indent=" " * 4, break_on_hyphens=False
        )
        parts += [f"## mandoline {name}", sentence(COMMANDS[name].HELP), code(usage.replace("\xa0", " "))]
        if taken:
            rows = [(f"`{_usage(action, bare=True)}`", _default(action), _help(action)) for action in taken]
            parts.append(table(("Argument", "Default", "What it does"), rows))
    return page(
        "Command line",
        "Every command with its arguments.",
        code(inspect.cleandoc(parser.epilog or "")),
        *parts,
    )


def _usage(action: argparse.Action, *, bare: bool = False) -> str:
    value = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.metavar or action.dest.upper()
    if not action.option_strings:
        return f"[{value}]" if action.nargs == "?" and not bare else str(value)
    text = action.option_strings[-1] + ("" if action.nargs == 0 else f" {value}")
    return text if bare or action.required else f"[{text}]"


def _help(action: argparse.Action) -> str:
    return sentence((action.help or "").replace("%%", "%"))


def _default(action: argparse.Action) -> str:
    return "" if action.default in (None, False, [], argparse.SUPPRESS) else f"`{action.default}`"


def json_page() -> str:
    """Describe what every command prints with `--json`."""
    parts: list[str] = []
    objects: dict[str, Schema] = {}
    for name in schema_names():
        if name == PROJECT:
            continue
        schema = make_schema(name)
        objects |= schema.get("$defs", {})
        parts += [f"## mandoline {name} --json", printed_keys(schema) if "properties" in schema else type_of(schema)]
    parts.append("## Objects")
    for name, shape in sorted(objects.items()):
        parts += [f"### {name}", printed_keys(shape)]
    return page(
        "JSON",
        "What each command prints with `--json`. Numbers have full precision.",
        "`mandoline schema NAME` prints the JSON Schema of a command. "
        "In JSON, `source` is the labelled data and `target` the new data.",
        *parts,
    )


def python_page() -> str:
    """List the public names with their first sentence."""
    parts = []
    for module, names in mandoline_core.PUBLIC.items():
        rows = [(f"`{_signature(name)}`", _about(name)) for name in sorted(names.split())]
        parts += [f"## {module}", table(("Name", "What it does"), rows)]
    return page(
        "Python",
        "The public names of `mandoline_core`, by the package that has them.",
        "`import mandoline_core as md`; `help(md.estimate)` shows the parameters and examples of a name.",
        *parts,
    )


def _signature(name: str) -> str:
    value = getattr(mandoline_core, name)
    if not inspect.isfunction(value):
        return name
    taken = inspect.signature(value).parameters.values()
    return f"{name}({', '.join('**' * (one.kind == one.VAR_KEYWORD) + one.name for one in taken)})"


def _about(name: str) -> str:
    value = getattr(mandoline_core, name)
    return summary_of(value) if callable(value) else f"{len(value)} entries by name."
