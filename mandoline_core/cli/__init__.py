"""The command line: arguments go in; results of the other packages come out as text or JSON.

Each command is one file, and imports what it needs when it runs.
"""

from __future__ import annotations

from mandoline_core.cli.main import COMMANDS, main, make_parser
