"""Methods and models compared, in sentences and tables: data in, words or a pandas frame out."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from app.words.wording import plain
from mandoline_core.comparison import Comparison, Difference, Entry, ModelComparison
from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import direction, listed, say, show_difference, show_ends, show_points, show_value
from mandoline_core.metrics import Metric
from mandoline_core.report.words import PLAIN, title_of

METHOD_WIDTH = 165  # pixels of a method's name in a table; it goes on in the next line
WRAPPED = 66  # pixels a row: from 64 on, text goes on in the next line
LARGE = 0.03  # of a share: a spread that matters whatever the intervals
_NEEDS = {
    "features": "columns",
    "transformer": "a model in a folder",
    "scores": "a column of scores",
    "predictions": "answers",
    "probabilities": "probabilities",
}


def agreement(comparison: ModelComparison) -> tuple[str, bool]:
    """Say how far the methods are apart, and whether that is a reason for caution."""
    spread, share = comparison.disagreement, comparison.metric.share
    found = [(e.estimate, n) for n, e in comparison.entries.items() if e.estimate is not None and n != "source"]
    if spread is None:
        only = plain(title_of(found[0][1])) if found else "no method"
        return f"Only {only} has an estimate, so there is nothing to compare it with.", False
    ends = min(found), max(found)
    gap_words = show_difference(spread, share=share)
    intervals = [comparison.entries[name].interval or (0.0, 0.0) for _, name in ends]
    if spread > max((high - low) / 2 for low, high in intervals) and (not share or spread > LARGE):
        lowest, highest = (plain(title_of(name)) for _, name in ends)
        return (
            f"Methods disagree by {gap_words}: look at Trust before you quote one. "
            f"{lowest} says {show_value(ends[0][0], share=share)}, {highest} {show_value(ends[1][0], share=share)}."
        ), True
    return f"The methods agree within {gap_words}.", False


def change_words(entry: Entry, *, share: bool) -> str:
    """Say how a method changes the labelled data's score.

    >>> change_words(Entry("simple", True, change=-0.088, direction="down"), share=True)
    'down 8.8 points'
    >>> change_words(Entry("simple", True, change=-0.001, direction="unchanged"), share=True)
    'unchanged within the interval'
    """
    if entry.change is None:
        return ""
    if entry.direction == "unchanged":
        return "unchanged within the interval" if entry.change else "unchanged"
    return f"{entry.direction} {show_difference(entry.change, share=share)}"


def needs_words(needs: Sequence[str]) -> str:
    """Say what a method looks at.

    >>> needs_words(("slices", "features")), needs_words(())
    ('slices, columns', 'labels alone')
    """
    return listed(_NEEDS.get(need, need) for need in needs) if needs else "labels alone"


def method_table(comparison: ModelComparison, waiting: Sequence[str], coming: Sequence[str] = ()) -> pd.DataFrame:
    """List what each method says, takes for granted and looks at; the error once the truth is there.

    Parameters
    ----------
    waiting : sequence of str
        Methods that run on request, and have not.
    coming : sequence of str
        Methods that are about to run.
    """
    share, lines = comparison.metric.share, []
    for name in [*comparison.entries, *coming, *waiting]:
        entry, estimator = comparison.entries.get(name), get_estimator(name)
        low, high = entry.interval if entry is not None and entry.interval is not None else (None, None)
        value = None if entry is None else entry.estimate
        line: dict[str, object] = {
            "method": title_of(name),
            "estimate": value,
            "low": low,
            "high": high,
            "change": "" if entry is None else change_words(entry, share=share),
        }
        if comparison.truth is not None:
            line["error"] = None if value is None else value - comparison.truth
        line |= {
            "assumes": say(estimator.assumes, PLAIN),
            "looks at": needs_words(estimator.needs),
            "from": "later" if estimator.later else "the paper",
            "note": "Still to come." if name in coming else _note(entry),
        }
        lines.append(line)
    return pd.DataFrame(lines)


def _note(entry: Entry | None) -> str:
    if entry is None:
        return "Not run yet: it runs on request."
    if entry.estimate is None:
        return f"Does not apply: {say(entry.reason or '', PLAIN)}"
    return " ".join(say(finding.message, PLAIN) for finding in entry.findings if finding.severity != "info")


def shown_table(table: pd.DataFrame, *, share: bool) -> pd.DataFrame:
    """Write numbers as people read them, and an interval as one; the download keeps every digit."""
    shown = table.drop(columns=["low", "high"])
    shown = percent(shown, ["estimate"], share=share)
    ranges = [
        "" if pd.isna(low) else show_ends((low, high), share=share)
        for low, high in zip(table["low"], table["high"], strict=True)
    ]
    shown.insert(2, "interval", ranges)
    if "error" in shown:
        shown["error"] = ["" if pd.isna(error) else show_points(error, share=share) for error in table["error"]]
    return shown


def percent(table: pd.DataFrame, columns: Sequence[str], *, share: bool) -> pd.DataFrame:
    """Turn columns of shares into hundredths, for the screen; leave what is no share, and what is not there.

    >>> percent(pd.DataFrame({"error": [0.25]}), ["error", "tau"], share=True)["error"].tolist()
    [25.0]
    """
    there = [column for column in columns if column in table]
    return table.assign(**{column: table[column].astype(float) * (100 if share else 1) for column in there})


def ranking_table(comparison: Comparison) -> pd.DataFrame:
    """List how each method ranks the models and, where the truth is known, how right it was."""
    known = any(ranking.mean_absolute_error is not None for ranking in comparison.rankings.values())
    lines = []
    for name, ranking in comparison.rankings.items():
        if not ranking.order:
            continue
        line: dict[str, object] = {"method": title_of(name), "models, best first": ", ".join(ranking.order)}
        if known:
            line |= {
                "mean error": ranking.mean_absolute_error,
                "largest error": ranking.max_absolute_error,
                "tau": ranking.tau,
                "p": ranking.p_value,
            }
        lines.append(line)
    return pd.DataFrame(lines)


def difference_sentence(found: Difference, metric: Metric) -> str:
    """Say which of two models is better by one method, and by how much."""
    first, second, (low, high) = plain(found.first), plain(found.second), found.interval
    value = found.value
    if (value < 0) != (metric.better == "lower"):
        first, second, value, low, high = second, first, -value, -high, -low
    if metric.better == "lower":  # the better one has the smaller value; a difference is said as a gain
        value, low, high = -value, -high, -low
    word = "higher" if metric.better == "near 0" else "better"
    ends = " to ".join(show_points(end, share=metric.share, sign=False, unit=False) for end in (low, high))
    gap_words = show_difference(value, share=metric.share)
    if low <= 0 <= high:
        same = direction(value, share=metric.share) == "the same"
        gap = "no difference" if same else f"{first} is {gap_words} {word}"
        return f"**{first}** and **{second}** cannot be told apart: {gap} ({ends}), same rows."
    return f"**{first}** is {gap_words} {word} than **{second}** ({ends}), same rows."


def difference_table(differences: Sequence[Difference]) -> pd.DataFrame:
    """List every pair of models by every method: the first's estimate minus the second's."""
    return pd.DataFrame(
        [
            {
                "method": title_of(found.estimator),
                "first": found.first,
                "second": found.second,
                "first minus second": found.value,
                "low": found.interval[0],
                "high": found.interval[1],
            }
            for found in differences
        ]
    )


def duration(seconds: float) -> str:
    """Write roughly how long something takes.

    >>> duration(4), duration(20), duration(60), duration(400)
    ('a few seconds', 'about half a minute', 'about a minute', 'about 7 minutes')
    """
    if seconds < 90:
        return "a few seconds" if seconds < 12 else "about half a minute" if seconds < 45 else "about a minute"
    return f"about {seconds / 60:.0f} minutes"
