"""The domain classifier: can two samples be told apart, and by what.

Two samples go in; the columns that may tell their rows apart come out, encoded row by row. With them comes a classifier
that tries: how well it tells the samples apart, and by what.
"""

from __future__ import annotations

from mandoline_core.domain_classifier.classifier import (
    DomainClassifier,
    RowScores,
    TopFeature,
    auc,
    design_matrix,
    fit_domain_classifier,
    name_features,
    score_samples,
)
from mandoline_core.domain_classifier.columns import (
    A_DATE,
    BEYOND,
    MIN_ROWS_OF_WORD,
    MOST_COLUMNS,
    MOST_LEVELS,
    OTHER,
    ColumnKind,
    EncodedColumn,
    choose_words,
    common_kind,
    default_columns,
    encode_column,
)
from mandoline_core.domain_classifier.logistic import fit_logistic, one_thread
from mandoline_core.domain_classifier.words import LETTERS, words_of
