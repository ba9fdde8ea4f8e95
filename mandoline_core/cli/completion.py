"""`mandoline completion`: what a shell needs to complete commands, options and files."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Mapping
from typing import NamedTuple

HELP = "Print a script that lets bash or zsh complete commands, options and files."
SHELLS = ("bash", "zsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take which shell."""
    parser.add_argument("shell", choices=SHELLS, help="the shell to complete in")


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    from mandoline_core.cli.main import COMMANDS

    known = {}
    for name, command in COMMANDS.items():
        parser = argparse.ArgumentParser()
        command.add_arguments(parser)
        known[name] = _Known.of(command.HELP, parser)
    print({"bash": _bash, "zsh": _zsh}[options.shell](known))
    return 0


class _Known(NamedTuple):
    """Hold what may follow a command.

    Parameters
    ----------
    options : dict of str to str
        What each is for.
    takers : list of str
        Options that a value follows.
    choices : dict of str to list of str
        The values that an option takes; of the command's own arguments under "".
    """

    help: str
    options: dict[str, str]
    takers: list[str]
    choices: dict[str, list[str]]

    @classmethod
    def of(cls, said: str, parser: argparse.ArgumentParser) -> _Known:
        options: dict[str, str] = {}
        takers: list[str] = []
        choices: dict[str, list[str]] = {}
        for action in parser._actions:
            for option in action.option_strings:
                options[option] = "show what it takes" if option in ("-h", "--help") else str(action.help)
                takers += [option] if action.nargs != 0 else []
            if action.choices is not None:
                for option in action.option_strings or [""]:
                    choices[option] = [str(choice) for choice in action.choices]
        return cls(said, options, takers, choices)


def _bash(known: Mapping[str, _Known]) -> str:
    cases = []
    for name, one in known.items():
        values = "".join(
            f'            {option}) COMPREPLY=($(compgen -W {shlex.quote(" ".join(choices))} -- "$word")); return ;;\n'
            for option, choices in one.choices.items()
            if option
        )
        files = [option for option in one.takers if option not in one.choices]
        if files:
            values += f'            {"|".join(files)}) COMPREPLY=($(compgen -f -- "$word")); return ;;\n'
        own = one.choices.get("")
        else_ = f"compgen -W {shlex.quote(' '.join(own))}" if own else "compgen -f"
        cases.append(
            f"    {name})\n"
            f'        case "$before" in\n{values}        esac\n'
            f"        if [[ $word == -* ]]; then\n"
            f'            COMPREPLY=($(compgen -W {shlex.quote(" ".join(one.options))} -- "$word"))\n'
            f'        else\n            COMPREPLY=($({else_} -- "$word"))\n        fi ;;\n'
        )
    commands = shlex.quote(" ".join([*known, "--help", "--version"]))
    return (
        "# Completion of mandoline in bash. For this shell: source <(mandoline completion bash)\n"
        "_mandoline() {\n"
        '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"\n'
        "    COMPREPLY=()\n"
        "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
        f'        COMPREPLY=($(compgen -W {commands} -- "$word"))\n'
        "        return\n    fi\n"
        '    case "${COMP_WORDS[1]}" in\n' + "".join(cases) + "    esac\n}\n"
        "complete -o filenames -F _mandoline mandoline"
    )


def _zsh(known: Mapping[str, _Known]) -> str:
    commands = "\n".join(f"        {shlex.quote(f'{name}:{_plain(one.help)}')}" for name, one in known.items())
    cases = []
    for name, one in known.items():
        lines = []
        for option, said in one.options.items():
            follows = ""
            if option in one.choices:
                follows = f":value:({' '.join(one.choices[option])})"
            elif option in one.takers:
                follows = ":value:_files"
            lines.append(shlex.quote(f"{option}[{_plain(said)}]{follows}"))
        own = one.choices.get("")
        lines.append(shlex.quote(f"*:argument:({' '.join(own)})" if own else "*:file:_files"))
        cases.append(f"        {name}) _arguments {' '.join(lines)} ;;\n")
    return (
        "#compdef mandoline\n"
        "# Completion of mandoline in zsh. For this shell: source <(mandoline completion zsh)\n"
        "_mandoline() {\n"
        f"    local -a commands=(\n{commands}\n    )\n"
        "    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
        "    local command=$words[2]\n"
        "    shift words; (( CURRENT-- ))\n"
        "    case $command in\n" + "".join(cases) + "    esac\n}\n"
        "compdef _mandoline mandoline"
    )


def _plain(said: str) -> str:
    """Leave out what has a meaning in a description: brackets, colons and argparse's percent signs."""
    return re.sub(r"[\[\]:\\'`]", "", said.replace("%%", "%"))
