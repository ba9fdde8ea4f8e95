"""`mandoline completion`: completion of commands, options and files in a shell."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import take

HELP = "Print a completion script for your shell."
SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the shell."""
    take(parser, {"shell " + "|".join(SHELLS): "your shell"})


def run(options: argparse.Namespace) -> None:
    """Print the script."""
    import shtab

    from mandoline_core.cli.main import make_parser

    parser = make_parser()
    for command in parser._subparsers._group_actions[0].choices.values():  # type: ignore[union-attr]
        for action in command._actions:
            if action.choices is None and action.nargs != 0:
                action.complete = shtab.FILE  # a file is all that a shell can offer for a value
    print(shtab.complete(parser, options.shell))
