"""Run the command line: `python -m mandoline_core.cli`."""

from __future__ import annotations

import sys

from mandoline_core.cli import main

sys.exit(main())
