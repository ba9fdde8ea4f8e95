"""A check: one question about an estimate, what it may find, and how it looks for it.

A new check is a file with a `CheckRule`, and a line in `checks.CHECKS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from mandoline_core.checks.evidence import ModelReport
from mandoline_core.checks.means import NOTABLE, would_show
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding
from mandoline_core.formatting import counted
from mandoline_core.pipeline import Estimate

LABELS = 60  # of new rows: few enough to ask for, enough to show a large change


class NotRun(NamedTuple):
    """Say why a check did not run: in full, and as a short headline if there is one."""

    words: str
    headline: str | None = None


NO_WEIGHTS = NotRun("This method does not weight labelled rows, so there is nothing to compare.")


def weights_rows(report: ModelReport) -> bool:
    """Tell whether the method weights labelled rows; methods that use probabilities alone do not."""
    return get_estimator(report.estimator).weights_rows


def too_few_rows(report: ModelReport, threshold: float) -> NotRun | None:
    """Say that too few rows are compared for a notable difference to exceed a threshold; None if there are enough."""
    effective, n_target = report.effective_sample_size, report.problem.alike_rows[1] * (1 - report.set_aside)
    if would_show(effective, n_target, threshold):
        return None
    return NotRun(
        f"Too few rows: with {counted(effective, 'effective row')} and {counted(n_target, 'new row')}, a difference of "
        f"{NOTABLE:g} standard deviations often goes unnoticed."
    )


class CheckRule:
    """Ask one question of an estimate; a subclass says how.

    Parameters
    ----------
    name : str
        What its findings call it.
    question : str
        A pass means yes.
    on_slices : bool
        Whether it is asked only of methods that look at slices.
    labels_outweigh : {"nothing", "doubt", "failure"}
        What of it a few labels of new rows outweigh that agree with the estimate: nothing, a doubt, or a failure too.
        Labels test what the estimate says, however columns look; not whether its interval can be trusted.
    """

    name: str
    question: str
    on_slices = False
    labels_outweigh: Literal["nothing", "doubt", "failure"] = "nothing"

    def find(self, estimate: Estimate) -> Iterable[Finding]:  # noqa: ARG002 - for checks that have something to find
        """Find what the estimate alone shows; a comparison of methods asks this too."""
        return ()

    def look(self, report: ModelReport) -> Iterable[Finding | NotRun] | None:  # noqa: ARG002 - as above
        """Find what takes more than the estimate; None if the question does not apply to the method or the data."""
        return ()
