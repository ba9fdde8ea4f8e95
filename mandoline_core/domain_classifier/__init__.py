"""Telling apart: two samples go in; the columns that may tell their rows apart come out, encoded row by row.

With them comes a classifier that tries: how well it tells the samples apart, and by what.
"""

from __future__ import annotations

from mandoline_core.domain_classifier.choosing import BEYOND, MOST_COLUMNS, default_columns, kind_in_both
from mandoline_core.domain_classifier.classifier import Carrier, Design, Telling, design_of, name_carriers, tell_apart
from mandoline_core.domain_classifier.encoding import (
    A_DATE,
    MIN_ROWS_OF_WORD,
    MOST_LEVELS,
    OTHER,
    ColumnKind,
    EncodedColumn,
    choose_words,
    encode_column,
)
from mandoline_core.domain_classifier.logistic import fit_logistic
from mandoline_core.domain_classifier.scoring import RowScores, score_samples
from mandoline_core.domain_classifier.threads import one_thread
from mandoline_core.domain_classifier.words import LETTERS, words_of
