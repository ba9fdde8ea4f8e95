"""What the app says of a suggested slice: what it is, what it would do, and what would still be open then."""

from __future__ import annotations

from app.words.wording import step_to
from mandoline_core import Suggestion
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
