"""Phrases: which rows contain which two words in a row, counted as a keyword slice counts them."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_matrix

from mandoline_core.arrays import Index

_HEAD = re.compile(r"[\w'\u2019]+")
_TAIL = re.compile(r"[\w'\u2019]+$")
_APOSTROPHES = "'\u2019"


def phrases_of(texts: pa.Array, words: list[str], fewest: int) -> tuple[csr_matrix, list[str]]:
    """Find pairs of known words with nothing but white space between them.

    Parameters
    ----------
    texts : pyarrow.Array of large_string, shape (n_rows,)
    words : list of str
        In lower case; other words make no phrase.
    fewest : int
        Occurrences that a phrase must have.

    Returns
    -------
    rows : csr_matrix of float, shape (n_rows, n_phrases)
        1 where a row contains a phrase.
    names : list of str

    Examples
    --------
    >>> texts = pa.array(["Not good. At all", "it is NOT good", "good, not"], pa.large_string())
    >>> rows, names = phrases_of(texts, ["not", "good", "at", "all"], 2)
    >>> names, rows.toarray().ravel().tolist()
    (['not good'], [1.0, 1.0, 0.0])
    """
    lists = pc.ascii_split_whitespace(texts.fill_null(""))
    parents = pc.list_parent_indices(lists).to_numpy()
    pieces = pc.list_flatten(lists).dictionary_encode()
    numbers = {word: number for number, word in enumerate(words)}
    distinct = pc.utf8_lower(pieces.dictionary).to_pylist()
    heads = np.array([_number(_HEAD.match(piece), numbers) for piece in distinct], dtype=np.int64)
    tails = np.array([_number(_TAIL.search(piece), numbers) for piece in distinct], dtype=np.int64)
    index = pieces.indices.to_numpy()
    first, second = tails[index[:-1]], heads[index[1:]]
    joined = (first >= 0) & (second >= 0) & (parents[:-1] == parents[1:])
    keys, rows = first[joined] * len(words) + second[joined], parents[:-1][joined]
    found, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    often = counts >= fewest
    column = np.where(often, np.cumsum(often) - 1, -1)[place]
    kept: Index = found[often]
    here = column >= 0
    table = csr_matrix((np.ones(int(here.sum())), (rows[here], column[here])), shape=(len(texts), len(kept)))
    table.sum_duplicates()
    table.data[:] = 1.0
    return table, [f"{words[key // len(words)]} {words[key % len(words)]}" for key in kept]


def _number(found: re.Match[str] | None, numbers: dict[str, int]) -> int:
    """Return the number of the word at an end of a piece; -1 where punctuation or an unknown word is there."""
    if found is None or found[0][0] in _APOSTROPHES or found[0][-1] in _APOSTROPHES:
        return -1
    return numbers.get(found[0].replace("\u2019", "'"), -1)
