"""The words for the two samples, what methods are called, and what terms mean, with the paper's term in brackets."""

from __future__ import annotations

from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import Vocabulary, say

PLAIN: Vocabulary = {
    "source": "labelled data",
    "source_score": "Labelled data's score",
    "target": "new data",
    "a_target": "new data",
    "source_row": "labelled row",
    "source_rows": "labelled rows",
    "target_row": "new row",
    "target_rows": "new rows",
}


def title_of(method: str) -> str:
    """Return what a method is called.

    >>> title_of("source")
    "Labelled data's score"
    """
    return say(get_estimator(method).title, PLAIN)


TOOLTIPS = {
    "spread": (
        "The interval takes your slices as given. The lighter band is the interval moved outwards by as far as other "
        "slices that could be defended move the estimate: each suggestion, and sets of them."
    ),
    "suggestions": (
        "Words, cuts, categories, lengths, gaps, answers of the model, pairs of them, and pairs of your slices. Ranked "
        "by what remains off after weighting, times how the score differs there, over its standard error (z)."
    ),
    "effective rows": "So many rows that all count the same would tell as much (effective sample size).",
    "how much each row counts": (
        "Rows like those of the new data count more than once, others less (importance weight). On average a row "
        "counts once."
    ),
    "how sure you are of this slice": (
        "How often a row is truly inside when the slice says in, and when it says out (correction matrix)."
    ),
    "slices that move together": (
        "Two slices whose overlap changes by itself, not just because each of them does (edge of the dependency graph)."
    ),
    "rows unlike any labelled row": (
        "New rows with a combination of slices that no labelled row has (no overlap). Labels say little about them."
    ),
    "set aside": "New rows that no reweighting of the labelled rows can match. The estimate does not speak of them.",
    "interval": (
        "Where the number would lie if both samples were drawn again (confidence interval). It does not cover a "
        "change that no slice speaks of."
    ),
    "derived corrections": (
        "The slice is taken to err as often on the new data as on the labelled data; what its answers mean there "
        "follows from that (error rates carried over)."
    ),
    "same matrix": "What the slice says is taken to mean the same on the new data as on the labelled data.",
    "denoised": (
        "Goes the whole way where noisy slices would stop halfway, if a slice's mistakes have nothing to do with the "
        "score (regression on the true slices)."
    ),
    "ridge": "Holds the weights back so that no row counts for too much; slices then match less well (penalty).",
    "shift": "How much more of the new data than of the labelled data is inside, in points, where the slice speaks.",
    "standardised shift": (
        "The shift measured in standard deviations, so that rare and common slices compare. Below 0.1 is small."
    ),
    "score inside/outside": "How the model does on labelled rows inside the slice, and on those outside it.",
    "score inside": "How the model does on the labelled rows inside the slice.",
    "score outside": "How the model does on the labelled rows outside the slice.",
    "verdict": (
        "How far to believe the estimate, by what can be checked. The Trust page shows every check and what it found."
    ),
    "design effect": (
        "So many labelled rows do the work of one that counts like all others: labelled rows over effective rows "
        "(design effect). 1 is best."
    ),
    "largest ratio": "How many times the row counts that counts most (largest importance ratio, M-hat).",
    "heavy tail": (
        "Whether heavy rows thin out fast enough: below 0.5 the interval can be taken at its word, above 0.7 a few "
        "rows decide, above 1 not even the estimate settles (Pareto index, k-hat). Bounded: rows take few values, and "
        "none of them is extreme."
    ),
    "trimming": (
        "What counts more is cut down to this, and the rest is scaled up (weight trimming). It makes the number "
        "calmer, and less like the new data."
    ),
    "attribution": (
        "The weights are turned on little by little, and each slice gets what it moved on the way (Aumann-Shapley "
        "value). The parts add up to the difference, in whatever order slices are listed."
    ),
    "hidden shift": (
        "A change that no slice shows (unobserved confounding). Nothing in the data can rule it out, but one can say "
        "how strong it would have to be."
    ),
    "gamma": (
        "Every row may count up to so many times more, or less, than it does (marginal sensitivity model, Gamma). The "
        "bounds are the worst that can then happen."
    ),
    "theorem": (
        "Theorem 1 of the paper bounds the error in three terms. It holds in the worst case, so it is wide; the "
        "interval says what is likely."
    ),
    "hidden term": (
        "How differently what nobody modelled is spread in the new data, given the slices (twice a total-variation "
        "distance). Only labels of new rows could tell."
    ),
    "correction error": "How far every correction of a noisy slice may be off, relative to itself (eta).",
    "drift": (
        "Slices catch rows that became more or less frequent (covariate shift). Classes can become more frequent, or "
        "labels change their meaning (label and concept drift), without any slice showing it."
    ),
    "backtest": (
        "New samples are drawn from your labelled rows, shifted in a known way, and every method is compared with the "
        "truth (backtest on drawn samples)."
    ),
    "few labels": (
        "A few labels of new rows are right on average whatever the slices miss; scores predicted for all rows make "
        "them go further (prediction-powered inference)."
    ),
    "leave-one-out": "The estimate with all slices but this one: how much the number hangs on it.",
}
