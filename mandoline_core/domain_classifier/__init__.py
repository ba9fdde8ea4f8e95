"""The domain classifier: how well a model distinguishes two samples, and by which columns.

Two samples go in; out come their columns, encoded row by row, and a cross-fitted classifier: how well it distinguishes
the samples, and by what.
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
from mandoline_core.domain_classifier.naming import NamingColumn, find_naming, find_naming_date
from mandoline_core.domain_classifier.words import LETTERS, words_of
