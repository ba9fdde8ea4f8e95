"""The command line: arguments go in, and one of the other packages answers; its numbers come out as text or JSON.

One file a command; each imports what it needs when it runs.
"""

from __future__ import annotations

from mandoline_core.cli.main import main
