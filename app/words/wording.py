"""The explanatory sentences, in Markdown: plain words first, the term in a tooltip."""

from __future__ import annotations

import re
from typing import NamedTuple

from app.vocabulary import PLAIN
from mandoline_core.estimating import ModelReport, is_share
from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import direction, say, show_difference, show_ends, show_times, show_value

_SPECIAL = re.compile(r"[\\`*_{}\[\]()<>#+\-.!|$:~&]")
# Streamlit turns these into arrows, dashes, links and its logo after escapes are gone: an invisible joiner stops it.
_REWRITTEN = re.compile(r"(?<=[<>-])(?=[<>=-])|(?<=:)(?=streamlit:|//)|(?<=@)(?=\S)|(?<=\bwww)(?=\.)", re.IGNORECASE)
_JOINER = "\u2060"


def plain(text: str) -> str:
    r"""Escape text for Markdown, so that it shows as it is written, on one line.

    >>> plain("**b** $x$")
    '\\*\\*b\\*\\* \\$x\\$'
    """
    return _SPECIAL.sub(r"\\\g<0>", _REWRITTEN.sub(_JOINER, re.sub(r"\s+", " ", text)))


def tell(text: object) -> str:
    r"""Say a sentence of the library, or an error, in the app's words, escaped.

    >>> from mandoline_core.formatting import Sentence
    >>> tell(Sentence("It is {how} in the {target}.", how="*so*"))
    'It is \\*so\\* in the new data\\.'
    """
    return plain(say(text, PLAIN))


class _Verb(NamedTuple):
    """Hold how a metric is said of the new data and of the labelled data."""

    now: str
    before: str
    unit: str


_VERBS = {
    "accuracy": _Verb("this model is probably right", "it was", " of the time"),
    "error": _Verb("this model is probably wrong", "it was", " of the time"),
}
_OTHER = _Verb("the {metric} is probably", "it is", "")


def headline(report: ModelReport, *, reveal: bool) -> str:
    """Say the estimate in one or two sentences; with `reveal`, the truth too."""
    share = is_share(report)
    verb = _VERBS.get(report.metric, _OTHER)
    source = show_value(report.source, share=share)
    before = f"On your labelled data {verb.before} {source}."
    if not report.converged:
        metric = plain(report.problem.metric.spoken)
        sentences = [
            f"There is no estimate: the weights could not be fitted. On your labelled data the {metric} is {source}."
        ]
    else:
        value, ends = show_value(report.estimate, share=share), show_ends(report.interval, share=share)
        now = verb.now.format(metric=plain(report.problem.metric.spoken))
        sentences = [f"{_where(report)} {now} **{value}**{verb.unit} ({ends}).", before]
    if reveal:
        sentences.append(_truth(report, share))
    return " ".join(sentences)


def _where(report: ModelReport) -> str:
    if not report.set_aside:
        return "On the new data"
    kept = min(1 - report.set_aside, 0.999)  # never "100%" when rows are set aside
    return f"On the {kept:.1%} of the new data that resemble labelled rows,"


def _truth(report: ModelReport, share: bool) -> str:
    if report.truth is None:
        return "The truth is not known: there are no labels for the new data."
    return f"The truth is **{show_value(report.truth, share=share)}**."


def change_sentence(report: ModelReport) -> str:
    """Say how the estimate differs from the score on the labelled data."""
    if not report.converged:
        return "There is no estimate to compare with your labelled data."
    share = is_share(report)
    change = report.estimate - report.source
    way = direction(change, share=share)
    if way == "the same":
        return "That is the same as on your labelled data."
    return f"That is {show_difference(change, share=share)} {way} than on your labelled data."


def effective_rows_sentence(report: ModelReport) -> str:
    """Say how many rows the estimate rests on."""
    return (
        f"The estimate rests on {report.effective_sample_size:,.0f} effective rows out of {report.n_source:,} labelled "
        f"ones; the heaviest row counts {show_times(report.largest_ratio)}."
    )


def without_slice(name: str, delta: float, *, share: bool = True) -> str:
    r"""Say what leaving a slice out would do.

    >>> without_slice("negation", 0.021)
    'Without *negation* the estimate would be 2.1 points higher.'
    >>> without_slice("a_b", 0.0)
    'Without *a\\_b* the estimate would be the same.'
    """
    way = direction(delta, share=share)
    change = way if way == "the same" else f"{show_difference(delta, share=share)} {way}"
    return f"Without *{plain(name)}* the estimate would be {change}."


def estimator_sentence(name: str) -> str:
    """Say what an estimator does and what it takes for granted.

    >>> estimator_sentence("source").startswith("The score on your labelled data as it is")
    True
    """
    estimator = get_estimator(name)
    return f"{tell(estimator.does)} It assumes: {tell(estimator.assumes)}"


class Step(NamedTuple):
    """Hold one step of the tour."""

    title: str
    text: str


TOUR = (
    Step("Read the number", "The large number is how well the model probably does on data that have no labels yet."),
    Step(
        "Switch a slice off", "On the Slices page, switch *negation* off and watch the number move beside the switch."
    ),
    Step("Make a slice", "Type a word into a new keyword slice: matching rows appear, and the number moves."),
    Step("Check it", "Reveal the truth of the sample, compare, and then use your own data."),
)

TOOLTIPS = {
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


def estimate_caption(report: ModelReport) -> str:
    """Say, under the estimate, how sure it is and how it compares."""
    if not report.converged:
        return change_sentence(report)
    low, high = (show_value(end, share=is_share(report)) for end in report.interval)
    return f"Probably between {low} and {high}. {change_sentence(report)}"


def source_caption(report: ModelReport) -> str:
    """Say, under the source score, where it comes from."""
    low, high = (show_value(end, share=is_share(report)) for end in report.source_interval)
    return f"Measured on {report.n_source:,} labelled rows; between {low} and {high} by the luck of the draw."


def truth_caption(report: ModelReport) -> str:
    """Say, under the truth, how far the estimate was off."""
    if report.truth is None:
        return "There are no labels for the new data."
    share = is_share(report)
    off = show_difference(report.estimate - report.truth, share=share)
    low, high = report.interval
    where = "inside" if low <= report.truth <= high else "outside"
    said = "Read off the new data's own labels, used for nothing else."
    return f"{said} The estimate is {off} off; this is {where} its range."


SAMPLE_SENTENCES = {
    "reviews": "Long reviews with labels, and new ones that are short and chatty. Two text models, slices on words.",
    "digits": "Sharp photographs of digits, and new ones that are often blurred. The slice that tells is noisy.",
}
