"""Write the published schemas anew: `python -m mandoline_core.schemas`."""

from __future__ import annotations

from mandoline_core.schemas.published import write_schemas

if __name__ == "__main__":
    write_schemas()
