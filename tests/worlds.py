"""Worlds with a known answer, for tests: those that the experiments draw from."""

from __future__ import annotations

from mandoline_core.paper.worlds import Draw, World, potentials, random_world

__all__ = ["Draw", "World", "potentials", "random_world"]
