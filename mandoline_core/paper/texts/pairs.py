"""Sentence pairs by grammar: captions of pictures, as in SNLI, five other kinds of text, as in MultiNLI; and HANS.

A genre has its own words for who does what and where, each with a wider word that follows from it and another that
contradicts it. Half of the words of the other genres are everyday words, which captions have, too; the rest is their
own. Thirty templates stand in for HANS: three heuristics that a model may have fallen for (lexical overlap,
subsequence, constituent), five ways each in which the second sentence follows from the first, and five in which it
does not, although it repeats every word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from mandoline_core.paper.texts.grammar import WORDS, Draws, capitalise

RELATIONS = ("entailment", "neutral", "contradiction")
_DOUBTS = (
    "{other} near {told}", "perhaps {told}", "if {told}, {also}", "{told}, or {also}", "some hoped {told}",
    "maybe {told}", "unless {told}, {also}",
)  # fmt: skip
_NOISE = 0.08  # about as many people as disagree with the label of a pair, in SNLI and in MultiNLI alike
_CAST, _TEMPLATES = WORDS["cast"], WORDS["templates"]
HEURISTICS = tuple(_TEMPLATES)

Choice = tuple[str, str, str]  # what is said, something wider that follows from it, something it rules out


@dataclass(frozen=True)
class Genre:
    """Hold the words of one kind of text, and how its pairs are made.

    Parameters
    ----------
    subjects, actions, places : list of triples
        What the first sentence says, a wider word for it, and one that it rules out.
    details : list of str
        What may be added to a first sentence, and dropped from the second.
    guesses : list of str
        What may be added to a second sentence that does not follow.
    openers : list of str
        How a sentence begins; "" for no words.
    negation : str
        How the genre says that something is not so; {subject} and {action}.
    plain : float
        The share of second sentences made in the plainest way: by leaving words out where they follow.
    long : float
        The share of first sentences that tell of two things.
    everyday : float
        How often a word is one that captions have, too.
    doubtful : float
        The share of pairs that repeat the first sentence's words, and do not follow: it was only perhaps so.
    """

    name: str
    subjects: list[Choice]
    actions: list[Choice]
    places: list[Choice]
    details: list[str]
    guesses: list[str]
    openers: list[str]
    negation: str
    plain: float
    long: float
    everyday: float
    doubtful: float


CAPTIONS, *_OTHERS = (Genre(name, **words) for name, words in WORDS["genres"].items())
GENRES = tuple(_OTHERS)
_SHARED = ("subjects", "actions", "places", "details", "guesses")
# What captions share with other kinds of text: about half of their words.
EVERYDAY = replace(CAPTIONS, name="everyday", **{field: getattr(CAPTIONS, field)[::2] for field in _SHARED})


_Scene = tuple[Choice, Choice, Choice, str]  # subject, action, place and detail of a premise


def write_pairs(genres: Sequence[Genre], n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Write pairs, as many of each genre and of each relation.

    Returns
    -------
    pandas.DataFrame
        Columns premise, hypothesis, label, domain.

    Examples
    --------
    >>> pairs = write_pairs([CAPTIONS], 300, np.random.default_rng(0))
    >>> list(pairs.columns), pairs["label"].nunique()
    (['premise', 'hypothesis', 'label', 'domain'], 3)
    """
    draws = Draws(rng)
    rows = []
    for number in range(n):
        genre = genres[number % len(genres)]
        relation = draws.one_of(RELATIONS)
        premise, hypothesis, relation = _write_pair(genre, relation, draws)
        first, second = (set(sentence.lower().rstrip(".").split()) for sentence in (premise, hypothesis))
        if draws.flip(_NOISE) and not second <= first:  # where all words are repeated, people agree
            relation = draws.one_of([other for other in RELATIONS if other != relation])
        rows.append((premise, hypothesis, relation, genre.name))
    return pd.DataFrame(rows, columns=["premise", "hypothesis", "label", "domain"])


def _write_pair(genre: Genre, relation: str, draws: Draws) -> tuple[str, str, str]:
    scene, other = _scene(genre, draws), _scene(genre, draws)
    subject, action, place, detail = scene
    told = _tell(subject[0], action[0], place[0], detail)
    also = _tell(other[0][0], other[1][0], other[2][0], "")
    opener = draws.one_of(genre.openers)
    if draws.flip(genre.doubtful):
        premise = draws.one_of(_DOUBTS).format(other=other[0][0], told=told, also=also)
        return _sentence(premise), _sentence(_tell(subject[0], action[0], "", "")), "neutral"
    if draws.flip(genre.long):
        told = f"{told}, and {also}"
    return _sentence(f"{opener} {told}".strip()), _sentence(_HOW[relation](genre, scene, draws)), relation


