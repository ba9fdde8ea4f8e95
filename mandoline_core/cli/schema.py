"""`mandoline schema`: the JSON Schema of the project file, or of what a command prints."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import take

HELP = "Print the JSON Schema of the project file, or of what a command prints with --json."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take which schema."""
    take(parser, {"name [NAME]": "project, or a command that takes --json; the names of all when left out"})


def run(options: argparse.Namespace) -> None:
    """Print a schema, or the names of all."""
    from mandoline_core.schemas import read_schema, schema_names

    print("\n".join(schema_names()) if options.name is None else read_schema(options.name).rstrip())
