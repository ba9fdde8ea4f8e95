"""The parser of all commands, and what happens around the one that runs."""

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

from mandoline_core.cli.terminal import own_terminal
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import printable

DONE, BAD_INPUT, OUR_BUG, STOPPED = 0, 2, 70, 130
_LONGEST = 4_000  # characters of a sentence
_ASK = ("app", "estimate", "compare", "backtest", "labels", "plan", "slices", "ablation", "suggest", "report")
_OTHERS = ("reproduce", "check", "track", "init", "schema", "completion")
# A command is a file of its name here: what it is for (HELP), what it takes, and what it does.
COMMANDS: dict[str, ModuleType] = {name: import_module(f"mandoline_core.cli.{name}") for name in (*_ASK, *_OTHERS)}

_EPILOG = """\
a first session:
  mandoline init old.csv new.csv      a project file to start with, with comments
  mandoline slices reviews.toml       what the slices cover, how far they shift
  mandoline estimate reviews.toml     the estimate, its interval, and what to know before quoting it
  mandoline ablation reviews.toml     which slice moved the number
  mandoline suggest reviews.toml      slices worth trying, tried
  mandoline compare reviews.toml      what other methods say, and how they rank the models
  mandoline backtest reviews.toml     how methods do on shifts made of your own labelled data
  mandoline report reviews.toml       all of it as one HTML file, to keep or to send
  mandoline check reviews.toml        whether it will do, for a job that nobody looks at
  mandoline app reviews.toml          the same, in the browser

exit codes:
  0  done
  1  the estimate is worse than --fail-under, a rule of `mandoline check` is not met, or `mandoline track` alerts
  2  bad input; one sentence on standard error says what, where and what to do
  70 a bug of Mandoline, with where it happened on standard error
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = make_parser().parse_args(arguments)
    code = DONE
    try:
        with nullcontext() if options.run is COMMANDS["app"].run else own_terminal(program=arguments is None):
            code = options.run(options) or DONE
        if sys.stdout is not None:  # it is None where it was closed from the start
            sys.stdout.flush()  # here, where a reader that has gone is met with silence
    except MandolineError as error:
        return _refuse(_shortened(printable(str(error)).replace("\n", " ")))
    except MemoryError:
        return _refuse('there is not enough memory for this. Use fewer rows or columns, or engine = "polars".')
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        if error.filename is not None:
            return _refuse(printable(f"{error.filename!r} cannot be used: {error.strerror}. Check it and its folder."))
        sys.stdout = None  # on a disk that is full, say: what is left in it must not be tried again at the end
        return _refuse(f"the answer could not be written: {error.strerror or error}. Make room.")
    except KeyboardInterrupt:
        print("mandoline: stopped.", file=sys.stderr)
        return STOPPED
    except Exception:  # noqa: BLE001 - whatever it is, it must not look like a rule that is not met
        traceback.print_exc()
        print("mandoline: this is a bug of ours. Please report it, with what is above.", file=sys.stderr)
        return OUR_BUG
    return code


def _refuse(sentence: str) -> int:
    print(f"mandoline: {sentence}", file=sys.stderr)
    return BAD_INPUT


def _shortened(sentence: str) -> str:
    """Leave the middle out where a file's own text makes it longer than anyone reads."""
    return sentence if len(sentence) <= _LONGEST else f"{sentence[: _LONGEST // 2]} ... {sentence[-_LONGEST // 4 :]}"


@cache
def make_parser() -> argparse.ArgumentParser:
    """Make the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="mandoline",
        description=(
            "Estimate how well a model does on data without labels. Write slices for the ways the data changed; "
            "Mandoline reweights your labelled data so that its slices look like the new data's."
        ),
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.HELP, description=command.HELP)
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


class _Version(argparse.Action):
    """Look the version up when it is asked for: that takes longer than parsing."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"mandoline {version('mandoline-estimator')}")
        parser.exit()
