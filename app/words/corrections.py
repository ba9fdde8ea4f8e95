"""Sentences about corrections: the progress and effect of audits, and how pairs of slices are chosen."""

from __future__ import annotations

from collections.abc import Sequence

from app.words.wording import SIDES
from mandoline_core.checks import MISTAKE_Z
from mandoline_core.formatting import counted, show_difference, show_ends, show_interval
from mandoline_core.labels import AuditState, Stratum
from mandoline_core.project import GRAPHICAL_LASSO, INVERSE_COVARIANCE, TESTS, read_edge_choice

_SAYS = {1: "rule says yes", -1: "rule says no", 0: "rule abstains"}


def stratum_words(one: Stratum) -> str:
    """Summarise the answers about rows for which the rule says the same.

    >>> stratum_words(Stratum("source", 1, 100, 9, 8, 7))
    'labelled, rule says yes: 7 of 8 in the slice (47.3 to 99.7)'
    """
    ends = f" ({show_ends(one.interval(), share=True)})" if one.answered else ""
    return f"{SIDES[one.side]}, {_SAYS[one.code]}: {one.truly_in} of {one.answered} in the slice{ends}"


def progress_words(state: AuditState) -> str:
    """Say how far an audit is.

    >>> progress_words(AuditState((Stratum("source", 1, 100, 9, 8, 7),), None))
    '8 answers, 1 skipped. More answers narrow the interval.'
    """
    answered, asked = sum(one.answered for one in state.strata), sum(one.asked for one in state.strata)
    skipped = f", {asked - answered} skipped" if asked > answered else ""
    so = "Enough for now." if state.is_enough else "More answers narrow the interval."
    return f"{counted(answered, 'answer')}{skipped}. {so}"


def effect_words(value: float, interval: tuple[float, float], reach: float, if_known: float, *, share: bool) -> str:
    """Write the estimate with the audit, and how much of its margin of error is due to the number of answers.

    >>> effect_words(0.794, (0.77, 0.816), 0.023, 0.021, share=True)[-71:]
    'margin of error 2.3 points, 2.1 points if the slice were known exactly.'
    """
    wide, least = (show_difference(one, share=share) for one in (reach, if_known))
    exact = f"{least} if the slice were known exactly" if wide != least else "which more answers would not reduce"
    estimate = show_interval(value, interval, share=share)
    return f"With these answers the estimate is {estimate}: margin of error {wide}, {exact}."


def mistake_words(name: str, z: float | None, n: int) -> str:
    """Say whether the assumption of the denoised method holds for a slice.

    >>> mistake_words("dark", 0.4, 450)
    'dark: holds on 450 labelled rows with gold labels (z = 0.4).'
    """
    rows = counted(n, "labelled row")
    if z is None:
        return f"{name}: too few mistakes among {rows} with gold labels to tell."
    if abs(z) > MISTAKE_Z:
        return f"{name}: does not hold. On {rows} the score depends on the rule's mistakes (z = {z:.1f})."
    return f"{name}: holds on {rows} with gold labels (z = {z:.1f})."


BY_HAND = "hand"
CHOICES = {
    BY_HAND: "By hand",
    TESTS: "By tests",
    INVERSE_COVARIANCE: "Strongest ties",
    GRAPHICAL_LASSO: "Stable ties",
}
HELP = (
    "By hand: join and separate pairs below. By tests: joins a pair if its joint frequency is still off after "
    "weighting and joining it moves the estimate (score tests). Strongest ties: the largest partial correlations in "
    "the labelled data (inverse covariance, as in the paper). Stable ties: those found in nearly every half of the "
    "labelled data (graphical lasso with stability selection)."
)


def choice_of(edges: object) -> str:
    """Return how the pairs of a project are chosen.

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
    """Say which ways of choosing take a pair.

    >>> chosen_by(["auto", "graphical-lasso"]), chosen_by(["inverse-covariance"]), chosen_by([])
    ('Chosen by tests and by stable ties', 'Chosen by strongest ties', 'Chosen by none')
    """
    said = [f"by {CHOICES[way].lower().removeprefix('by ')}" for way in ways]
    return f"Chosen {' and '.join(said) or 'by none'}"
