"""The folder of a model: what can be said of it without reading it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from mandoline_core.errors import MandolineError, ProjectError

INSTALL = "pip install 'mandoline-estimator[transformers]'"
_WEIGHTS = ("*.safetensors", "*.bin")


def check_installed() -> None:
    """Refuse to go on without PyTorch and Transformers; this does not import them."""
    missing = [
        name for name, module in {"PyTorch": "torch", "Transformers": "transformers"}.items() if not _has(module)
    ]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise MandolineError(f"Fine-tuning needs {' and '.join(missing)}, which {are} not installed. Run: {INSTALL}.")


def _has(module: str) -> bool:
    return find_spec(module) is not None


def check_folder(folder: Path) -> None:
    """Refuse what is no folder of a Hugging Face model: nothing is ever fetched from elsewhere.

    Examples
    --------
    >>> check_folder(Path("bert-base-uncased"))
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: There is no folder bert-base-uncased. Set transformer in [methods] to the folder
    of a Hugging Face model on this machine; none is downloaded.
    """
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.is_file() else ""
        said = f"{folder} {what}" if what else f"There is no folder {folder}"
        raise ProjectError(
            f"{said}. Set transformer in [methods] to the folder of a Hugging Face model on this machine; none is "
            "downloaded."
        )
    if not (folder / "config.json").is_file():
        raise ProjectError(
            f"{folder} has no config.json, so it is not the folder of a Hugging Face model. Set transformer in "
            "[methods] to a folder that save_pretrained wrote."
        )
    if not any(next(folder.glob(pattern), None) for pattern in _WEIGHTS):
        raise ProjectError(
            f"{folder} has no weights, which are in model.safetensors or pytorch_model.bin. Copy the whole model there."
        )


def state_of(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Tell one state of a folder from another by the names, sizes and times of its files."""
    found = ((path.name, path.stat()) for path in sorted(folder.iterdir()) if path.is_file())
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in found)
