"""Words of texts: which rows contain which word, counted as a keyword slice counts them."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_matrix

from mandoline_core.arrays import Index

# What may stand inside a class of a regular expression: the letters of a word in any script.
LETTERS = r"\p{L}\p{M}\p{N}_"
_BETWEEN = rf"[^{LETTERS}'\x{{2019}}]+"  # what stands between words; apostrophes are looked at later
_APOSTROPHE = re.compile("['\u2019]")
_AT_ONCE = 4096  # texts that are split at a time
_MOST_PARTS = 4  # of a word with apostrophes


def words_of(texts: pa.Array) -> tuple[csr_matrix, list[str]]:
    """Find the words of texts: what a keyword slice with that one word would find, row by row.

    A word is a run of word characters, in lower case; runs joined by apostrophes are also a word
    together ("don't"), and a run is only listed if it occurs alone somewhere ("t" does not). One letter is not a word.

    Parameters
    ----------
    texts : pyarrow.Array of large_string, shape (n_rows,)
        Missing texts contain nothing.

    Returns
    -------
    rows : csr_matrix of float, shape (n_rows, n_words)
        1 where a row contains a word.
    words : list of str
        Lower case, sorted.

    Examples
    --------
    >>> rows, words = words_of(pa.array(["Don't STOP, stop!", None, "stop-gap"], pa.large_string()))
    >>> words, rows.toarray().tolist()
    (["don't", 'gap', 'stop'], [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    """
    pieces, starts = _pieces(texts)
    dictionary = pieces.chunk(0).dictionary if pieces.num_chunks else pa.array([], pa.large_string())
    numbers: dict[str, int] = {}
    alone: set[str] = set()
    # There are far fewer distinct pieces than pieces: only they are looked at closely.
    words_in = [
        [numbers.setdefault(word, len(numbers)) for word in _words(runs, alone)]
        for runs in pc.split_pattern_regex(pc.utf8_lower(dictionary), _BETWEEN).to_pylist()
    ]
    lengths = np.array([len(words) for words in words_in], dtype=np.int64)
    flat = np.array([number for words in words_in for number in words], dtype=np.int64)
    shape = (len(words_in), len(numbers))
    vocabulary = _indicators(flat, np.concatenate([[0], np.cumsum(lengths)]), shape)
    # Pieces lie as such a matrix does, row after row; one that a text repeats is there once.
    columns = np.concatenate([np.empty(0, np.int32), *(part.indices.to_numpy() for part in pieces.chunks)])
    rows = _indicators(columns, starts, (len(texts), len(words_in)))
    del pieces, columns  # of no more use, and large
    pa.default_memory_pool().release_unused()
    rows.sum_duplicates()
    rows = rows @ vocabulary
    names = sorted(word for word in numbers if word in alone and len(word) > 1)
    return csr_matrix(rows[:, [numbers[word] for word in names]], dtype=float), names


def _pieces(texts: pa.Array) -> tuple[pa.ChunkedArray, Index]:
    """Split texts at white space: numbers of the distinct pieces, row after row, and where each row starts.

    Some rows at a time: the pieces of all of them, written out, would take several times the room of the texts.
    """
    parts, lengths = [], [np.zeros(1, np.int64)]
    for start in range(0, len(texts), _AT_ONCE):
        lists = pc.ascii_split_whitespace(texts[start : start + _AT_ONCE].fill_null(""))
        parts.append(pc.list_flatten(lists).dictionary_encode())
        lengths.append(pc.list_value_length(lists).to_numpy())
    kind = pa.dictionary(pa.int32(), pa.large_string())
    return pa.chunked_array(parts, kind).unify_dictionaries(), np.cumsum(np.concatenate(lengths))


def _indicators(columns: Index, starts: Index, shape: tuple[int, int]) -> csr_matrix:
    """Say which columns each row has: true or false takes an eighth of the room of a number."""
    return csr_matrix(
        (np.ones(len(columns), dtype=bool), columns.astype(np.int32), starts.astype(np.int32)), shape=shape
    )


def _words(runs: list[str], alone: set[str]) -> list[str]:
    """List what keyword slices find in a piece: each run, and runs joined by apostrophes."""
    words: dict[str, None] = {}
    for run in runs:
        if run.isascii() and "'" not in run:  # most are: there is nothing to take apart or to spell otherwise
            if run:
                alone.add(run)
                words[run] = None
            continue
        # The third apostrophe counts as a letter, so a word that holds it is one run.
        parts = [unicodedata.normalize("NFC", part).replace("\u02bc", "'") for part in _APOSTROPHE.split(run)]
        inner = [number for number, part in enumerate(parts) if part]
        if not inner:
            continue
        first, last = inner[0], inner[-1]
        alone.add("'".join(parts[first : last + 1]))
        for start in range(first, last + 1):
            for stop in range(start + 1, min(last + 1, start + _MOST_PARTS) + 1):
                joined = parts[start:stop]
                if all(joined):  # two apostrophes in a row join nothing
                    words["'".join(joined)] = None
    return list(words)
