"""A check: one question about an estimate, what it may find, and how it looks for it.

A new check is a file with a `CheckRule` and the kinds of findings it declares, and a line in `checks.CHECKS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mandoline_core.checks.evidence import ModelReport
from mandoline_core.checks.means import NOTABLE, would_show
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding
from mandoline_core.formatting import Sentence
from mandoline_core.pipeline import Estimate


class NotRun(NamedTuple):
    """Say why a check could not run: in full, and at a glance where that is shorter."""

    words: str
    headline: str | None = None


NO_WEIGHTS = NotRun("This method does not weight labelled rows, so there is nothing to compare with the new ones.")


def weights_rows(report: ModelReport) -> bool:
    """Tell whether the method makes the labelled rows stand for the new ones; those on probabilities alone do not."""
    return get_estimator(report.estimator).weights_rows


def too_few_rows(report: ModelReport, threshold: float) -> NotRun | None:
    """Say that too few rows are compared to see what stands out beyond a threshold; None where there are enough."""
    effective, there = report.effective_sample_size, report.n_target * (1 - report.set_aside)
    if would_show(effective, there, threshold):
        return None
    return NotRun(
        Sentence(
            "Too few rows to tell: with {effective:count effective row} and {there:,.0f} {target_rows}, a change of "
            "{notable:g} standard deviations would often go unseen.",
            notable=NOTABLE,
            effective=effective,
            there=there,
        )
    )


class CheckRule:
    """Ask one question of an estimate; a subclass says how.

    Parameters
    ----------
    name : str
        What its kinds of findings call it.
    question : str
        What a pass answers with yes.
    on_slices : bool
        Whether it is asked only of methods that look at slices.
    """

    name: str
    question: str
    on_slices = False

    def find(self, estimate: Estimate) -> Iterable[Finding]:  # noqa: ARG002 - for checks that have something to find
        """Go by the estimate alone; a comparison of methods asks this, too."""
        return ()

    def look(self, report: ModelReport) -> Iterable[Finding | NotRun] | None:  # noqa: ARG002 - as above
        """Look beyond it; None where the question does not apply to the method or the data."""
        return ()
