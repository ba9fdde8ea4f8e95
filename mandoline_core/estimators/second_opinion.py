"""The second opinion: Mandoline's number where its verdict allows, and the model's own confidence where it is red."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mandoline_core.estimators.base import Estimator, Outcome
from mandoline_core.estimators.cot import Cot
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.findings import FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.weighting import Problem

STANDS = FindingKind(
    "fit",
    "second_opinion",
    "As a second opinion, the model's own confidence says {confident:.1%}",
    "Nothing to do.",
    " (method cot). No check failed, so the number by your slices stands.",
)
DOES_NOT_STAND = FindingKind(
    "fit",
    "second_opinion",
    "Your slices do not explain the change; the model's own confidence says {confident:.1%}",
    "Add slices that explain the change, or label some {target_rows}.",
    " (method cot), your slices {weighted:.1%}.",
)


class SecondOpinion(Estimator):
    """Ask Mandoline and, where its verdict is red, take the answer of optimal transport, with room for both."""

    name = "second_opinion"
    title = "Second opinion (Mandoline, or COT where it is red)"
    does = (
        "Mandoline's number where its verdict is green or amber; where it is red, that of optimal transport, with an "
        "interval that spans both."
    )
    assumes = Sentence(
        "Slices capture what changed where no check fails; where one does, classes are as frequent as in the {source}, "
        "and the model is as sure as it is right."
    )
    needs = ("slices", "probabilities", "verdict")
    later = True

    def __init__(self, verdict: str | None = None) -> None:
        """Keep the light that Mandoline's estimate got; without one the method does not apply."""
        self.verdict = verdict

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        why = Cot().reason(problem) or Mandoline().reason(problem)
        if why is None and self.verdict is None:
            why = "This method goes by the verdict on Mandoline's estimate, and there is none. Use mandoline or cot."
        return why

    def estimate(self, problem: Problem) -> Outcome:
        """Answer by the verdict; the weights, and what they leave out, are Mandoline's either way."""
        self.check(problem)
        return self.weigh(Mandoline().estimate(problem), Cot().estimate(problem))

    def weigh(self, weighted: Outcome, confident: Outcome) -> Outcome:
        """Take one of two answers by the verdict, with room for both where it is red."""
        numbers: dict[str, Any] = {"confident": confident.value, "weighted": weighted.value}
        findings = (*weighted.findings, *confident.findings)
        if self.verdict != "red":
            return replace(weighted, findings=(*findings, STANDS.found("info", **numbers)))
        return replace(
            weighted,
            value=confident.value,
            means=confident.means,
            influence=confident.influence,
            error_if_known=None,
            findings=(*findings, DOES_NOT_STAND.found("warning", **numbers)),
            spanned=(weighted,),
        )
