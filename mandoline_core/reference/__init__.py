"""The reference pages of the guide, written from registries, the parser, schemas and docstrings."""

from __future__ import annotations

from mandoline_core.reference.pages import PAGES, write_reference
