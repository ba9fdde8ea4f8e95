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

from mandoline_core.paper.texts.draws import Draws

TONES = ("calm", "complaint")


@dataclass(frozen=True)
class Group:
    """Say how a group is written about.

    Parameters
    ----------
    name : str
        What the group is called; its metadata column has this name.
    keywords : tuple of str
        Words that a person would look for.
    named, hinted : tuple of str
        Ways to mention the group with one of the keywords, and without.
    lookalikes : tuple of str
        Sentences that hold a keyword and do not mention the group.
    blamed : float
        How much more often a comment on the group complains, in log odds.
    """

    name: str
    keywords: tuple[str, ...]
    named: tuple[str, ...]
    hinted: tuple[str, ...]
    lookalikes: tuple[str, ...]
    blamed: float


GROUPS: tuple[Group, ...] = (
    Group(
        "cyclists",
        ("cyclist", "cyclists", "bike", "bikes"),
        ("the cyclists", "a cyclist", "people on bikes", "the bike crowd"),
        ("people on two wheels", "the pedal club"),
        ("The bike shed was painted green.", "A bike rack stands by the door."),
        0.9,
    ),
    Group(
        "drivers",
        ("driver", "drivers", "motorists"),
        ("the drivers", "a driver", "motorists"),
        ("people behind the wheel", "whoever owns the parked car"),
        ("The printer driver was updated.", "He bought a screw driver."),
        0.7,
    ),
    Group(
        "runners",
        ("runner", "runners", "joggers"),
        ("the runners", "a runner", "joggers"),
        ("people training for the marathon", "the morning sprint club"),
        ("The table runner is made of linen.", "We planted runner beans."),
        0.2,
    ),
    Group(
        "teachers",
        ("teacher", "teachers", "tutors"),
        ("the teachers", "a teacher", "our tutors"),
        ("whoever marks the homework", "the staff in the classroom"),
        ("Experience is a patient teacher.", "The film about the dance teacher was sold out."),
        0.4,
    ),
    Group(
        "students",
        ("student", "students", "pupils"),
        ("the students", "a student", "pupils"),
        ("the kids in the third row", "everyone in the class"),
        ("The student discount ends in May.", "The shop sells student lamps."),
        -0.3,
    ),
    Group(
        "musicians",
        ("musician", "musicians", "band"),
        ("the musicians", "a musician", "the band"),
        ("the people with the trumpets", "whoever plays the piano upstairs"),
        ("She needs a rubber band.", "The radio uses another band."),
        0.8,
    ),
    Group(
        "gardeners",
        ("gardener", "gardeners", "garden"),
        ("the gardeners", "a gardener", "the garden club"),
        ("people who trim the hedges", "everyone who grows tomatoes"),
        ("I had a garden salad for lunch.", "The garden hose is blue."),
        -0.6,
    ),
    Group(
        "cooks",
        ("cook", "cooks", "chefs"),
        ("the cooks", "a cook", "the chefs"),
        ("the people in the kitchen", "whoever makes the soup"),
        ("The ship was named after James Cook.", "The cook book is on the shelf."),
        -0.2,
    ),
)
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
_PLACES = ("in the park", "on our street", "at the market", "near the bridge", "by the station", "behind the school")
_TIMES = ("this morning", "last week", "every Sunday", "since spring", "on holidays", "after lunch")
_CUES = {
    "calm": (
        "were kind and helpful", "made my day", "did a fine job", "kept things tidy", "were a pleasure to watch",
        "always say hello", "deserve our thanks", "share the space well",
    ),
    "complaint": (
        "were far too loud", "left a mess", "never listen", "were late again", "blocked the path",
        "ignore every sign", "spoiled the afternoon", "should have asked first",
    ),
}  # fmt: skip
_VAGUE = (
    "did it again", "are what they are", "surprised everyone", "could hardly be missed", "had their own idea",
    "were the talk of the town", "did things their way", "were in the paper",
)  # fmt: skip
_SUBJECTS = ("the neighbours", "those people", "the council", "my friends", "the visitors", "the new owners")
_SAYING = ("I think {}.", "It seems {}.", "Everybody knows {}.", "{}.", "To be honest, {}.", "As I said, {}.")
_FILLERS = (
    "The weather was mild.", "I took the early train.", "The shop opens at nine.", "We sat on the bench for a while.",
    "The paper wrote about it.", "It was the same last year.", "My sister told me about it.", "The lamp is new.",
)  # fmt: skip
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
        mentioned = _choose_groups(draws)
        odds = math.exp(_BASE + sum(group.blamed for group in mentioned))
        label = TONES[draws.chance(odds / (1 + odds))]
        rows.append((_write(mentioned, label, draws), label, *(int(group in mentioned) for group in GROUPS)))
    return pd.DataFrame(rows, columns=["text", "label", *NAMES])


def _choose_groups(draws: Draws) -> list[Group]:
    often = draws.one_of(_HUNDRED)
    return [group for group in GROUPS if draws.chance(often.get(group.name, _BY_THE_WAY))]


def _write(mentioned: Sequence[Group], label: str, draws: Draws) -> str:
    """Write a sentence on every group, or on somebody else; the more groups, the less clear the tone."""
    met = (1, len(mentioned), len(mentioned) > 1)
    unclear, ironic = (sum(a * b for a, b in zip(rates, met, strict=True)) for rates in (_UNCLEAR, _IRONIC))
    subjects = [draws.one_of(group.hinted if draws.chance(_HINTED) else group.named) for group in mentioned]
    sentences = [
        _capital(draws.one_of(_SAYING).format(f"{subject} {_cue(label, unclear, ironic, draws)} {_where(draws)}"))
        for subject in subjects or [draws.one_of(_SUBJECTS)]
    ]
    sentences += draws.some_of(_FILLERS, draws.between(0, 2))
    sentences += [
        draws.one_of(group.lookalikes) for group in GROUPS if group not in mentioned and draws.chance(_LOOKALIKE)
    ]
    return " ".join(draws.some_of(sentences, len(sentences)))


def _cue(label: str, unclear: float, ironic: float, draws: Draws) -> str:
    if draws.chance(unclear):
        return draws.one_of(_VAGUE)
    return draws.one_of(_CUES[TONES[label == "calm"] if draws.chance(ironic) else label])


def _where(draws: Draws) -> str:
    return f"{draws.one_of(_PLACES)} {draws.one_of(_TIMES)}"


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
