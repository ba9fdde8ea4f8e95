"""Sentence pairs that share every word: thirty templates, half of which follow and half of which do not.

They stand in for HANS: three heuristics that a model may have fallen for (lexical overlap, subsequence, constituent),
five ways each in which the second sentence follows from the first, and five in which it does not.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from mandoline_core.paper.texts.draws import Draws

HEURISTICS = ("lexical_overlap", "subsequence", "constituent")

_PEOPLE = (
    "baker", "painter", "pilot", "tailor", "singer", "farmer", "clerk", "dancer", "nurse", "sailor", "poet", "potter",
    "waiter", "guide", "editor", "usher", "weaver", "barber", "florist", "grocer",
)  # fmt: skip
_MET = ("thanked", "visited", "called", "helped", "greeted", "praised", "invited", "followed", "noticed", "joined")
_RESTED = ("danced", "slept", "arrived", "laughed", "waited", "sang", "rested", "travelled", "whispered", "smiled")
_HEARD = ("heard", "remembered", "noticed", "recalled")
_HOPED = ("hoped", "guessed", "suspected", "claimed")
_KNEW = ("knew", "forgot", "learned", "saw")
_NEAR = ("near", "beside", "behind", "by")
_KIND = ("happy", "quiet", "young", "famous", "gentle")
_MAYBE = ("Perhaps", "Maybe", "Possibly", "Supposedly")
_SURELY = ("Certainly", "Clearly", "Of course", "Luckily")
_MADE = (("painted", "the fence"), ("sketched", "the tower"), ("studied", "the map"), ("read", "the letter"))
_PLACES = ("in the garden", "at the station", "on the bridge", "in the library")
_GIVEN = ("paid", "taught", "sent the parcel", "offered the ticket")


class _Cast:
    """Draw what a template needs; every name once."""

    def __init__(self, draws: Draws) -> None:
        some = draws.some_of(_PEOPLE, 3)
        self.a, self.b, self.c = (f"the {name}{'s' if draws.chance(0.3) else ''}" for name in some)
        self.many = f"{some[0]}s"
        self.met, self.also = draws.some_of(_MET, 2)
        self.rested, self.then = draws.some_of(_RESTED, 2)
        self.near = draws.one_of(_NEAR)
        self.heard, self.hoped, self.knew = (draws.one_of(verbs) for verbs in (_HEARD, _HOPED, _KNEW))
        self.kind, self.place, self.given = (draws.one_of(words) for words in (_KIND, _PLACES, _GIVEN))
        self.maybe, self.surely = draws.one_of(_MAYBE), draws.one_of(_SURELY)
        self.made, self.thing = draws.one_of(_MADE)
        self.was = "were" if self.a.endswith("s") else "was"


# By heuristic, and whether the second sentence follows from the first; the words are those of a cast.
_TEMPLATES: dict[tuple[str, bool], tuple[tuple[str, str, str], ...]] = {
    ("lexical_overlap", False): (
        ("swapped", "{a} {met} {b}", "{b} {met} {a}"),
        ("preposition", "{a} {near} {b} {met} {c}", "{c} {met} {b}"),
        ("relative_clause", "{a} that {met} {b} {also} {c}", "{c} {met} {b}"),
        ("passive", "{a} {was} {met} by {b}", "{a} {met} {b}"),
        ("conjunction", "{a} {met} {b} and {c}", "{b} {met} {c}"),
    ),
    ("lexical_overlap", True): (
        ("relative_clause", "{a} that {b} {met} {rested}", "{b} {met} {a}"),
        ("around_preposition", "{a} {near} {b} {rested}", "{a} {rested}"),
        ("around_relative_clause", "{a} that {met} {b} {rested}", "{a} {rested}"),
        ("conjunction", "{a} {met} {b} and {c}", "{a} {met} {c}"),
        ("passive", "{a} {was} {met} by {b}", "{b} {met} {a}"),
    ),
    ("subsequence", False): (
        ("object_or_clause", "{a} {heard} {b} {rested}", "{a} {heard} {b}"),
        ("preposition", "{a} {near} {b} {rested}", "{b} {rested}"),
        ("relative_clause", "{a} that {met} {b} {rested}", "{b} {rested}"),
        ("participle", "{a} {given} {place} {rested}", "{a} {given} {place}"),
        ("clause_end", "while {a} {made} {b} {rested}", "{a} {made} {b}"),
    ),
    ("subsequence", True): (
        ("conjunction", "{a} and {b} {rested}", "{b} {rested}"),
        ("adjective", "{kind} {many} {rested}", "{many} {rested}"),
        ("understood_object", "{a} {made} {thing}", "{a} {made}"),
        ("relative_clause", "{a} {met} {b} that {rested}", "{a} {met} {b}"),
        ("preposition", "{a} {met} {b} {near} {c}", "{a} {met} {b}"),
    ),
    ("constituent", False): (
        ("under_if", "if {a} {rested}, {b} {then}", "{a} {rested}"),
        ("after_if", "if {a} {rested}, {b} {then}", "{b} {then}"),
        ("under_verb", "{a} {hoped} {b} {rested}", "{b} {rested}"),
        ("disjunction", "{a} {rested}, or {b} {then}", "{b} {then}"),
        ("adverb", "{maybe} {a} {rested}", "{a} {rested}"),
    ),
    ("constituent", True): (
        ("under_since", "since {a} {rested}, {b} {then}", "{a} {rested}"),
        ("after_since", "since {a} {rested}, {b} {then}", "{b} {then}"),
        ("under_verb", "{a} {knew} {b} {rested}", "{b} {rested}"),
        ("conjunction", "{a} {rested}, and {b} {then}", "{b} {then}"),
        ("adverb", "{surely} {a} {rested}", "{a} {rested}"),
    ),
}


def write_heuristics(each: int, rng: np.random.Generator) -> pd.DataFrame:
    """Write so many pairs of each of the thirty templates, in random order.

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
    for (heuristic, follows), templates in _TEMPLATES.items():
        label = "entailment" if follows else "non-entailment"
        for name, premise, hypothesis in templates:
            for _ in range(each):
                cast = vars(_Cast(draws))
                rows.append(
                    (
                        _sentence(premise.format(**cast)),
                        _sentence(hypothesis.format(**cast)),
                        label,
                        heuristic,
                        f"{heuristic}_{'follows' if follows else 'does_not'}_{name}",
                    )
                )
    frame = pd.DataFrame(rows, columns=["premise", "hypothesis", "label", "heuristic", "template"])
    return frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
