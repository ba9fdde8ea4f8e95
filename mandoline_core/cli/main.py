"""The parser of all commands, and how a command is run and its errors are reported."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache
from importlib import import_module
from types import ModuleType

from mandoline_core.cli.terminal import escape_output, own_terminal
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import printable

DONE, BAD_INPUT, OUR_BUG, STOPPED = 0, 2, 70, 130
_LONGEST = 4_000  # characters of a message
_START = ("app", "init", "sample", "help")
_ESTIMATE = ("estimate", "report", "slices", "ablation", "suggest", "compare", "backtest", "plan", "labels")
_OTHERS = ("check", "track", "reproduce", "schema", "completion")
# A command is a file of its name here: its help text (HELP), its arguments, and what it does.
COMMANDS: dict[str, ModuleType] = {
    name: import_module(f"mandoline_core.cli.{name}") for name in (*_START, *_ESTIMATE, *_OTHERS)
}

_DESCRIPTION = """\
Estimate how well a model works on new data that has no labels. Describe how
the data changed with slices: Mandoline weights your labelled data so that its
slices are as frequent as in the new data.
"""
_EPILOG = """\
examples:
  mandoline sample reviews demo          copy a sample project to the folder demo
  mandoline estimate demo/project.toml   estimate its models on the new data
  mandoline init labelled.csv new.csv    write project.toml for your own data
  mandoline suggest project.toml         find slices worth adding
  mandoline app project.toml             open the project in your browser
  mandoline help                         list the topics of the guide

exit codes:
  0    done
  1    a rule is not met: --fail-under, a rule of check, or an alert of track
  2    invalid input: the message on standard error says what to change
  70   a bug in Mandoline
  130  cancelled
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    code = DONE
    escape_output()
    try:
        parser = make_parser()
        options = parser.parse_args(arguments)
        if "run" not in options:
            parser.exit(BAD_INPUT, parser.format_help())
        with nullcontext() if options.run is COMMANDS["app"].run else own_terminal(program=arguments is None):
            code = options.run(options) or DONE
        if sys.stdout is not None:  # it is None where it was closed from the start
            sys.stdout.flush()  # here, where a reader that has gone is met with silence
    except MandolineError as error:
        return _refuse(_shortened(printable(str(error)).replace("\n", " ")))
    except MemoryError:
        return _refuse('Not enough memory. Use fewer rows or columns, or engine = "polars".')
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        if error.filename is not None:
            return _refuse(
                printable(f"Cannot use {error.filename!r}: {error.strerror}. Check the path and its permissions.")
            )
        sys.stdout = None  # on a disk that is full, say: what is left in it must not be tried again at the end
        return _refuse(f"Cannot write the output: {error.strerror or error}. Free some disk space.")
    except KeyboardInterrupt:
        print("mandoline: cancelled.", file=sys.stderr)
        return STOPPED
    except Exception:  # noqa: BLE001 - it must not look like a rule that is not met
        traceback.print_exc()
        print("mandoline: this is a bug in Mandoline. Please report it with the text above.", file=sys.stderr)
        return OUR_BUG
    return code


def _refuse(sentence: str) -> int:
    print(f"mandoline: {sentence}", file=sys.stderr)
    return BAD_INPUT


def _shortened(sentence: str) -> str:
    """Leave out the middle of a very long message."""
    return sentence if len(sentence) <= _LONGEST else f"{sentence[: _LONGEST // 2]} ... {sentence[-_LONGEST // 4 :]}"


@cache
def make_parser() -> argparse.ArgumentParser:
    """Make the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="mandoline",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.HELP, description=command.HELP)
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Put every command and its help text on one line."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog)
        self._action_max_length = 14


class _Version(argparse.Action):
    """Look up the version only on request: that takes longer than parsing."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"mandoline {version('mandoline-estimator')}")
        parser.exit()
