"""What these tests share: the folder of a tiny model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.finetune.tiny import write_model


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tiny BERT; nobody writes to it."""
    return write_model(tmp_path_factory.mktemp("models") / "tiny")
