"""Sentences about corrections: how far audits are and what they do, and who chooses the pairs of slices."""

from __future__ import annotations

from collections.abc import Sequence

from app.words.wording import SIDES
from mandoline_core.checks import MISTAKE_Z
from mandoline_core.formatting import counted, show_difference, show_interval
from mandoline_core.labels import AuditState, Stratum
from mandoline_core.project import GRAPHICAL_LASSO, INVERSE_COVARIANCE, TESTS, read_edge_choice

_SAYS = {1: "says in", -1: "says out", 0: "abstains"}


def stratum_words(one: Stratum) -> str:
    """Say what was answered about the rows that a slice says the same of.

    >>> stratum_words(Stratum("source", 1, 100, 9, 8, 7))
    'labelled, says in: 7 of 8 truly in (47 to 100%)'
    """
    low, high = one.interval()
    sure = f" ({100 * low:.0f} to {100 * high:.0f}%)" if one.answered else ""
    return f"{SIDES[one.side]}, {_SAYS[one.code]}: {one.truly_in} of {one.answered} truly in{sure}"


def progress_words(state: AuditState) -> str:
    """Say how far an audit is.

    >>> progress_words(AuditState((Stratum("source", 1, 100, 9, 8, 7),), None))
    '8 answers, 1 skipped. More would narrow it.'
    """
    answered, asked = sum(one.answered for one in state.strata), sum(one.asked for one in state.strata)
    skipped = f", {asked - answered} skipped" if asked > answered else ""
    so = "Enough for now." if state.is_enough else "More would narrow it."
    return f"{counted(answered, 'answer')}{skipped}. {so}"


def effect_words(value: float, interval: tuple[float, float], reach: float, if_known: float, *, share: bool) -> str:
    """Say what the estimate is with the answers in use, and how much of its width is due to their number.

    >>> effect_words(0.794, (0.77, 0.816), 0.023, 0.021, share=True)[-65:]
    'within 2.3 points, or 2.1 points if the slice were known exactly.'
    """
    wide, least = (show_difference(one, share=share) for one in (reach, if_known))
    exact = f"or {least} if the slice were known exactly" if wide != least else "and more answers would not narrow that"
    return f"With these answers the estimate is {show_interval(value, interval, share=share)}: within {wide}, {exact}."


def mistake_words(name: str, z: float | None, n: int) -> str:
    """Say whether what the denoised estimator takes for granted holds for a slice.

    >>> mistake_words("dark", 0.4, 450)
    'dark: holds as far as 450 labelled rows with a true answer can tell (z = 0.4).'
    """
    rows = counted(n, "labelled row")
    if z is None:
        return f"{name}: too few mistakes among {rows} with a true answer to tell."
    if abs(z) > MISTAKE_Z:
        so = "the score depends on what it says even where the truth is known"
        return f"{name}: does not hold. On {rows} {so} (z = {z:.1f})."
    return f"{name}: holds as far as {rows} with a true answer can tell (z = {z:.1f})."


BY_HAND = "hand"
CHOICES = {
    BY_HAND: "By hand",
    TESTS: "By tests",
    INVERSE_COVARIANCE: "Strongest ties",
    GRAPHICAL_LASSO: "Stable ties",
}
HELP = (
    "By hand: you join and part pairs below. By tests: joins a pair when its joint frequency is still off after "
    "weighting and joining it would move the estimate (score tests). Strongest ties: the slices that go together most "
    "in the labelled data, all others held fixed (largest entries of the inverse covariance, as in the paper). Stable "
    "ties: those found in nearly every half of the labelled data (graphical lasso with stability selection)."
)


def choice_of(edges: object) -> str:
    """Name who chooses the pairs of a project.

    >>> choice_of((("a", "b"),)), choice_of("inverse-covariance:6")
    ('hand', 'inverse-covariance')
    """
    return read_edge_choice(edges)[0] if isinstance(edges, str) else BY_HAND


def chosen_how(edges: object) -> str:
    """Say how the pairs of a project are chosen.

    >>> chosen_how(()), chosen_how("auto"), chosen_how("inverse-covariance:6")
    ('chosen by hand', 'chosen by tests', 'the 6 strongest ties')
    """
    if not isinstance(edges, str):
        return "chosen by hand"
    choice, most = read_edge_choice(edges)
    if choice == TESTS:
        return "chosen by tests"
    return f"the {most} strongest ties" if choice == INVERSE_COVARIANCE else "the stable ties"


def chosen_by(ways: Sequence[str]) -> str:
    """Say which ways of choosing would take a pair.

    >>> chosen_by(["auto", "graphical-lasso"]), chosen_by(["inverse-covariance"]), chosen_by([])
    ('Chosen by tests and by stable ties', 'Chosen by strongest ties', 'Chosen by none')
    """
    said = [f"by {CHOICES[way].lower().removeprefix('by ')}" for way in ways]
    return f"Chosen {' and '.join(said) or 'by none'}"
