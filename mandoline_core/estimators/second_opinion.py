"""The second opinion: Mandoline's estimate unless its verdict is red, then doubly robust within the range of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mandoline_core.estimators.base import Estimator, Outcome
from mandoline_core.estimators.cbpe import Pape
from mandoline_core.estimators.confidence import DifferenceOfConfidences, ThresholdedConfidence
from mandoline_core.estimators.cot import Cot
from mandoline_core.estimators.doubly_robust import DoublyRobust
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.findings import Finding
from mandoline_core.formatting import listed
from mandoline_core.weighting import Problem

# One of each way to look at new rows, the one to follow first: on real shifts it was closer than Mandoline on average.
VOICES: dict[str, Estimator] = {
    voice.name: voice
    for voice in (
        DoublyRobust(),
        Mandoline(),
        Pape(),
        DifferenceOfConfidences(),
        ThresholdedConfidence(),
        Cot(),
    )
}


class SecondOpinion(Estimator):
    """Use Mandoline unless its verdict is red, then doubly robust with an interval that covers the other methods."""

    name = "second_opinion"
    title = "Second opinion (Mandoline or doubly robust)"
    does = (
        "Uses Mandoline unless its verdict is red, then doubly robust with an interval that covers all methods that "
        "pass their self-test."
    )
    assumes = "Slices capture the shift if no check failed. Otherwise nothing is known to be right."
    needs = ("slices", "probabilities", "verdict")
    later = True
    design_weights = True

    def __init__(self, verdict: str | None = None, passed: Sequence[str] = ()) -> None:
        """Keep the light that Mandoline's estimate got, without which the method does not apply; and who is heard.

        Parameters
        ----------
        verdict : str, optional
        passed : sequence of str
            Methods that pass their self-test, the one to follow first.
        """
        self.verdict = verdict
        self.passed = tuple(passed)

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        why = Cot().reason(problem) or DoublyRobust().reason(problem)
        if why is None and self.verdict is None:
            why = "This method needs a verdict on Mandoline's estimate. Use mandoline or doubly_robust."
        return why

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate by the verdict; the weights are Mandoline's in either case."""
        self.check(problem)
        names = dict.fromkeys([*self.passed, Mandoline.name])
        return self.weigh({name: VOICES[name].estimate(problem) for name in names})

    def weigh(self, outcomes: Mapping[str, Outcome]) -> Outcome:
        """Choose one of the estimates by the verdict; if red, the interval covers all that passed."""
        red, weighted = self.verdict == "red", outcomes[Mandoline.name]
        heard = {name: outcomes[name] for name in self.passed}
        findings = tuple(dict.fromkeys(finding for outcome in outcomes.values() for finding in outcome.findings))
        opinion = self._finding(weighted, heard, red=red)
        if not red or not heard:
            return replace(weighted, findings=(*findings, opinion))
        first, *others = heard.values()
        return replace(
            weighted,
            value=first.value,
            means=first.means,
            influence=first.influence,
            error_if_known=None,
            findings=(*findings, opinion),
            spanned=tuple(others),
        )

    def _finding(self, weighted: Outcome, heard: Mapping[str, Outcome], *, red: bool) -> Finding:
        """Say what all that passed their self-test give."""
        values = {name: outcome.value for name, outcome in heard.items()}
        if values:
            low, high = min(values.values()), max(values.values())
            first = VOICES[next(iter(values))]
            title = first.title.partition(" (")[0]
            said = (
                f"{title} gives {values[first.name]:.1%}, your slices give {weighted.value:.1%}. "
                f"Methods that pass their self-test give {low:.1%} to {high:.1%} ({listed(values, most=len(VOICES))})."
            )
        else:
            said = f"no method passes its self-test on the labelled data. Your slices give {weighted.value:.1%}."
        return Finding(
            "fit",
            "second_opinion",
            "warning" if red else "info",
            f"Second opinion: {said}",
            "Add slices that explain the change, or label some new rows." if red else "",
            "A check failed, so nothing is known to be right." if red else "No check failed, so your slices are used.",
            numbers={"weighted": weighted.value, "methods": values},
        )
