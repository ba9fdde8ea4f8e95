"""What methods are called, and what terms mean: plain words first, the technical term in brackets."""

from __future__ import annotations

from mandoline_core.estimators import get_estimator


def title_of(method: str) -> str:
    """Return what a method is called.

    >>> title_of("source")
    'Score on labelled data'
    """
    return get_estimator(method).title


TOOLTIPS = {
    "labelled data": "Rows with labels (source in files and code).",
    "new data": "Rows without labels, for which the score is estimated (target in files and code).",
    "sampling only": "So far it is for sampling error alone: other plausible slices are tried on the Result page.",
    "spread": "The interval is wider by how far other plausible slices, alone or in sets, move the estimate.",
    "suggestions": (
        "Words, cuts, categories, lengths, missing values, predictions, and pairs of these. Ranked by z: the shift "
        "after weighting, times the difference in score, over its standard error."
    ),
    "effective rows": "The number of equally weighted rows that would be as informative (effective sample size).",
    "weight": "How much a labelled row counts (importance weight): 1x on average, more for rows like the new data.",
    "reliability": "How often the rule is right when it says yes, and when it says no (correction matrix).",
    "slices that move together": "Slices whose overlap changes more than each alone explains (edge).",
    "rows without a match": "New rows with a combination of slices that no labelled row has (no overlap).",
    "left out": "New rows that no weighting of the labelled rows can match. The estimate does not cover them.",
    "interval": "Covers sampling error and, once tried, other plausible slices; no change that no slice shows.",
    "derived corrections": "Same error rates: the rule errs as often on new data as on labelled data.",
    "same matrix": "Same reliability: a yes or no of the rule means the same in new and labelled data.",
    "denoised": "Corrects fully for noisy slices if the rule's mistakes are unrelated to the score.",
    "shift": "How many points more of the new data than of the labelled data the slice matches.",
    "standardised shift": "The shift in standard deviations. Below 0.1 is small.",
    "verdict": "How far to trust the estimate, by the checks. Trust shows every check.",
    "design effect": "Labelled rows per effective row (design effect). 1 is best.",
    "largest ratio": "The weight of the heaviest row (largest importance ratio, M-hat).",
    "heavy tail": (
        "Below 0.5 the interval is reliable, above 0.7 a few rows decide, above 1 the estimate is unstable (Pareto "
        "index, k-hat). Bounded: the weights take few values, and none is extreme."
    ),
    "trimming": "Reduces larger weights to the cap (weight trimming): more stable, but less like the new data.",
    "attribution": (
        "What the slice adds to the estimate, averaged over which slices come first (approximate Shapley value). "
        "Effects add up from the labelled score to the estimate."
    ),
    "hidden change": (
        "A change that no slice shows (unobserved confounding). The data cannot rule it out, but can say how strong it "
        "would have to be."
    ),
    "strength of a hidden change": (
        "The largest factor between the true and the fitted weight of a row (marginal sensitivity model, Gamma)."
    ),
    "theorem": "Theorem 1 of the paper bounds the error by three terms. It holds in the worst case, so it is wide.",
    "hidden term": (
        "How differently rows of one combination of slices are distributed in the new data (twice a total-variation "
        "distance). Only labels of new rows can tell."
    ),
    "correction error": "The relative error of every correction of a noisy slice (eta).",
    "drift": (
        "Slices show which rows became more frequent (covariate shift), not whether classes became more frequent or "
        "labels changed their meaning (label and concept drift)."
    ),
    "backtest": "Draws samples with a known shift from your labelled rows, and compares methods with the true value.",
    "few labels": (
        "A few labels of new rows are right on average, whatever the slices miss. Predicted scores of all rows make "
        "them go further (prediction-powered inference)."
    ),
    "leave-one-out": "The estimate with all slices except this one: how sensitive it is to the slice.",
}