def _scene(genre: Genre, draws: Draws) -> _Scene:
    words = [EVERYDAY if draws.flip(genre.everyday) else genre for _ in range(4)]
    return (
        draws.one_of(words[0].subjects),
        draws.one_of(words[1].actions),
        draws.one_of(words[2].places),
        draws.one_of(words[3].details) if draws.flip(0.7) else "",
    )


def _follow(genre: Genre, scene: _Scene, draws: Draws) -> str:
    """Say less: leave words out, or take wider ones."""
    subject, action, place, _ = scene
    if draws.flip(genre.plain):
        return _tell(subject[0], action[0], place[0] if draws.flip(0.4) else "", "")
    wider = [draws.flip(0.6) for _ in range(3)]
    return _tell(subject[wider[0]], action[wider[1]], place[wider[2]] if draws.flip(0.5) else "", "")


def _guess(genre: Genre, scene: _Scene, draws: Draws) -> str:
    """Say something more that may or may not be."""
    subject, action, place, _ = scene
    wider = [draws.flip(0.4) for _ in range(2)]
    guess = draws.one_of((EVERYDAY if draws.flip(genre.everyday) else genre).guesses)
    if draws.flip(0.25):  # another scene altogether: related, not ruled out
        return _tell(subject[wider[0]], draws.one_of(genre.actions)[0], "", guess)
    return _tell(subject[wider[0]], action[wider[1]], place[0] if draws.flip(0.3) else "", guess)


def _contradict(genre: Genre, scene: _Scene, draws: Draws) -> str:
    """Say something that the premise rules out."""
    subject, action, place, _ = scene
    way = draws.uniform()
    if way < 0.2:
        return genre.negation.format(subject=subject[0], action=action[0])
    if way < 0.65:
        return _tell(subject[draws.flip(0.4)], action[2], "", "")
    if way < 0.85:
        return _tell(subject[draws.flip(0.4)], action[draws.flip(0.4)], place[2], "")
    return _tell(subject[2], action[0], place[0], "")


_HOW = {"entailment": _follow, "neutral": _guess, "contradiction": _contradict}


def _tell(subject: str, action: str, place: str, detail: str) -> str:
    verb = "are" if subject.split()[0] in ("two", "people") else "is"
    return " ".join(part for part in (subject, verb, action, place, detail) if part)


def _sentence(words: str) -> str:
    return capitalise(f"{words}.")


class _Cast:
    """Draw what a template needs; every name once."""

    def __init__(self, draws: Draws) -> None:
        people = draws.some_of(_CAST["people"], 3)
        self.a, self.b, self.c = (f"the {name}{'s' if draws.flip(0.3) else ''}" for name in people)
        self.many = f"{people[0]}s"
        self.met, self.also = draws.some_of(_CAST["met"], 2)
        self.rested, self.then = draws.some_of(_CAST["rested"], 2)
        self.near = draws.one_of(_CAST["near"])
        self.heard, self.hoped, self.knew = (draws.one_of(_CAST[verbs]) for verbs in ("heard", "hoped", "knew"))
        self.kind, self.place, self.given = (draws.one_of(_CAST[words]) for words in ("kind", "places", "given"))
        self.maybe, self.surely = draws.one_of(_CAST["maybe"]), draws.one_of(_CAST["surely"])
        self.made, self.thing = draws.one_of(_CAST["made"])
        self.was = "were" if self.a.endswith("s") else "was"


def write_heuristics(each: int, rng: np.random.Generator) -> pd.DataFrame:
    """Write a number of pairs of each of the thirty templates, in random order.

    Returns
    -------
    pandas.DataFrame
        Columns premise, hypothesis, label ("entailment" or "non-entailment"), heuristic, template.

    Examples
    --------
    >>> pairs = write_heuristics(2, np.random.default_rng(0))
    >>> len(pairs), pairs["label"].value_counts().tolist(), pairs["heuristic"].nunique()
    (60, [30, 30], 3)
    """
    draws = Draws(rng)
    rows = []
    for heuristic, by_way in _TEMPLATES.items():
        for way, templates in by_way.items():
            label = "entailment" if way == "follows" else "non-entailment"
            for name, *sentences in templates:
                for _ in range(each):
                    cast = vars(_Cast(draws))
                    pair = [_sentence(sentence.format(**cast)) for sentence in sentences]
                    rows.append((*pair, label, heuristic, f"{heuristic}_{way}_{name}"))
    frame = pd.DataFrame(rows, columns=["premise", "hypothesis", "label", "heuristic", "template"])
    return frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)
