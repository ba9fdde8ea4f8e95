"""The kinds of slice, one file each: fields, needs, codes, words, and the form it is edited with.

To add a kind, copy a file and add its class to the list.
"""

from __future__ import annotations

from mandoline_core.slices.kinds.category import Category
from mandoline_core.slices.kinds.classifier import Classifier
from mandoline_core.slices.kinds.combinations import All, Any, Not
from mandoline_core.slices.kinds.expression import Expression
from mandoline_core.slices.kinds.flag import Flag
from mandoline_core.slices.kinds.function import FunctionSlice, slicing_function
from mandoline_core.slices.kinds.keyword import Keyword
from mandoline_core.slices.kinds.length import Length
from mandoline_core.slices.kinds.missing import Missing
from mandoline_core.slices.kinds.model import Confidence, Entropy, Prediction
from mandoline_core.slices.kinds.overlap import Overlap
from mandoline_core.slices.kinds.range import Range
from mandoline_core.slices.kinds.regex import Regex
from mandoline_core.slices.kinds.threshold import Threshold
from mandoline_core.slices.rule import Slice

KINDS: dict[str, type[Slice]] = {
    rule.kind: rule
    for rule in (
        Keyword,
        Regex,
        Threshold,
        Range,
        Category,
        Flag,
        Missing,
        Length,
        Overlap,
        Entropy,
        Prediction,
        Confidence,
        Classifier,
        Expression,
        All,
        Any,
        Not,
    )
}
