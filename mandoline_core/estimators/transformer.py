"""Transformers: a model from a folder is fine-tuned as a domain classifier; only this module uses PyTorch."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError, ProjectError

INSTALL = "pip install 'mandoline-estimator[transformers]'"
_WEIGHTS = ("*.safetensors", "*.bin")
MOST_TOKENS = 256  # of a row: what comes later is not read
_KEPT = 2  # places that models of RoBERTa's kind do not give to tokens
_LONGEST_GRADIENT = 1.0
_SCORED_AT_ONCE = 4  # batches: without gradients there is more room
_LONGEST_REASON = 200  # characters of another library's message
_WHOLE = "Set transformer in [methods] to the complete folder of a text model."
_ALONE = threading.Lock()  # random numbers and threads are PyTorch's, and there is one of each
Score = Callable[[Index], Floats]
Step = Callable[[str, float], None]
Texts = tuple[list[str], ...]  # one list a column, of as many texts as there are rows


def check_installed() -> None:
    """Check that PyTorch and Transformers are installed, without importing them."""
    libraries = {"PyTorch": "torch", "Transformers": "transformers"}
    missing = [name for name, module in libraries.items() if find_spec(module) is None]
    if missing:
        raise MandolineError(f"Fine-tuning needs {' and '.join(missing)}. Run: {INSTALL}.")


def check_folder(folder: Path) -> None:
    """Refuse a folder without a Hugging Face model; nothing is downloaded.

    Examples
    --------
    >>> check_folder(Path("bert-base-uncased"))
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: There is no folder bert-base-uncased. Set transformer in [methods] to the folder
    of a Hugging Face model. Models are not downloaded.
    """
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.is_file() else ""
        problem = f"{folder} {what}" if what else f"There is no folder {folder}"
        raise ProjectError(
            f"{problem}. Set transformer in [methods] to the folder of a Hugging Face model. Models are not downloaded."
        )
    if not (folder / "config.json").is_file():
        raise ProjectError(
            f"{folder} has no config.json. "
            "Set transformer in [methods] to a folder written by save_pretrained of Hugging Face."
        )
    if not any(next(folder.glob(pattern), None) for pattern in _WEIGHTS):
        raise ProjectError(
            f"{folder} has no weights (model.safetensors or pytorch_model.bin). Copy the complete model there."
        )


def state_of(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Tell one state of a folder from another by the names, sizes and times of its files."""
    files = ((path.name, path.stat()) for path in sorted(folder.iterdir()) if path.is_file())
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in files)


@dataclass(frozen=True)
class Tuning:
    """Say how a model is fine-tuned; as in MethodSettings."""

    folder: Path
    epochs: int
    batch_size: int
    learning_rate: float
    folds: int
    seed: int


