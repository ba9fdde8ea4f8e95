"""The words for the two samples, labelled data and new data, and what a method is called."""

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
