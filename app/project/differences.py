"""How two versions of a project differ: in words for people, and place by place where two edits meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from app.words import corrections
from mandoline_core import Correction, Noise, Project, Slice
from mandoline_core.formatting import counted, listed, show_percent
from mandoline_core.report.words import title_of
from mandoline_core.slices import ANSWERS

Place = tuple[str, ...]

_PLAIN = (
    "name",
    "note",
    "label",
    "source_path",
    "target_path",
    "target_labels",
    "target_key",
    "source_group",
    "target_group",
)
_SETTINGS = ("metric", "estimator", "methods", "trust", "decision", "source_types", "target_types")
_WORDS = {
    "name": "project name",
    "note": "project note",
    "label": "label column",
    "source_path": "labelled data",
    "target_path": "new data",
    "target_labels": "labels of the new data",
    "target_key": "key of the labels",
    "source_group": "group of the labelled data",
    "target_group": "group of the new data",
    "source_types": "column types of the labelled data",
    "target_types": "column types of the new data",
    "metric": "metric",
    "estimator": "estimator settings",
    "methods": "method settings",
    "trust": "irrelevant columns",
    "decision": "decision",
    "edges": "pairs of slices",
}


@dataclass(frozen=True)
class Change:
    """Hold one difference between two versions.

    Parameters
    ----------
    part : str
        "Slices", "Corrections", "Pairs" or "Settings".
    name : str
        What differs: a slice, a pair, a setting.
    before, after : str
        Its value in each version, in words; empty where it is not there.
    """

    part: str
    name: str
    before: str
    after: str

    @property
    def how(self) -> str:
        """Whether it was added, removed or changed."""
        return "added" if not self.before else "removed" if not self.after else "changed"


def compare(before: Project, after: Project) -> tuple[Change, ...]:
    """List the differences between two versions: slices first, then corrections, pairs and settings.

    Examples
    --------
    >>> from mandoline_core import Keyword, Model
    >>> model = Model("lr", "pred")
    >>> first = Project(name="a", source_path="a.csv", target_path="b.csv", label="y", models=(model,))
    >>> second = replace(first, slices=(Keyword("slang", column="text", words=("lol",)),))
    >>> [(one.part, one.name, one.how) for one in compare(first, second)]
    [('Slices', 'slang', 'added')]
    """
    parts = (_slices, _corrections, _pairs, _settings, _declarations)
    return tuple(found for part in parts for found in part(before, after))


def lost(seen: Project, now: Project, mine: Project) -> str:
    """Name what someone else changed since the page was drawn, and what this edit would put back; or nothing.

    Parameters
    ----------
    seen : Project
        What the person looked at.
    now : Project
        What it has become in the meantime.
    mine : Project
        The person's edit, made on what it has become.
    """
    old, new, wanted = _places(seen), _places(now), _places(mine)
    renamed = _renamed(now, mine)
    for place in {**old, **new}:
        if old.get(place) == new.get(place) and (place in old) == (place in new):
            continue
        moved = tuple(renamed.get(part, part) for part in place)
        moved = (place[0], *sorted(moved[1:])) if place[0] == "edges" else moved
        if wanted.get(moved) != new.get(place):
            return _say(place)
    return ""


def _say(place: Place) -> str:
    if place[0] == "slices":
        return f"slice {place[1]!r}"
    return f"model {place[1]!r}" if place[0] == "models" else _WORDS[place[0]]


def _places(project: Project) -> dict[Place, Any]:
    """Take a project apart. The order of its slices is no place: adding or moving one changes it."""
    found: dict[Place, Any] = {(key,): getattr(project, key) for key in _PLAIN}
    for key in _SETTINGS:
        found.update(_apart((key,), getattr(project, key)))
    for model in project.models:
        found.update(_apart(("models", model.name), model))
    for rule in project.slices:
        noise = rule.noise or Noise()
        # No corrections say the same as corrections that change nothing, which one may move one by one.
        full = replace(noise, source=noise.source or (None if noise.measured else Correction()))
        found["slices", rule.name, "kind"] = rule.kind
        found.update(_apart(("slices", rule.name), replace(rule, noise=full, audit=None)))
        found.update(_answers(rule))
    edges = project.edges
    found["edges",] = edges if isinstance(edges, str) else ""
    for pair in () if isinstance(edges, str) else edges:
        found["edges", *sorted(pair)] = True
    return found


def _answers(rule: Slice) -> Iterator[tuple[Place, Any]]:
    """Give each answer about a row a place of its own: two people may audit one slice."""
    for side, answers in () if rule.audit is None else (("source", rule.audit.source), ("target", rule.audit.target)):
        for answer in ANSWERS:
            yield from ((("slices", rule.name, "audit", side, key), answer) for key in getattr(answers, answer))


def _apart(place: Place, value: Any) -> Iterator[tuple[Place, Any]]:
    if is_dataclass(value):
        for item in fields(value):
            yield from _apart((*place, item.name), getattr(value, item.name))
    elif isinstance(value, Mapping) and value:
        for key, one in value.items():
            yield from _apart((*place, str(key)), one)
    elif not (place[0] == "slices" and place[2:] == ("name",)):
        yield place, value


def _renamed(before: Project, after: Project) -> dict[str, str]:
    """Find slices that have another name and are the same otherwise."""
    old, new = ({rule.name: rule for rule in project.slices} for project in (before, after))
    gone = [rule for name, rule in old.items() if name not in new]
    come = [rule for name, rule in new.items() if name not in old]
    return {
        rule.name: other.name
        for rule in gone
        for other in come
        if type(rule) is type(other) and replace(rule, name=other.name) == other
    }


def _slices(before: Project, after: Project) -> Iterator[Change]:
    old, new = ({rule.name: rule for rule in project.slices} for project in (before, after))
    renamed = _renamed(before, after)
    for name, rule in old.items():
        if name in renamed:
            yield Change("Slices", name, f"name {name}", f"name {renamed[name]}")
        elif name not in new:
            yield Change("Slices", name, _rule(rule), "")
        else:
            # Words that leave digits or values out may be the same for two rules.
            full = rule.key != new[name].key and rule.describe() == new[name].describe()
            old_words, new_words = (_rule(one, full=full) for one in (rule, new[name]))
            if old_words != new_words:
                yield Change("Slices", name, old_words, new_words)
    for name, rule in new.items():
        if name not in old and name not in renamed.values():
            yield Change("Slices", name, "", _rule(rule))
    shared = [[name for name in one if name in old and name in new] for one in (old, new)]
    if shared[0] != shared[1]:
        yield Change("Slices", "order", *(listed(one, most=50) for one in shared))


def _rule(rule: Slice, *, full: bool = False) -> str:
    off = "" if rule.enabled else " (off)"
    note = f". Note: {rule.note}" if rule.note else ""
    gold = f", gold column {rule.gold}" if rule.gold else ""
    n = 0 if rule.audit is None else len(rule.audit.source) + len(rule.audit.target)
    audit = f", {counted(n, 'row')} audited" if n else ""
    return f"{rule.in_full if full else rule.describe()}{gold}{audit}{off}{note}"


def _corrections(before: Project, after: Project) -> Iterator[Change]:
    old, new = ({rule.name: rule.noise for rule in project.slices} for project in (before, after))
    for name in old:
        if name in new and old[name] != new[name]:
            yield Change("Corrections", name, _noise(old[name]), _noise(new[name]))


def _noise(noise: Noise | None) -> str:
    if noise is None:
        return "exact"
    source = "measured" if noise.measured else _matrix(noise.source or Correction())
    target = "the same" if noise.same else "derived" if noise.target is None else _matrix(noise.target)
    target = "measured" if noise.target_measured else target
    return f"{source}; new data: {target}"


def _matrix(one: Correction) -> str:
    said = f"truly in the slice: {show_percent(one.inside)} of its yes, {show_percent(one.outside)} of its no"
    return said if one.abstain is None else f"{said}, {show_percent(one.abstain)} where it abstains"


def _pairs(before: Project, after: Project) -> Iterator[Change]:
    ways = [corrections.chosen_how(project.edges) for project in (before, after)]
    if ways[0] != ways[1]:
        yield Change("Pairs", "pairs", *ways)
    old, new = (
        {} if isinstance(project.edges, str) else {" and ".join(sorted(pair)): None for pair in project.edges}
        for project in (before, after)
    )
    for name in old | new:
        if (name in old) != (name in new):
            yield Change("Pairs", name, "in use" if name in old else "", "in use" if name in new else "")


def _settings(before: Project, after: Project) -> Iterator[Change]:
    old, new = _places(before), _places(after)
    for place in old | new:
        if place[0] not in ("slices", "edges", "trust") and old.get(place) != new.get(place):
            name = _WORDS.get(place[0], place[0]) if len(place) == 1 else " ".join(place).replace("_", " ")
            if place[0] in ("source_types", "target_types"):
                name = f"type of {' '.join(place[1:])} ({'new' if place[0] == 'target_types' else 'labelled'} data)"
            yield Change("Settings", name, _setting(place, old.get(place)), _setting(place, new.get(place)))


def _declarations(before: Project, after: Project) -> Iterator[Change]:
    old, new = (project.trust.harmless for project in (before, after))
    for column in {**old, **new}:
        said = [f"irrelevant: {one[column] or 'no reason'}" if column in one else "" for one in (old, new)]
        if said[0] != said[1]:
            yield Change("Settings", f"column {column}", *said)


def _setting(place: Place, value: Any) -> str:
    if place[0].endswith("_path"):
        return "other files"  # they go by what their content is, which says nothing to people
    if place == ("estimator", "name"):
        return title_of(value)
    return "" if value is None else listed(value) if isinstance(value, (tuple, list)) else str(value)
