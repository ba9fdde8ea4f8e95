"""`mandoline schema`: the JSON Schema of the project file, or of a command's JSON."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import take

HELP = "Print the JSON Schema of the project file or of JSON output."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the name of a schema."""
    take(parser, {"name [NAME]": "project, or a command with --json (default: list the names)"})


def run(options: argparse.Namespace) -> None:
    """Print a schema, or list the names."""
    from mandoline_core.schemas import read_schema, schema_names

    print("\n".join(schema_names()) if options.name is None else read_schema(options.name).rstrip())
