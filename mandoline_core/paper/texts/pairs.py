"""Premise and hypothesis by grammar: entailment, neutral or contradiction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mandoline_core.paper.texts.domains import EVERYDAY, Choice, Domain
from mandoline_core.paper.texts.draws import Draws

RELATIONS = ("entailment", "neutral", "contradiction")
_DOUBTS = (
    "{other} near {told}", "perhaps {told}", "if {told}, {also}", "{told}, or {also}", "some hoped {told}",
    "maybe {told}", "unless {told}, {also}",
)  # fmt: skip


@dataclass(frozen=True)
class _Scene:
    """Hold what a premise says."""

    subject: Choice
    action: Choice
    place: Choice
    detail: str


def write_pairs(domains: Sequence[Domain], n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Write pairs, as many of each domain and of each relation.

    Returns
    -------
    pandas.DataFrame
        Columns premise, hypothesis, label, domain.

    Examples
    --------
    >>> from mandoline_core.paper.texts.domains import CAPTIONS
    >>> pairs = write_pairs([CAPTIONS], 300, np.random.default_rng(0))
    >>> list(pairs.columns), pairs["label"].nunique()
    (['premise', 'hypothesis', 'label', 'domain'], 3)
    """
    draws = Draws(rng)
    rows = []
    for number in range(n):
        domain = domains[number % len(domains)]
        relation = draws.one_of(RELATIONS)
        premise, hypothesis, relation = _write_pair(domain, relation, draws)
        if draws.chance(domain.noise) and not _repeats(premise, hypothesis):
            relation = draws.one_of([other for other in RELATIONS if other != relation])
        rows.append((premise, hypothesis, relation, domain.name))
    return pd.DataFrame(rows, columns=["premise", "hypothesis", "label", "domain"])


def _write_pair(domain: Domain, relation: str, draws: Draws) -> tuple[str, str, str]:
    scene, other = _scene(domain, draws), _scene(domain, draws)
    told = _tell(scene.subject[0], scene.action[0], scene.place[0], scene.detail)
    also = _tell(other.subject[0], other.action[0], other.place[0], "")
    opener = draws.one_of(domain.openers)
    if draws.chance(domain.doubtful):
        premise = draws.one_of(_DOUBTS).format(other=other.subject[0], told=told, also=also)
        return _sentence(premise), _sentence(_tell(scene.subject[0], scene.action[0], "", "")), "neutral"
    if draws.chance(domain.long):
        told = f"{told}, and {also}"
    return _sentence(f"{opener} {told}".strip()), _sentence(_HOW[relation](domain, scene, draws)), relation


def _scene(domain: Domain, draws: Draws) -> _Scene:
    words = [EVERYDAY if draws.chance(domain.everyday) else domain for _ in range(4)]
    return _Scene(
        draws.one_of(words[0].subjects),
        draws.one_of(words[1].actions),
        draws.one_of(words[2].places),
        draws.one_of(words[3].details) if draws.chance(0.7) else "",
    )


def _follow(domain: Domain, scene: _Scene, draws: Draws) -> str:
    """Say less: leave words out, or take wider ones."""
    if draws.chance(domain.plain):
        return _tell(scene.subject[0], scene.action[0], scene.place[0] if draws.chance(0.4) else "", "")
    wider = [draws.chance(0.6) for _ in range(3)]
    return _tell(
        scene.subject[wider[0]], scene.action[wider[1]], scene.place[wider[2]] if draws.chance(0.5) else "", ""
    )


def _guess(domain: Domain, scene: _Scene, draws: Draws) -> str:
    """Say something more that may or may not be."""
    wider = [draws.chance(0.4) for _ in range(2)]
    guess = draws.one_of((EVERYDAY if draws.chance(domain.everyday) else domain).guesses)
    if draws.chance(0.25):  # another scene altogether: related, not ruled out
        return _tell(scene.subject[wider[0]], draws.one_of(domain.actions)[0], "", guess)
    return _tell(scene.subject[wider[0]], scene.action[wider[1]], scene.place[0] if draws.chance(0.3) else "", guess)


def _contradict(domain: Domain, scene: _Scene, draws: Draws) -> str:
    """Say something that the premise rules out."""
    way = draws.uniform()
    if way < 0.2:
        return domain.negation.format(subject=scene.subject[0], action=scene.action[0])
    if way < 0.65:
        return _tell(scene.subject[draws.chance(0.4)], scene.action[2], "", "")
    if way < 0.85:
        return _tell(scene.subject[draws.chance(0.4)], scene.action[draws.chance(0.4)], scene.place[2], "")
    return _tell(scene.subject[2], scene.action[0], scene.place[0], "")


_HOW = {"entailment": _follow, "neutral": _guess, "contradiction": _contradict}


def _repeats(premise: str, hypothesis: str) -> bool:
    """Tell whether every word of the hypothesis is in the premise."""
    return set(hypothesis.lower().rstrip(".").split()) <= set(premise.lower().rstrip(".").split())


def _tell(subject: str, action: str, place: str, detail: str) -> str:
    verb = "are" if subject.split()[0] in ("two", "people") else "is"
    return " ".join(part for part in (subject, verb, action, place, detail) if part)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
