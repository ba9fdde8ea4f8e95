"""Features: columns of two samples as matrices, and the base of estimators on columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_matrix, hstack, issparse

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import SAMPLE_CACHE, Sample, arrow_array, profile_column
from mandoline_core.domain_classifier import common_kind, default_columns, one_thread
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimators.base import (
    Estimator,
    Outcome,
    evaluate_rows,
    row_influence,
    row_outcome,
    rows_of,
    what_stops,
    why_not_whole,
)
from mandoline_core.findings import Finding, rows_sampled
from mandoline_core.formatting import listed
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem

Matrix: TypeAlias = Floats | csr_matrix

MOST_LEVELS = 50  # of a column of categories; the rest is one level, "(other)"
MOST_WORDS = 2000  # of a column of text
MOST_DENSE = 200  # columns of a matrix that is kept dense whatever is in it
MOSTLY_ZERO = 0.3  # a wider matrix, or one with text, is kept sparse when less than this share of it is not zero
_WORD = r"\w+(?:['\u2019]\w+)*"  # also words of one letter, and with an apostrophe inside
_CONSTANT = "the same value in every row"
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Features:
    """Hold rows of two samples as points in one space.

    Parameters
    ----------
    source, target : array of float or csr_matrix, shape (n_source_used, d) and (n_target_used, d)
        Dense, or both CSR when there is text or many columns.
    source_rows, target_rows : array of int, shape (n_source_used,) and (n_target_used,)
        The row of the sample that each row of the matrix is; sorted.
    names : tuple of str, length d
        Such as "n_words", "n_words missing", "category=film" and "text:not".
    columns : tuple of str
        The samples' columns that are in the matrix.
    left_out : mapping of str to str
        Columns that are not, and why.
    findings : tuple of Finding
        What to know about the choice of rows.
    """

    source: Matrix
    target: Matrix
    source_rows: Index
    target_rows: Index
    names: tuple[str, ...]
    columns: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


def build_features(
    source: Sample,
    target: Sample,
    columns: Sequence[str] | None = None,
    *,
    max_rows: int = 10_000,
    seed: int = 0,
) -> Features:
    """Turn columns of two samples into one matrix each.

    Numbers, true/false and dates are standardised by the mean and the standard deviation of the rows of both samples
    together; a missing one is 0, with a 0/1 column that says so. Categories become one 0/1 column a level. Text
    becomes TF-IDF of its words, each row of length 1.

    Parameters
    ----------
    columns : sequence of str, optional
        Those of `default_columns` when not given; any column of both samples is allowed.
    max_rows : int
        Larger samples are drawn down to this number of rows, the same for any columns.
    seed : int
        Of the draw.

    Examples
    --------
    >>> import pandas as pd
    >>> source = Sample(pd.DataFrame({"age": [30.0, None, 30.0], "place": ["a", "b", "a"]}))
    >>> target = Sample(pd.DataFrame({"age": [50.0], "place": ["c"]}))
    >>> features = build_features(source, target)
    >>> features.names
    ('age', 'age missing', 'place=a', 'place=b', 'place=c')
    >>> features.source.round(2).tolist()[:2], features.target.round(2).tolist()
    ([[-0.71, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0, 0.0]], [[1.41, 0.0, 0.0, 0.0, 1.0]])
    """
    if columns is None:
        chosen, left_out = default_columns(source, target)
    else:
        chosen, left_out = tuple(dict.fromkeys(columns)), {}
    if not chosen:
        raise DataError(_no_column(left_out))
    rows = draw_rows(source, target, max_rows, seed)
    blocks = {}
    for column in chosen:
        block = _encode(column, source, target, rows)
        if block.names:
            blocks[column] = block
        else:
            left_out[column] = block.empty
    if not blocks:
        raise DataError(_no_information({column: left_out[column] for column in chosen}))
    matrix = _join(list(blocks.values()))
    names = tuple(name for block in blocks.values() for name in block.names)
    n = len(rows[0])
    return Features(matrix[:n], matrix[n:], *rows, names, tuple(blocks), left_out)


def draw_rows(source: Sample, target: Sample, max_rows: int, seed: int) -> tuple[Index, Index]:
    """Draw at most a number of rows from each sample, in order; all methods on columns see the same.

    Examples
    --------
    >>> import pandas as pd
    >>> one, two = Sample(pd.DataFrame({"a": range(9)})), Sample(pd.DataFrame({"a": range(3)}))
    >>> [len(rows) for rows in draw_rows(one, two, max_rows=5, seed=0)]
    [5, 3]
    """
    rng = np.random.default_rng(seed)
    return _draw(source, max_rows, rng), _draw(target, max_rows, rng)


class _Block(NamedTuple):
    """The columns of the matrix that one column becomes; why, if there is no such column."""

    values: Matrix
    names: list[str]
    empty: str = _CONSTANT
    is_text: bool = False


def read_column(sample: Sample, column: str, kind: str, rows: slice | Index | None = None) -> pa.Array:
    """Return a column, or some rows of it, in one type for each kind, the same for every engine."""
    goal = pa.large_string() if kind == "text" else pa.float64()
    series = sample.series(column) if rows is None else sample.series(column)[rows]
    if sample.schema[column] == nw.Unknown:
        return pa.nulls(len(series), goal)
    array = arrow_array(series)
    if kind in ("dates", "times", "durations"):
        zone = array.type.tz if pa.types.is_timestamp(array.type) else None
        ticks = {"dates": pa.timestamp("us", zone), "times": pa.time64("us"), "durations": pa.duration("us")}
        array = pc.cast(pc.cast(array, ticks[kind], safe=False), pa.int64())
    return pc.cast(array, goal, safe=False)


def _draw(sample: Sample, max_rows: int, rng: np.random.Generator) -> Index:
    if sample.n_rows <= max_rows:
        return np.arange(sample.n_rows)
    return np.sort(rng.choice(sample.n_rows, max_rows, replace=False))


def _encode(column: str, source: Sample, target: Sample, rows: tuple[Index, Index]) -> _Block:
    for sample in (source, target):
        if column not in sample.columns:
            raise DataError.missing_column(column, sample.name, sample.columns)
    kind, wrong = common_kind(column, source, target)
    if kind is None:
        raise DataError(f"Column {column!r} {wrong}. Choose other columns in [methods], or change its values.")
    samples = zip((source, target), rows, strict=True)
    used = pa.concat_arrays([read_column(sample, column, kind, some) for sample, some in samples])
    if kind != "text":
        return _numbers(column, used.to_numpy(zero_copy_only=False).copy())
    if profile_column(column, source, target, most_levels=MOST_LEVELS).is_prose:
        return _words(column, used)
    return _levels(column, used)


def _numbers(column: str, values: Floats) -> _Block:
    """Standardise numbers; infinity counts as missing."""
    finite = np.isfinite(values)
    present, parts = values[finite], {}
    if not len(present):
        return _Block(np.empty((len(values), 0)), [], "no values")
    if present.min() < present.max():
        present = present / np.abs(present).max()  # so that no square is beyond what a float holds
        centred = present - present.mean()
        standard = np.zeros(len(values))
        standard[finite] = centred / np.sqrt(np.mean(centred**2))
        parts[column] = standard
    if not finite.all():
        parts[f"{column} missing"] = (~finite).astype(float)
    return _Block(np.column_stack([np.empty((len(values), 0)), *parts.values()]), list(parts))


def _levels(column: str, values: pa.Array) -> _Block:
    """Give each frequent level a 0/1 column, most frequent first, then the other levels together, then missing."""
    encoded = values.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    levels = np.array(encoded.dictionary.to_pylist(), dtype=object)
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    order = sorted(range(len(levels)), key=lambda code: (-counts[code], levels[code]))
    names = [f"{column}={levels[code]}" for code in order[:MOST_LEVELS]]
    columns = np.empty(len(levels) + 1, dtype=np.intp)
    columns[order] = np.minimum(np.arange(len(levels)), MOST_LEVELS)
    names += [f"{column}=(other)"] if len(levels) > MOST_LEVELS else []
    columns[-1] = len(names)  # what code -1 reads
    names += [f"{column}=(missing)"] if (codes < 0).any() else []
    if len(names) < 2:
        return _Block(np.empty((len(codes), 0)), [])
    ones, starts = np.ones(len(codes)), np.arange(len(codes) + 1)
    return _Block(csr_matrix((ones, columns[codes], starts), shape=(len(codes), len(names))), names)


def _words(column: str, values: pa.Array) -> _Block:
    """Weigh the words of each row by TF-IDF."""
    # Slow to import, and of use to projects with text alone.
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, max_features=MOST_WORDS, token_pattern=_WORD)
    try:
        matrix = csr_matrix(vectorizer.fit_transform(values.fill_null("").to_pylist()))
        names = [f"{column}:{word}" for word in vectorizer.get_feature_names_out()]
    except ValueError:  # no word is left
        matrix, names = csr_matrix((len(values), 0)), []
    if values.null_count:
        missing = values.is_null().to_numpy(zero_copy_only=False).astype(float)
        matrix, names = hstack([matrix, csr_matrix(missing[:, None])], format="csr"), [*names, f"{column} missing"]
    return _Block(matrix, names, "no word in two rows", is_text=True)


def _join(blocks: Sequence[_Block]) -> Matrix:
    if any(block.is_text for block in blocks) or sum(len(block.names) for block in blocks) > MOST_DENSE:
        joined = csr_matrix(hstack([csr_matrix(block.values) for block in blocks], format="csr"))
        if joined.nnz < MOSTLY_ZERO * joined.shape[0] * joined.shape[1]:
            return joined
        return joined.toarray()
    return np.hstack(
        [csr_matrix(block.values).toarray() if issparse(block.values) else block.values for block in blocks]
    )


def _no_column(left_out: Mapping[str, str]) -> str:
    if not left_out:
        return "No columns to compare. Set features in [methods]."
    reasons = listed((f"{column} ({why})" for column, why in left_out.items()), most=6)
    return f"No usable columns to compare: {reasons}. Set features in [methods]."


def _no_information(reasons: Mapping[str, str]) -> str:
    names = [repr(column) for column in reasons]
    if set(reasons.values()) != {_CONSTANT}:
        why = listed((f"{column!r} ({reason})" for column, reason in reasons.items()), most=6)
        return f"The chosen columns carry no information: {why}. Choose other columns in [methods]."
    what = f"Column {names[0]} has" if len(names) == 1 else f"Columns {listed(names[:-1])} and {names[-1]} have"
    return f"{what} {_CONSTANT}. Choose other columns in [methods]."


class OnFeatures(Estimator):
    """Run a method that weights rows by their columns; a subclass says how in `fit`.

    A fit does not depend on the model, so it is made once for all models of the same samples. One that is not a ratio
    at every row also says how to `evaluate` it.
    """

    premise = "columns"
    needs: tuple[str, ...] = ("features",)

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        if problem.rows is None:
            return "This method needs rows with columns. Only slice codes are given."
        return why_not_whole(problem) or what_stops(lambda: see_rows(problem))

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its sampling error."""
        seen = see_rows(problem)
        scored = rows_of(problem).scored
        # One set of scored source rows is told from another.
        which = b"" if scored.all() else np.packbits(scored).tobytes()
        methods = problem.methods
        key = (self.name, methods.features, methods.max_rows, problem.seed, self.tuning(methods), which)
        return self.evaluate(problem, seen, remembered(problem, key, lambda: self.fit(problem, seen)))

    def tuning(self, methods: MethodSettings) -> Hashable:  # noqa: ARG002 - for subclasses with settings
        """Name the settings that a fit depends on, those of the features aside."""
        return ()

    @abstractmethod
    def fit(self, problem: Problem, seen: Features) -> Any:
        """Fit the weights on the columns, without the model's scores."""

    def evaluate(self, problem: Problem, seen: Features, fitted: Any) -> Outcome:
        """Evaluate the metric with a fitted ratio (`PointRatios`), with influence through the fit."""
        evaluation, weights = evaluate_rows(problem, seen.source_rows, fitted.ratios)
        of_source, of_target = fitted.through_fit(evaluation.slopes)
        spread = row_influence(
            problem,
            (seen.source_rows, weights * evaluation.slopes + of_source / len(of_source)),
            (seen.target_rows, of_target / len(of_target)),
        )
        return row_outcome(problem, evaluation, seen.source_rows, weights, spread, (*seen.findings, *fitted.findings))


