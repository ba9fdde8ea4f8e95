"""Comments that mention groups of people: eight groups that overlap, keywords that mostly find them, two tones.

It stands in for the paper's comments on eight identities. The groups are pastimes and trades, and what is told
apart is whether somebody complains.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mandoline_core.paper.texts.grammar import WORDS, Draws, capitalise

TONES = ("calm", "complaint")


@dataclass(frozen=True)
class Group:
    """Say how a group is written about.

    Parameters
    ----------
    name : str
        What the group is called; its metadata column has this name.
    keywords : list of str
        Words to look for.
    named, hinted : list of str
        Ways to mention the group with one of the keywords, and without.
    lookalikes : list of str
        Sentences that hold a keyword and do not mention the group.
    blamed : float
        How much more often a comment on the group complains, in log odds.
    """

    name: str
    keywords: list[str]
    named: list[str]
    hinted: list[str]
    lookalikes: list[str]
    blamed: float


GROUPS = tuple(Group(**words) for words in WORDS["groups"])
NAMES = tuple(group.name for group in GROUPS)

# Themes bring groups together: of each hundred comments so many have it, and so often each group comes up in it.
_THEMES: tuple[tuple[int, Mapping[str, float]], ...] = (
    (50, {}),
    (18, {"cyclists": 0.6, "drivers": 0.6, "runners": 0.3, "students": 0.05}),
    (14, {"teachers": 0.6, "students": 0.7, "musicians": 0.15, "cooks": 0.05}),
    (10, {"gardeners": 0.7, "cooks": 0.4, "runners": 0.1}),
    (8, {"musicians": 0.7, "teachers": 0.15, "cooks": 0.2, "drivers": 0.1}),
)
_HUNDRED = tuple(often for share, often in _THEMES for _ in range(share))
_BY_THE_WAY = 0.01  # how often a group comes up that the theme has nothing to do with
_PARTS: dict[str, list[str]] = WORDS["comments"]
_BASE = -2.3  # log odds of a complaint where no group comes up
_HINTED = 0.14  # of mentions, without a keyword
_LOOKALIKE = 0.006  # of comments, for each group that is not mentioned
# How often a phrase tells nothing of the tone, or the opposite: at first, more for each group, more for two and more.
_UNCLEAR, _IRONIC = (0.25, 0.12, 0.10), (0.03, 0.03, 0.03)


def write_comments(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Write comments with their tone and, for each group, whether it is truly mentioned.

    Returns
    -------
    pandas.DataFrame
        Columns text, label, and one of 0 and 1 for each group.

    Examples
    --------
    >>> comments = write_comments(200, np.random.default_rng(0))
    >>> list(comments.columns[:3]), sorted(comments["label"].unique())
    (['text', 'label', 'cyclists'], ['calm', 'complaint'])
    """
    draws = Draws(rng)
    rows = []
    for _ in range(n):
        often = draws.one_of(_HUNDRED)
        mentioned = [group for group in GROUPS if draws.flip(often.get(group.name, _BY_THE_WAY))]
        odds = math.exp(_BASE + sum(group.blamed for group in mentioned))
        label = TONES[draws.flip(odds / (1 + odds))]
        rows.append((_write(mentioned, label, draws), label, *(int(group in mentioned) for group in GROUPS)))
    return pd.DataFrame(rows, columns=["text", "label", *NAMES])


def _write(mentioned: Sequence[Group], label: str, draws: Draws) -> str:
    """Write a sentence on every group, or on somebody else; the more groups, the less clear the tone."""
    met = (1, len(mentioned), len(mentioned) > 1)
    unclear, ironic = (sum(a * b for a, b in zip(rates, met, strict=True)) for rates in (_UNCLEAR, _IRONIC))
    subjects = [draws.one_of(group.hinted if draws.flip(_HINTED) else group.named) for group in mentioned]
    sentences = [
        _sentence(subject, label, unclear, ironic, draws) for subject in subjects or [draws.one_of(_PARTS["subjects"])]
    ]
    sentences += draws.some_of(_PARTS["fillers"], draws.between(0, 2))
    sentences += [
        draws.one_of(group.lookalikes) for group in GROUPS if group not in mentioned and draws.flip(_LOOKALIKE)
    ]
    return " ".join(draws.some_of(sentences, len(sentences)))


def _sentence(subject: str, label: str, unclear: float, ironic: float, draws: Draws) -> str:
    saying = draws.one_of(_PARTS["saying"])
    if draws.flip(unclear):
        cue = draws.one_of(_PARTS["vague"])
    else:
        cue = draws.one_of(_PARTS[TONES[label == "calm"] if draws.flip(ironic) else label])
    place, time = draws.one_of(_PARTS["places"]), draws.one_of(_PARTS["times"])
    return capitalise(saying.format(f"{subject} {cue} {place} {time}"))
