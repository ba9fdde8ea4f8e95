"""Folders that are no model, or half of one: a sentence each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2Model, PreTrainedTokenizerFast
from transformers.utils import logging

from tests.finetune.tiny import WORDS, draw, entry, world


def edit(folder: Path, **config: Any) -> None:
    """Change a model's config."""
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | config))


def forget_words(folder: Path) -> None:
    """Remove the tokenizer's files."""
    for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink(missing_ok=True)


def cut(folder: Path) -> None:
    """Cut the weights off in their middle."""
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:1000])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "config.json").unlink(), "has no config.json"),
        (lambda folder: (folder / "model.safetensors").unlink(), "has no weights"),
        (lambda folder: (folder / "config.json").write_text("{ this is"), "is not a valid JSON file"),
        (lambda folder: edit(folder, model_type="nonesuch"), "cannot be loaded: "),
        (lambda folder: edit(folder, model_type="clip"), "cannot be loaded: Unrecognized configuration class"),
        (lambda folder: edit(folder, model_type="distilbert"), "do not match its config.json"),
        (lambda folder: edit(folder, hidden_size=64), "do not match its config.json"),
        (cut, "cannot be loaded: "),
        (forget_words, "has no vocabulary"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "cannot be loaded: "),
        (shutil.rmtree, "There is no folder"),
    ],
    ids=[
        "no config",
        "no weights",
        "no JSON",
        "unknown kind",
        "reads no text",
        "other kind",
        "other sizes",
        "cut off",
        "no words",
        "no tokenizer",
        "no folder",
    ],
)
def test_a_broken_folder_is_a_sentence(
    folder: Path, tmp_path: Path, change: Callable[[Path], object], said: str
) -> None:
    """With the folder and what to do; other methods are not troubled."""
    broken = tmp_path / "model"
    shutil.copytree(folder, broken)
    change(broken)
    found = entry(broken, world(1, 40))
    assert not found.available
    assert said in found.reason
    assert str(broken) in found.reason
    assert "\n" not in found.reason
    assert found.reason.endswith(".")


def test_a_tokenizer_that_knows_more_words_than_the_model_is_refused(folder: Path, tmp_path: Path) -> None:
    """Else it would read beyond the model's table of words."""
    mixed = tmp_path / "model"
    shutil.copytree(folder, mixed)
    path = mixed / "tokenizer.json"
    content = json.loads(path.read_text())
    content["model"]["vocab"]["more"] = len(content["model"]["vocab"])
    path.write_text(json.dumps(content))
    assert "has a larger vocabulary than the model" in entry(mixed, world(1, 40)).reason


def test_a_steep_learning_rate_is_a_sentence(folder: Path) -> None:
    """What has run away is not calibrated into a number."""
    found = entry(folder, world(1, 40), learning_rate=1e30)
    assert found.reason == "Fine-tuning diverged. Lower learning_rate in [methods]."


def test_a_model_of_another_kind_without_a_token_to_fill_up_with_learns_too(tmp_path: Path) -> None:
    """GPT-2 reads from left to right and has no padding of its own; weights are kept in half precision."""
    words = {word: number for number, word in enumerate(["<unk>", "<end>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))  # noqa: S106  no password
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    config = GPT2Config(
        vocab_size=len(words), n_embd=32, n_layer=1, n_head=2, n_positions=64, bos_token_id=1, eos_token_id=1
    )
    logging.disable_progress_bar()
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        GPT2Model(config).half().save_pretrained(tmp_path)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", eos_token="<end>").save_pretrained(  # noqa: S106
        tmp_path
    )
    logging.enable_progress_bar()
    found = entry(tmp_path, (draw(1, 200, 0.0), draw(2, 200, 1.0)))
    (finding,) = [one for one in found.findings if one.code == "fine_tuned"]
    assert np.isfinite(found.estimate)
    assert finding.numbers["auc"] > 0.98
