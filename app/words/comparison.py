"""Methods and models compared, in tables: data in, pandas frames out."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mandoline_core.comparison import Comparison, Difference, Entry, ModelComparison
from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import listed, show_ends, show_points
from mandoline_core.report.words import methods, title_of

METHOD_WIDTH = 165  # pixels of a method's name in a table; it wraps
WRAPPED = 66  # pixels a row: from 64 on, text wraps
_NEEDS = {
    "features": "columns",
    "transformer": "a model folder",
    "scores": "a column of scores",
    "predictions": "predictions",
    "probabilities": "probabilities",
}


def needs_words(needs: Sequence[str]) -> str:
    """Say what a method uses.

    >>> needs_words(("slices", "features")), needs_words(())
    ('slices, columns', 'labels')
    """
    return listed(_NEEDS.get(need, need) for need in needs) if needs else "labels"


def method_table(comparison: ModelComparison, waiting: Sequence[str], coming: Sequence[str] = ()) -> pd.DataFrame:
    """List the estimate, assumptions and inputs of each method; its error once the true value is revealed.

    Parameters
    ----------
    waiting : sequence of str
        Methods that run on request and have not run.
    coming : sequence of str
        Methods that will run.
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
            "change": "" if entry is None else methods.entry_change(entry, share=share),
        }
        if comparison.truth is not None:
            line["error"] = None if value is None else value - comparison.truth
        line["self-test"] = "" if entry is None else methods.self_tested(entry, share=share)
        line |= {
            "assumes": estimator.assumes,
            "uses": needs_words(estimator.needs_for(comparison.metric)),
            "from": "later" if estimator.later else "the paper",
            "note": "Running." if name in coming else _note(entry),
        }
        lines.append(line)
    return pd.DataFrame(lines)


def _note(entry: Entry | None) -> str:
    if entry is None:
        return "Runs on request."
    if entry.estimate is None:
        return f"Does not apply: {entry.reason or ''}"
    failed = "Fails its self-test: off by more than its interval allows." if entry.failed else ""
    doubts = (finding.text for finding in entry.findings if finding.severity != "info")
    return " ".join(said for said in (failed, entry.interval_note, *doubts) if said)


def shown_table(table: pd.DataFrame, *, share: bool) -> pd.DataFrame:
    """Round numbers, and join the ends of intervals; the download keeps every digit."""
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
    """Turn columns of shares into percentages; leave others, and missing ones.

    >>> percent(pd.DataFrame({"error": [0.25]}), ["error", "tau"], share=True)["error"].tolist()
    [25.0]
    """
    there = [column for column in columns if column in table]
    return table.assign(**{column: table[column].astype(float) * (100 if share else 1) for column in there})


def ranking_table(comparison: Comparison) -> pd.DataFrame:
    """List how each method ranks the models and, where the true value is known, its errors."""
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
            if found.interval is not None
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
