"""What is said of slices on offer: suggestions, and rules for what a person points at."""

from __future__ import annotations

from collections.abc import Sequence

from app.words.wording import SIDES, step_to
from mandoline_core import Description, Suggestion
from mandoline_core.discovery import RemainingShift, TrialEstimate
from mandoline_core.formatting import counted, show_ends, show_percent


def coverage(one: Suggestion) -> str:
    """Say how many rows of both data are inside."""
    return f"{show_percent(one.source)} of the labelled rows, {show_percent(one.target)} of the new rows"


def effect(trial: TrialEstimate, *, share: bool) -> str:
    """Say where the estimate goes with it, how sure that is, and on how many rows it rests.

    >>> trial = TrialEstimate(0.789, (0.77, 0.81), -0.005, 0.1, -0.05, -3.2, 1200.0, 0.0)
    >>> effect(trial, share=True)
    'Estimate 79.4% → 78.9% (77.0 to 81.0), on 1,200 effective rows'
    """
    said = step_to(trial.estimate - trial.effect, trial.estimate, share=share)
    aside = f", {show_percent(trial.set_aside)} of the new rows set aside" if trial.set_aside else ""
    ends = show_ends(trial.interval, share=share)
    return f"Estimate {said} ({ends}), on {trial.effective_sample_size:,.0f} effective rows{aside}"


def left_open(found: RemainingShift | None) -> str:
    """Say what no slice would speak of then.

    >>> left_open(RemainingShift(2, "age", 0.31)), left_open(RemainingShift(0, "age", 0.04))
    ('Then 2 columns are still off, most of all age.', 'Then no other column is off.')
    """
    if found is None:
        return ""
    if not found.n_off:
        return "Then no other column is off."
    verb = "is" if found.n_off == 1 else "are"
    return f"Then {counted(found.n_off, 'column')} {verb} still off, most of all {found.worst}."


_GOOD = 0.8  # of agreement


def selection_sentence(source: int, target: int, found: Sequence[Description]) -> str:
    """Say what is selected, and whether a simple rule describes it.

    >>> selection_sentence(0, 12, ())
    '**12 new rows** selected. No simple rule describes them.'
    """
    said = f"**{counted(target, 'new row') if target else counted(source, 'labelled row')}** selected"
    if target and source:
        said += f" (and {counted(source, 'labelled row')} beside them)"
    if not found:
        return f"{said}. No simple rule describes them."
    if found[0].agreement < _GOOD:
        return f"{said}. No simple rule describes them well; these come nearest:"
    return f"{said}. The simplest rule that describes them comes first:"


def description_sentence(found: Description, side: str, inside: tuple[int, int], totals: tuple[int, int]) -> str:
    """Say how well a rule fits the selection, and its coverage on both sides."""
    shares = [show_percent(count / total) for count, total in zip(inside, totals, strict=True)]
    return (
        f"It has {found.recall:.0%} of your selection; of the {SIDES[side]} rows on the map inside it, "
        f"{found.precision:.0%} are selected. Inside are {shares[0]} of all labelled rows ({inside[0]:,}) and "
        f"{shares[1]} of all new rows ({inside[1]:,})."
    )


def not_offered(rule: str, inside: tuple[int, int]) -> str:
    """Say why a rule is not offered as a slice.

    >>> not_offered("age at least 90", (0, 40))[:42]
    'age at least 90: no labelled row is inside'
    """
    if not inside[0]:
        return (
            f"{rule}: no labelled row is inside, so no weights could stand in for these new rows, and the estimate "
            "says nothing about them. Label some of them."
        )
    if not inside[1]:
        return f"{rule}: no new row is inside, so as a slice it would say nothing about the new data."
    return f"{rule}: as a slice it would leave too few rows to estimate from."
