"""Models: the columns of their predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mandoline_core.data.classes import class_name


class FrozenMapping(Mapping[str, Any]):
    """A mapping that cannot change, so that what holds it can be hashed.

    Examples
    --------
    >>> FrozenMapping({"a": "b"})["a"], hash(FrozenMapping()) == hash(FrozenMapping({}))
    ('b', True)
    """

    def __init__(self, items: Mapping[str, Any] | Iterable[tuple[str, Any]] = ()) -> None:
        self._items = dict(items)

    def __getitem__(self, key: str) -> Any:
        """Return the value of a key."""
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        """Go through the keys."""
        return iter(self._items)

    def __len__(self) -> int:
        """Count the keys."""
        return len(self._items)

    def __hash__(self) -> int:
        """Hash the pairs, whatever their order."""
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        """Look like a dictionary."""
        return repr(self._items)


@dataclass(frozen=True)
class Model:
    """Name the columns of a model's predictions.

    Parameters
    ----------
    name : str
        The model's name.
    prediction : str, optional
        The column of predicted classes. When left out, the most probable class.
    probabilities : mapping of str to str
        For each class, the column of its probability. Of two classes, one is enough.

    Examples
    --------
    >>> Model("lr", "pred_lr", {"no": "p_no", "yes": "p_yes"}).probabilities["yes"]
    'p_yes'
    """

    name: str
    prediction: str | None = None
    probabilities: Mapping[str, str] = field(default_factory=FrozenMapping)

    def __post_init__(self) -> None:
        """Freeze the probabilities."""
        classes: Mapping[Any, str] = self.probabilities
        pairs = ((key if isinstance(key, str) else class_name(key), classes[key]) for key in classes)
        object.__setattr__(self, "probabilities", FrozenMapping(pairs))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the model's predictions are in."""
        return (*(() if self.prediction is None else (self.prediction,)), *self.probabilities.values())
