"""Worlds with a known answer, for tests: those that the experiments draw from."""

from __future__ import annotations

from mandoline_core.paper.worlds import World, WorldRows, potentials, random_world

__all__ = ["World", "WorldRows", "potentials", "random_world"]