def see_rows(problem: Problem, columns: tuple[str, ...] = ()) -> Features:
    """Build the features of scored source rows and target rows, up to the row limit.

    Parameters
    ----------
    columns : tuple of str
        Those of [methods] when empty.
    """
    rows, methods = rows_of(problem), problem.methods
    chosen = columns or methods.features
    features: Features = remembered(
        problem,
        ("matrix", chosen, methods.max_rows, problem.seed),
        lambda: build_features(rows.source, rows.target, chosen or None, max_rows=methods.max_rows, seed=problem.seed),
    )
    scored = rows.scored[features.source_rows]
    if not scored.any():
        raise MandolineError("No labelled row in the random sample has a score. Raise max_rows in [methods].")
    among_scored = np.cumsum(rows.scored) - 1
    return replace(
        features,
        source=features.source[scored],
        source_rows=among_scored[features.source_rows[scored]],
        findings=about_rows(problem, int(scored.sum()), len(features.target_rows)),
    )


def about_rows(problem: Problem, *used: int) -> tuple[Finding, ...]:
    """Report the rows used, if not all."""
    n_source, n_target = len(problem.members.source), len(problem.members.target)
    remedy = "Raise max_rows in [methods] to use more."
    return rows_sampled("rows_drawn", used[0], n_source, used[1], n_target, remedy=remedy)


def remembered(problem: Problem, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """Compute what does not depend on the model once for all models of the same samples.

    On one thread: these are many small products, which threads that wait for each other on a busy machine can
    slow down twentyfold.
    """

    def on_one_thread() -> T:
        with one_thread():
            return compute()

    rows = rows_of(problem)
    return SAMPLE_CACHE.of((rows.source, rows.target), ("features", *key), on_one_thread)
