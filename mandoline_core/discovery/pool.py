"""The pool: every slice worth a look, with what it says of a draw of rows. No score is looked at to make it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_matrix, hstack

from mandoline_core.arrays import Bools, Codes, Floats, Index
from mandoline_core.data import Sample
from mandoline_core.discovery.column_rules import column_rules, model_rules
from mandoline_core.discovery.function_words import is_function
from mandoline_core.discovery.phrases import phrases_of
from mandoline_core.domain_classifier import MIN_ROWS_OF_WORD, choose_words, words_of
from mandoline_core.errors import MandolineError
from mandoline_core.pipeline import HARMLESS, DrawnColumns, Fit, keyword_rule
from mandoline_core.slices import Keyword, Slice, codes, free_name, resolve
from mandoline_core.weighting import Rows

MOST_WORDS, FREQUENT_WORDS, MOST_PHRASES = 1500, 300, 500  # of a text column
FEWEST_SOURCE, FEWEST_TARGET = 20, 10  # rows inside, and rows outside


@dataclass(frozen=True, eq=False)
class Pool:
    """Hold rules with what they say of the rows drawn from both samples.

    Parameters
    ----------
    rules : tuple of Slice
        As a project would hold them; some stand for several slices.
    rule_of : array of int, shape (n_columns,)
        The rule that each column belongs to.
    source, target : csr_matrix, shape (n_drawn, n_columns)
        1 inside, 0 outside; where a slice abstains, its share among the rows where it does not.
    source_rows, target_rows : array of int
        The rows that were drawn, among the scored source rows and the target rows.
    last : array of bool, shape (n_columns,)
        Slices on function words, which come last.
    """

    rules: tuple[Slice, ...]
    rule_of: Index
    source: csr_matrix
    target: csr_matrix
    source_rows: Index
    target_rows: Index
    last: Bools


class _Table(NamedTuple):
    """Rules with what they say of the drawn rows, before support is asked for."""

    rules: list[Slice]
    places: list[int]
    source: csr_matrix
    target: csr_matrix


def make_pools(prepared: Sequence[Fit], taken: Sequence[Slice]) -> tuple[Pool, ...]:
    """List candidates for each model, with what they say of the drawn rows; none on columns declared harmless.

    Parameters
    ----------
    taken : sequence of Slice
        Rules that are there already; the model's own answers are offered where no rule speaks of them.
    """
    shared: dict[bytes, _Table] = {}
    pools = []
    for one in prepared:
        counted = one.cells
        rows, drawn = counted.rows, counted.drawn
        if rows is None or drawn is None:
            raise MandolineError("Slices are found in the columns of rows, and only slice codes are known here.")
        drawn = drawn.without(one.trust.harmless, HARMLESS)
        samples = (
            _sample_of(rows.source, np.flatnonzero(rows.scored)[drawn.source_rows]),
            _sample_of(rows.target, drawn.target_rows),
        )
        key = rows.scored.tobytes()
        if key not in shared:
            shared[key] = _of_columns(rows, drawn, samples)
        own = _evaluate(list(model_rules(rows.model, taken)), rows, samples)
        names = {*(rule.name for rule in taken), *counted.origins}
        pools.append(_pool(drawn, _joined(shared[key], own), names))
    return tuple(pools)


def _of_columns(rows: Rows, drawn: DrawnColumns, samples: tuple[Sample, Sample]) -> _Table:
    found = _evaluate(list(column_rules(drawn, samples)), rows, samples)
    for column, encoded in drawn.encoded.items():
        if encoded.kind == "text":
            found = _joined(found, _words(column, samples))
    return found


def _joined(one: _Table, other: _Table) -> _Table:
    return _Table(
        [*one.rules, *other.rules],
        [*one.places, *(place + len(one.rules) for place in other.places)],
        csr_matrix(hstack([one.source, other.source])),
        csr_matrix(hstack([one.target, other.target])),
    )


def _pool(drawn: DrawnColumns, whole: _Table, names: Collection[str]) -> Pool:
    """Keep what has rows inside and outside, in both samples, under names that are free."""
    keep = supported(whole.source, whole.target)
    place = np.array(whole.places, dtype=np.intp)[keep]
    last = np.array([isinstance(rule, Keyword) and is_function(rule.words[0]) for rule in whole.rules], dtype=bool)
    return Pool(
        tuple(replace(rule, name=free_name(rule.name, names)) for rule in whole.rules),
        place,
        csr_matrix(whole.source[:, keep]),
        csr_matrix(whole.target[:, keep]),
        drawn.source_rows,
        drawn.target_rows,
        last[place],
    )


def shares(code: Codes) -> Floats:
    """Turn a slice's codes into the chance of being inside: its share where it abstains.

    >>> shares(np.array([1, -1, 0, 1, -1], dtype=np.int8)).tolist()
    [1.0, 0.0, 0.5, 1.0, 0.0]
    """
    inside = (code == 1).astype(float)
    known = code != 0
    if known.all() or not known.any():
        return inside
    return np.where(known, inside, inside[known].mean())


def _sample_of(sample: Sample, rows: Index) -> Sample:
    """Take some rows of a sample."""
    if len(rows) == sample.n_rows:
        return sample
    return Sample(sample.frame[rows], label=sample.label, models=sample.models, name=sample.name)


def _evaluate(rules: Sequence[Slice], rows: Rows, samples: tuple[Sample, Sample]) -> _Table:
    """Evaluate rules on the drawn rows, leaving out those that the data do not allow."""
    allowed: list[Slice] = []
    members: list[Slice] = []
    places: list[int] = []
    for rule in rules:
        try:
            some = resolve([rule], *samples, rows.model)
        except MandolineError:
            continue
        places += [len(allowed)] * len(some)
        members += some
        allowed.append(rule)
    tables = [
        csr_matrix(np.column_stack([shares(column) for column in codes(sample, members).T]))
        if members
        else csr_matrix((sample.n_rows, 0))
        for sample in samples
    ]
    return _Table(allowed, places, *tables)


def _words(column: str, samples: tuple[Sample, Sample]) -> _Table:
    """List the words and phrases of a text column that are frequent, or shift most."""
    n, sizes = samples[0].n_rows, (samples[0].n_rows, samples[1].n_rows)
    texts = pa.concat_arrays([_texts(column, sample) for sample in samples])
    words = words_of(texts)
    table, names = _most(words.rows, words.names, n, sizes, MOST_WORDS, FREQUENT_WORDS)
    pairs, phrases = phrases_of(texts, names, MIN_ROWS_OF_WORD)
    more, chosen = _most(pairs, phrases, n, sizes, MOST_PHRASES, 0)
    both = csr_matrix(hstack([table, more]))
    rules = [keyword_rule(column, name) for name in (*names, *chosen)]
    return _Table(list(rules), list(range(len(rules))), csr_matrix(both[:n]), csr_matrix(both[n:]))


def _texts(column: str, sample: Sample) -> pa.Array:
    array = sample.series(column).to_arrow()
    whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return pc.cast(whole, pa.large_string())


def _most(
    table: csr_matrix, names: list[str], n: int, sizes: tuple[int, int], most: int, frequent: int
) -> tuple[csr_matrix, list[str]]:
    here, there = (np.asarray(side.sum(axis=0)).ravel() for side in (table[:n], table[n:]))
    tried = np.flatnonzero((here >= FEWEST_SOURCE) & (there >= FEWEST_TARGET))
    chosen = np.sort(tried[choose_words(here[tried], there[tried], *sizes, most=most, frequent=frequent)])
    return csr_matrix(table[:, chosen]), [names[number] for number in chosen]


def supported(source: csr_matrix, target: csr_matrix) -> Bools:
    """Tell which columns have enough rows inside and outside, in both samples."""
    enough = np.ones(source.shape[1], dtype=bool)
    for table, fewest in ((source, FEWEST_SOURCE), (target, FEWEST_TARGET)):
        inside = np.asarray(table.sum(axis=0)).ravel()
        enough &= (inside >= fewest) & (inside <= table.shape[0] - fewest)
    return enough
