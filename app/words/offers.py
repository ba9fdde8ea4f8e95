"""Words for suggested slices, and for rules that describe a selection."""

from __future__ import annotations

from collections.abc import Sequence

from app.words.wording import SIDES, step_to
from mandoline_core import Description, SliceRow, Suggestion
from mandoline_core.discovery import RemainingShift, TrialEstimate
from mandoline_core.formatting import counted, show_ends, show_percent, show_value


def coverage(one: Suggestion, model: str) -> str:
    """Write how much of both samples a suggestion matches, for the model on show."""
    source, target = one.shares.get(model, (one.source, one.target))
    return f"{show_percent(source)} of labelled rows, {show_percent(target)} of new rows"


def effect(trial: TrialEstimate, *, share: bool) -> str:
    """Write the estimate before and after adding it, and the effective rows.

    >>> trial = TrialEstimate(0.789, (0.77, 0.81), -0.005, 0.1, -0.05, -3.2, 1200.0, 0.0)
    >>> effect(trial, share=True)
    'Estimate 79.4% → 78.9% (77.0 to 81.0), 1,200 effective rows'
    """
    said = step_to(trial.estimate - trial.effect, trial.estimate, share=share)
    aside = f", {show_percent(trial.set_aside)} of new rows left out" if trial.set_aside else ""
    ends = show_ends(trial.interval, share=share)
    return f"Estimate {said} ({ends}), {trial.effective_sample_size:,.0f} effective rows{aside}"


def dry_run(row: SliceRow | None, step: str, score: str, *, share: bool) -> str:
    """Say what a rule that is being typed would match and do.

    Parameters
    ----------
    step : str
        The estimate before and after; empty where it would be of no use.
    score : str
        What the metric is called.
    """
    said = []
    if row is not None:
        if not (row.source and row.target):
            return _no_use(row)
        said.append(f"{show_percent(row.source)} \u2192 {show_percent(row.target)} of rows")
        if row.inside.score is not None:
            said.append(f"{score} {show_value(row.inside.score, share=share)}")
    if not step:
        return f"{', '.join([*said, 'too few rows for an estimate'])}."
    return f"{', '.join([*said, f'estimate {step}'])}; Enter adds"


def _no_use(row: SliceRow) -> str:
    """Say why a rule that lacks rows in one of the samples is of no use."""
    if row.target:
        return f"{show_percent(row.target)} of new rows, but no labelled row, so the estimate cannot cover them."
    return "Matches no new row." if row.source else "Matches no row."


def left_open(found: RemainingShift | None) -> str:
    """Say which columns no slice would cover then.

    >>> left_open(RemainingShift(2, "age", 0.31)), left_open(RemainingShift(0, "age", 0.04))
    ('With it, 2 columns still differ, mostly age.', 'With it, no other column differs.')
    """
    if found is None:
        return ""
    if not found.n_off:
        return "With it, no other column differs."
    verb = "differs" if found.n_off == 1 else "differ"
    return f"With it, {counted(found.n_off, 'column')} still {verb}, mostly {found.worst}."


_GOOD = 0.8  # of agreement


def selection_sentence(source: int, target: int, found: Sequence[Description]) -> str:
    """Say what is selected, and whether a simple rule describes it.

    >>> selection_sentence(0, 12, ())
    '**12 new rows** selected. No simple rule describes them.'
    """
    said = f"**{counted(target, 'new row') if target else counted(source, 'labelled row')}** selected"
    if target and source:
        said += f" (and {counted(source, 'labelled row')} among them)"
    if not found:
        return f"{said}. No simple rule describes them."
    if found[0].agreement < _GOOD:
        return f"{said}. No simple rule describes them well. The closest:"
    return f"{said}. Rules that describe them, simplest first:"


def description_sentence(found: Description, side: str, inside: tuple[int, int], totals: tuple[int, int]) -> str:
    """Say how well a rule fits the selection, and how much of both samples it matches."""
    shares = [show_percent(count / total) for count, total in zip(inside, totals, strict=True)]
    return (
        f"It matches {show_percent(found.recall)} of your selection, and {show_percent(found.precision)} of the "
        f"{SIDES[side]} rows it matches on the map are selected. It matches {shares[0]} of all labelled rows "
        f"({inside[0]:,}) and {shares[1]} of all new rows ({inside[1]:,})."
    )


def not_offered(rule: str, inside: tuple[int, int]) -> str:
    """Say why a rule is not offered as a slice.

    >>> not_offered("age at least 90", (0, 40))[:43]
    'age at least 90: it matches no labelled row'
    """
    if not inside[0]:
        return f"{rule}: it matches no labelled row, so the estimate cannot cover these new rows. Label some of them."
    if not inside[1]:
        return f"{rule}: it matches no new row and would have no effect as a slice."
    return f"{rule}: as a slice it leaves too few rows for an estimate."
