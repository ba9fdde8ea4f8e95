"""Class names: what to ask where two classes may be one, or where two spellings were taken for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import narwhals as nw

from mandoline_core.data import Model, Sample, class_name
from mandoline_core.findings import Finding
from mandoline_core.formatting import listed


def about_classes(source: Sample, model: Model | None, classes: Iterable[str]) -> Iterator[Finding]:
    """Ask about classes that differ in case or spaces alone, and report spellings that were matched as one class.

    Parameters
    ----------
    classes : iterable of str
        After merging; none where the metric is not about classes.
    """
    classes = tuple(classes)
    alike = [names for names in _groups(classes, lambda name: " ".join(name.split()).casefold()) if len(names) > 1]
    if alike:
        names = tuple(alike[0])
        more = f" So do {len(alike) - 1:,} more." if len(alike) > 1 else ""
        yield Finding(
            "rows",
            "classes_alike",
            "warning",
            f"Classes {listed(map(repr, names))} differ only in case or spaces, and count as different classes.{more}",
            "If they are the same class, merge them in [metric].",
            numbers={"classes": names, "n": len(alike)},
        )
    if classes and model is not None and source.label is not None and model.prediction is not None:
        yield from _merged(source, source.label, model.prediction)


def _merged(source: Sample, label: str, prediction: str) -> Iterator[Finding]:
    """Report spellings of a text column that are one number, as the other column holds numbers."""
    texts = [name for name in (label, prediction) if source.schema[name] == nw.String]
    if len(texts) != 1:
        return
    (column,) = texts
    values = [value for value in source.values(column).to_list() if isinstance(value, str)]
    names = next((tuple(found) for found in _groups(values, class_name) if len(found) > 1), None)
    if names is not None:
        yield Finding(
            "rows",
            "classes_merged",
            "warning",
            f"Values {listed(map(repr, names))} of {column!r} count as one class.",
            "Write labels and predictions as text if they are different classes.",
            f"The values of {(prediction if column == label else label)!r} are not text, so both are compared as "
            "numbers or true/false.",
            numbers={"column": column, "values": names},
        )


def _groups(names: Iterable[str], key: Callable[[str], str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name in sorted(set(names)):
        groups.setdefault(key(name), []).append(name)
    return list(groups.values())
