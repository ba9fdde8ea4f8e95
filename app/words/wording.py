"""Markdown for the app: escaping, emphasis, and the few sentences that only the app says."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mandoline_core import Slice
from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import counted, show_value
from mandoline_core.report.words import Headline

# Only what Markdown reads as its own, and only where it does: the names of controls are read out with their escapes.
_SPECIAL = re.compile(r"[\\`*\[\]<|$~]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])")
_SHORTCODE = re.compile(r":\S")  # an icon, a colour, a link
_STARTS_LINE = re.compile(r"^([#+=>-]|\d+(?=[.)])[.)])")
# Streamlit turns these into arrows, dashes, links, icons and its logo after escapes are gone: an invisible joiner stops
# it.
_REWRITTEN = re.compile(
    r"(?<=[<>-])(?=[<>=-])|(?<=:)(?=streamlit:|material/|//)|(?<=@)(?=\S)|(?<=\bwww)(?=\.)", re.IGNORECASE
)
_JOINER = "\u2060"
SIDES = {"source": "labelled", "target": "new"}  # rows


SAMPLING_ONLY = "Intervals here are for sampling error alone."


def plain(text: str) -> str:
    r"""Escape text for Markdown, so that it shows as it is written, on one line.

    >>> plain("**b** $x$")
    '\\*\\*b\\*\\* \\$x\\$'
    >>> plain("Betrag (EUR) from 0.5 to wind_speed"), plain("1. a")
    ('Betrag (EUR) from 0.5 to wind_speed', '1\\. a')
    """
    escaped = _SPECIAL.sub(r"\\\g<0>", _REWRITTEN.sub(_JOINER, re.sub(r"\s+", " ", text)))
    escaped = escaped.replace(":", r"\:") if _SHORTCODE.search(text) else escaped
    return _STARTS_LINE.sub(lambda start: f"{start[0][:-1]}\\{start[0][-1]}", escaped)


def tell(text: object) -> str:
    r"""Escape a sentence of the library, or an error.

    >>> tell("Slice *a*.")
    'Slice \\*a\\*.'
    """
    return plain(str(text))


def statement(said: Headline) -> str:
    """Write the headline with its number in bold."""
    number = f" **{plain(said.number)}**" if said.number else ""
    condition = f", {plain(said.condition)}" if said.condition else "."
    sentence = f"{plain(said.before)}{number}{plain(said.after)}{condition}"
    return " ".join(filter(None, (sentence, plain(said.measured), plain(said.truth))))


def step_to(before: float | None, after: float, *, share: bool) -> str:
    """Write the estimate before and after an edit.

    >>> step_to(0.794, 0.789, share=True), step_to(None, 0.789, share=True), step_to(0.794, 0.7941, share=True)
    ('79.4% → 78.9%', 'estimate 78.9%', 'stays 79.4%')
    """
    then = show_value(after, share=share)
    if before is None:
        return f"estimate {then}"
    now = show_value(before, share=share)
    return f"stays {then}" if now == then else f"{now} → {then}"


def estimator_sentence(name: str) -> str:
    """Say what a method does and assumes.

    >>> " Assumption: " in estimator_sentence("source")
    True
    """
    estimator = get_estimator(name)
    return f"{tell(estimator.does)} Assumption: {tell(estimator.assumes)}"


# The steps of the tour, each with its page.
TOUR = (
    (
        "Result",
        "Read the number",
        (
            "Mandoline estimates how well a model does on new data without labels. This one was tested on 6,000 "
            "labelled reviews. The number below is for new reviews."
        ),
    ),
    (
        "Slices",
        "Switch a slice off",
        "Switch *negation* off and on again. Watch number, weights and curve.",
    ),
    ("Slices", "Make a slice", "Type a word in the line at the top: a slice appears, and the number moves."),
    (
        "Slices",
        "Say how reliable it is",
        "*Reliability* is open: no rule is always right. Move a slider, and the number and the weights follow.",
    ),
    ("Result", "Check it", "The sample comes with hidden labels. Reveal the true value and compare."),
    ("Projects", "Use my data", "You need two tables: rows with labels, and rows without."),
)


SAMPLE_SENTENCES = {
    "reviews": "Labelled reviews are long, new ones short and chatty. Two text models, slices on words.",
    "digits": "Labelled photographs of digits are sharp, new ones often blurred. One noisy slice.",
}


def draw_words(rows: tuple[int, int], everything: tuple[int, int]) -> str:
    """Say which rows were sampled; nothing where all rows are used.

    >>> draw_words((20_000, 20_000), (10_000_000, 5_000_000))
    'a sample of 20,000 of 10,000,000 labelled rows and 20,000 of 5,000,000 new rows'
    >>> draw_words((6_000, 20_000), (6_000, 5_000_000))
    'a sample of 20,000 of 5,000,000 new rows'
    """
    said = [
        f"{some:,} of {every:,} {word} rows"
        for some, every, word in zip(rows, everything, ("labelled", "new"), strict=True)
        if some < every
    ]
    return f"a sample of {' and '.join(said)}" if said else ""


_STEPS = ((60.0, "second"), (60.0, "minute"), (24.0, "hour"), (7.0, "day"), (4.35, "week"), (12.0, "month"))


def ago(seconds: float) -> str:
    """Write how long ago something was.

    >>> ago(3), ago(200), ago(90_000), ago(1e9)
    ('just now', '3 minutes ago', '1 day ago', '31 years ago')
    """
    if seconds < 45:
        return "just now"
    left = seconds
    for most, unit in _STEPS:
        if round(left) < most:
            return f"{counted(max(round(left), 1), unit)} ago"
        left /= most
    return f"{counted(int(left), 'year')} ago"


_WIDTH = 160


def highlighted(texts: Sequence[str], *rules: Slice, width: int = _WIDTH) -> list[str]:
    """Return Markdown for shortened texts with the matches of rules marked."""
    found = [rule.marks(texts) for rule in rules]
    return [
        _highlighted(text, sorted(span for marks in found for span in marks[place]), width)
        for place, text in enumerate(texts)
    ]


def _highlighted(text: str, spans: Sequence[tuple[int, int]], width: int) -> str:
    start = max(spans[0][0] - width // 3, 0) if spans and len(text) > width else 0
    end = min(start + width, len(text))
    parts, place = ["… " if start else ""], start
    for low, high in spans:
        if low < place or high > end:
            continue
        parts += [plain(text[place:low]), f":orange-background[**{plain(text[low:high])}**]"]
        place = high
    parts += [plain(text[place:end]), " …" if end < len(text) else ""]
    return "".join(parts).replace("\n", " ")
