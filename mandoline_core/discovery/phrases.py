"""Phrases: which rows contain which two words in a row, as a keyword slice counts them; and words that say little."""

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
# Function words hold sentences together and say little about what a row is about, so rules on them come last.
# Words of negation are not among them: what they do to a sentence is what models get wrong.
_WORDS = """
a about after again all also am an and any are as at be because been before being both but by can could did do does
doing done for from had has have having he her here hers herself him himself his how i if in into is it its itself
just may me might more most must my myself of off on once only or other our ours ourselves out over own same shall
she should so some such than that the their theirs them themselves then there these they this those through to too
under until up us very was we were what when where which while who whom whose why will with would you your yours
yourself yourselves i'm i've i'd i'll it's he's she's that's there's you're we're they're
"""
_FUNCTION_WORDS = frozenset(_WORDS.split())


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
    distinct_keys, key_of, counts = np.unique(keys, return_inverse=True, return_counts=True)
    often = counts >= fewest
    column = np.where(often, np.cumsum(often) - 1, -1)[key_of]
    kept: Index = distinct_keys[often]
    marked = column >= 0
    table = csr_matrix((np.ones(int(marked.sum())), (rows[marked], column[marked])), shape=(len(texts), len(kept)))
    table.sum_duplicates()
    table.data[:] = 1.0
    return table, [f"{words[key // len(words)]} {words[key % len(words)]}" for key in kept]


def _number(match: re.Match[str] | None, numbers: dict[str, int]) -> int:
    """Return the number of the word at an end of a piece; -1 where punctuation or an unknown word is there."""
    if match is None or match[0][0] in _APOSTROPHES or match[0][-1] in _APOSTROPHES:
        return -1
    return numbers.get(match[0].replace("\u2019", "'"), -1)


def has_function_word(phrase: str) -> bool:
    """Tell whether a word is a function word, or a phrase has one.

    >>> has_function_word("of"), has_function_word("waste of"), has_function_word("not good")
    (True, True, False)
    """
    return any(word in _FUNCTION_WORDS for word in phrase.split())
