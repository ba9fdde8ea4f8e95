"""Function words: they hold sentences together and say little about what a row is about, so they come last."""

from __future__ import annotations

# Words of negation are not among them: what they do to a sentence is what models get wrong.
_WORDS = """
a about after again all also am an and any are as at be because been before being both but by can could did do does
doing done for from had has have having he her here hers herself him himself his how i if in into is it its itself
just may me might more most must my myself of off on once only or other our ours ourselves out over own same shall
she should so some such than that the their theirs them themselves then there these they this those through to too
under until up us very was we were what when where which while who whom whose why will with would you your yours
yourself yourselves i'm i've i'd i'll it's he's she's that's there's you're we're they're
"""
FUNCTION_WORDS = frozenset(_WORDS.split())


def is_function(phrase: str) -> bool:
    """Tell whether a word is a function word, or a phrase has one.

    >>> is_function("of"), is_function("waste of"), is_function("not good")
    (True, True, False)
    """
    return any(word in FUNCTION_WORDS for word in phrase.split())
