"""A tiny BERT with a vocabulary of its own, and rows of text whose truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from transformers import BertConfig, BertModel, BertTokenizer
from transformers.utils import logging

import mandoline_core as md
from mandoline_core.project import MethodSettings

N_WORDS = 60
WORDS = [f"word{number}" for number in range(N_WORDS)]
PLAIN, CHATTY = WORDS[:30], WORDS[30:]
RIGHT = {False: 0.9, True: 0.6}  # how often the model is right on plain rows, and on chatty ones
SHARES = (0.2, 0.7)  # of chatty rows, in the source and in the target
TUNING: dict[str, Any] = {"epochs": 2, "batch_size": 16, "learning_rate": 2e-3, "folds": 4}


def write_model(folder: Path, **config: Any) -> Path:
    """Write a BERT of one layer that has learned nothing, with its tokenizer, into a folder."""
    folder.mkdir(parents=True)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    settings = {"vocab_size": len(vocabulary), "max_position_embeddings": 64} | sizes | config
    logging.disable_progress_bar()
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        BertModel(BertConfig(**settings)).save_pretrained(folder)
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    logging.enable_progress_bar()
    return folder


def draw(seed: int, n: int, share: float) -> pd.DataFrame:
    """Draw rows, some of them chatty: other words, and the model is right less often."""
    rng = np.random.default_rng(seed)
    chatty = rng.random(n) < share
    texts = [" ".join(rng.choice(CHATTY if one else PLAIN, 8)) for one in chatty]
    right = rng.random(n) < np.where(chatty, RIGHT[True], RIGHT[False])
    return pd.DataFrame({"text": texts, "chatty": chatty, "label": 1, "pred": right.astype(int)})


def truth() -> float:
    """Compute how often the model is right on the target, were there no luck."""
    return SHARES[1] * RIGHT[True] + (1 - SHARES[1]) * RIGHT[False]


def world(seed: int, n: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw a source and a target with more chatty rows."""
    return draw(2 * seed, n, SHARES[0]), draw(2 * seed + 1, n, SHARES[1])


def samples(source: pd.DataFrame, target: pd.DataFrame) -> tuple[md.Sample, md.Sample]:
    """Make new samples, which nothing was computed of yet."""
    known = md.Sample(source, label="label", prediction="pred", name="source.csv")
    return known, md.Sample(target.drop(columns="label"), models=known.models, name="target.csv")


def methods(folder: Path, **settings: Any) -> MethodSettings:
    """Say how the tiny model is to be fine-tuned."""
    return MethodSettings(transformer=str(folder), **(TUNING | settings))


def entry(folder: Path, frames: tuple[pd.DataFrame, pd.DataFrame], *, seed: int = 0, **settings: Any) -> Any:
    """Return what the method says of the only model of two frames."""
    found = md.compare(
        *samples(*frames), [], estimators=["cbiw_finetuned"], methods=methods(folder, **settings), seed=seed
    )
    return found.models["model"].entries["cbiw_finetuned"]