class Trainer:
    """Fine-tune the model of a folder to rows whose texts are read once.

    Parameters
    ----------
    texts : tuple of lists of str
        One list a column. A model that knows pairs gets the first column, and the others as its partner.
    step : callable
        Called at every step with what is being done and the share done of all folds; may raise to stop.
    """

    def __init__(self, tuning: Tuning, texts: Texts, step: Step) -> None:
        self._tuning, self._step = tuning, step
        self._device = _device()
        self._tokenizer = _load_tokenizer(tuning.folder)
        self._tokens = self._read(texts)

    def _read(self, texts: Texts) -> list[dict[str, Any]]:
        tokenizer = self._tokenizer
        first, *others = texts
        between = f" {tokenizer.sep_token} " if tokenizer.sep_token else "\n"
        pair = [between.join(texts_of_row) for texts_of_row in zip(*others, strict=True)] if others else None
        most = min(MOST_TOKENS, tokenizer.model_max_length, _most_places(self._tuning.folder))
        tokens = tokenizer(first, pair, truncation=True, max_length=most)
        return [{key: values[row] for key, values in tokens.items()} for row in range(len(first))]

    def fit(self, number: int, rows: Index, new: Floats) -> Score:
        """Fine-tune to some rows, both samples counting the same, and return what scores others: logits apart.

        Parameters
        ----------
        number : int
            Of the fold.
        new : array of float, shape (n_rows,)
            1 for rows of the target, 0 for the source's.
        """
        import torch

        tuning = self._tuning
        rng = np.random.default_rng((tuning.seed, number))
        torch.manual_seed(int(rng.integers(2**31)))
        model = _load_model(tuning.folder, self._tokenizer).to(self._device)
        weights = np.where(new > 0, 0.5 / new.mean(), 0.5 / (1 - new.mean()))
        batches = [
            some
            for _ in range(tuning.epochs)
            for some in np.array_split(rng.permutation(len(rows)), -(-len(rows) // tuning.batch_size))
        ]
        optimizer = torch.optim.AdamW(model.parameters(), lr=tuning.learning_rate, weight_decay=0.0)
        model.train()
        for done, some in enumerate(batches):
            self._tell(number, done / len(batches))
            for group in optimizer.param_groups:
                group["lr"] = tuning.learning_rate * (1 - done / len(batches))
            logits = model(**self._batch(rows[some])).logits
            truth = torch.tensor(new[some], dtype=torch.long, device=self._device)
            losses = torch.nn.functional.cross_entropy(logits.float(), truth, reduction="none")
            (losses * torch.tensor(weights[some], dtype=losses.dtype, device=self._device)).mean().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), _LONGEST_GRADIENT)
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        return lambda asked: self._score(number, model, asked)

    def _score(self, number: int, model: Any, rows: Index) -> Floats:
        import torch

        order = np.argsort([len(self._tokens[row]["input_ids"]) for row in rows], kind="stable")
        scores = np.empty(len(rows))
        size = _SCORED_AT_ONCE * self._tuning.batch_size
        with torch.inference_mode():
            for some in np.array_split(order, -(-len(rows) // size)):
                self._tell(number, 1.0)
                logits = model(**self._batch(rows[some])).logits.double().cpu().numpy()
                scores[some] = logits[:, 1] - logits[:, 0]
        if not np.isfinite(scores).all():
            raise MandolineError("Fine-tuning diverged. Lower learning_rate in [methods].")
        return scores

    def _batch(self, rows: Index) -> Any:
        some = [self._tokens[row] for row in rows]
        return self._tokenizer.pad(some, return_tensors="pt").to(self._device)

    def _tell(self, number: int, share: float) -> None:
        folds = self._tuning.folds
        self._step(f"fold {number + 1} of {folds}", (number + share) / folds)


@contextmanager
def alone(step: Callable[[], None]) -> Iterator[None]:
    """Have PyTorch to ourselves: quiet, on all cores whatever others limit, repeatable, and as it was afterwards.

    Parameters
    ----------
    step : callable
        Called while another fit is at work; may raise to stop waiting.
    """
    while not _ALONE.acquire(timeout=0.2):
        step()
    try:
        import torch
        from transformers.utils import logging

        threads, verbosity, bars = torch.get_num_threads(), logging.get_verbosity(), logging.is_progress_bar_enabled()
        strict = torch.are_deterministic_algorithms_enabled()
        torch.set_num_threads(_cores())
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        torch.use_deterministic_algorithms(_device() == "cpu")
        try:
            with torch.random.fork_rng([torch.cuda.current_device()] if _device() == "cuda" else []):
                yield
        except torch.OutOfMemoryError:
            raise MandolineError("The GPU is out of memory. Lower batch_size in [methods].") from None
        finally:
            torch.set_num_threads(threads)
            logging.set_verbosity(verbosity)
            torch.use_deterministic_algorithms(strict)
            if bars:
                logging.enable_progress_bar()
    finally:
        _ALONE.release()


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _cores() -> int:
    """Return how many threads to use: always as many, since sums depend on how they are cut up."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _load_tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    with _loading(folder):
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if len(tokenizer) <= len(tokenizer.all_special_ids):
        raise ProjectError(f"The tokenizer in {folder} has no vocabulary. {_WHOLE}")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.pad_token is None:
        raise ProjectError(f"The tokenizer in {folder} has no padding token. Use another model.")
    return tokenizer


def _load_model(folder: Path, tokenizer: Any) -> Any:
    """Load the model with a new head of two classes; one that the folder has for other classes is left out."""
    import torch
    from transformers import AutoModelForSequenceClassification

    with _loading(folder):
        model, loaded = AutoModelForSequenceClassification.from_pretrained(
            folder,
            local_files_only=True,
            num_labels=2,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
            dtype=torch.float32,  # small steps would be lost in the half precision that many models are kept in
        )
    missing, other = (_body(loaded[key], model) for key in ("missing_keys", "mismatched_keys"))
    # A head, and what a model for other uses has before it, may be new; the most of it may not.
    if other or 2 * len(missing) > len(_body(model.state_dict(), model)):
        raise ProjectError(f"The weights in {folder} do not match its config.json. {_WHOLE}")
    if model.get_input_embeddings().num_embeddings < len(tokenizer):
        raise ProjectError(f"The tokenizer in {folder} has a larger vocabulary than the model. {_WHOLE}")
    if model.config.pad_token_id is None:
        model.config.pad_token_id = tokenizer.pad_token_id
    return model


def _body(keys: Iterable[Any], model: Any) -> list[str]:
    """Name the parts of a model that are not its head; what does not fit is listed with its sizes."""
    names = (key if isinstance(key, str) else key[0] for key in keys)
    return [name for name in names if name.startswith(f"{model.base_model_prefix}.")]


def _most_places(folder: Path) -> int:
    from transformers import AutoConfig

    with _loading(folder):
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
    places = getattr(config, "max_position_embeddings", None)
    return MOST_TOKENS if places is None else max(int(places) - _KEPT, 1)


@contextmanager
def _loading(folder: Path) -> Iterator[None]:
    """Say in one sentence why a model cannot be loaded."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  a folder may be broken in any way, and each library has its own errors
        lines = str(error).strip().splitlines() or [""]
        reason = lines[0].split(". ")[0].rstrip(".")[:_LONGEST_REASON]
        why = reason if " " in reason else f"{type(error).__name__} {reason}".rstrip()
        raise ProjectError(f"The model in {folder} cannot be loaded: {why}. {_WHOLE}") from None
