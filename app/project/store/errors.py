"""What goes wrong with saved projects."""

from __future__ import annotations

from mandoline_core import MandolineError


class StoreError(MandolineError):
    """Report something that could not be saved or found."""
