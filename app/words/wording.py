"""The explanatory sentences, in Markdown: plain words first, the term in a tooltip; escaping, and marks in texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mandoline_core import Slice
from mandoline_core.checks import ModelReport
from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import counted, direction, say, show_difference, show_times, show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report.words import PLAIN, Headline

_SPECIAL = re.compile(r"[\\`*_{}\[\]()<>#+\-.!|$:~&]")
# Streamlit turns these into arrows, dashes, links, icons and its logo after escapes are gone: an invisible joiner stops
# it.
_REWRITTEN = re.compile(
    r"(?<=[<>-])(?=[<>=-])|(?<=:)(?=streamlit:|material/|//)|(?<=@)(?=\S)|(?<=\bwww)(?=\.)", re.IGNORECASE
)
_JOINER = "\u2060"
SIDES = {"source": "labelled", "target": "new"}  # what people call the rows of each sample


def plain(text: str) -> str:
    r"""Escape text for Markdown, so that it shows as it is written, on one line.

    >>> plain("**b** $x$")
    '\\*\\*b\\*\\* \\$x\\$'
    """
    return _SPECIAL.sub(r"\\\g<0>", _REWRITTEN.sub(_JOINER, re.sub(r"\s+", " ", text)))


def tell(text: object) -> str:
    r"""Say a sentence of the library, or an error, in the app's words, escaped.

    >>> from mandoline_core.formatting import Sentence
    >>> tell(Sentence("It is {how} in the {target}.", how="*so*"))
    'It is \\*so\\* in the new data\\.'
    """
    return plain(say(text, PLAIN))


def statement(said: Headline) -> str:
    """Say the number in its sentence, set off from the words, then the labelled data's score and the truth, if any."""
    number = f" **{plain(said.number)}**" if said.number else ""
    condition = f", {plain(said.condition)}" if said.condition else "."
    sentence = f"{plain(said.before)}{number}{plain(said.after)}{condition}"
    return " ".join(filter(None, (sentence, plain(said.measured), plain(said.truth))))


def effective_rows_sentence(report: ModelReport) -> str:
    """Say how many rows the estimate rests on."""
    return (
        f"The estimate rests on {report.effective_sample_size:,.0f} effective rows out of {report.n_source:,} labelled "
        f"ones; the heaviest row counts {show_times(report.largest_ratio)}."
    )


def without_slice(name: str, delta: float, *, share: bool = True) -> str:
    r"""Say what leaving a slice out would do.

    >>> without_slice("negation", 0.021)
    'Without *negation* the estimate would be 2.1 points higher.'
    >>> without_slice("a_b", 0.0)
    'Without *a\\_b* the estimate would be the same.'
    """
    way = direction(delta, share=share)
    change = way if way == "the same" else f"{show_difference(delta, share=share)} {way}"
    return f"Without *{plain(name)}* the estimate would be {change}."


def step_to(before: float | None, after: float, *, share: bool) -> str:
    """Say where an edit takes the estimate.

    >>> step_to(0.794, 0.789, share=True), step_to(None, 0.789, share=True), step_to(0.794, 0.7941, share=True)
    ('79.4% → 78.9%', 'estimate 78.9%', 'stays 79.4%')
    """
    then = show_value(after, share=share)
    if before is None:
        return f"estimate {then}"
    now = show_value(before, share=share)
    return f"stays {then}" if now == then else f"{now} → {then}"


def estimator_sentence(name: str) -> str:
    """Say what an estimator does and what it takes for granted.

    >>> estimator_sentence("source").startswith("The score on your labelled data as it is")
    True
    """
    estimator = get_estimator(name)
    return f"{tell(estimator.does)} It assumes: {tell(estimator.assumes)}"


# The steps of the tour, each with the page it speaks of.
TOUR = (
    (
        "Estimate",
        "Read the number",
        (
            "This is a sample: reviews of restaurants, and a model that was trained elsewhere. The large number is how "
            "well the model probably does on new reviews that have no labels yet."
        ),
    ),
    ("Slices", "Switch a slice off", "Switch *negation* off, watch the number move, and switch it on again."),
    ("Slices", "Make a slice", "Type a word into the line at the top: matching rows appear, and the number moves."),
    ("Estimate", "Check it", "The sample has its labels put aside. Reveal the truth and compare."),
    ("Projects", "Use my data", "Two tables are all it takes: rows with labels, and rows without."),
)


def source_caption(report: ModelReport) -> str:
    """Say, under the source score, where it comes from."""
    low, high = (show_value(end, share=is_share(report)) for end in report.source_interval)
    return f"Measured on {report.n_source:,} labelled rows; between {low} and {high} by the luck of the draw."


def truth_caption(report: ModelReport) -> str:
    """Say, under the truth, how far the estimate was off."""
    if report.truth is None:
        return "There are no labels for the new data."
    share = is_share(report)
    off = show_difference(report.estimate - report.truth, share=share)
    low, high = report.interval
    where = "inside" if low <= report.truth <= high else "outside"
    said = "Read off the new data's own labels, used for nothing else."
    return f"{said} The estimate is {off} off; this is {where} its range."


SAMPLE_SENTENCES = {
    "reviews": "Long reviews with labels, and new ones that are short and chatty. Two text models, slices on words.",
    "digits": "Sharp photographs of digits, and new ones that are often blurred. The slice that tells is noisy.",
}


def draw_words(rows: tuple[int, int], everything: tuple[int, int]) -> str:
    """Say which rows were looked at, of the samples that are not looked at whole; nothing where both are.

    >>> draw_words((20_000, 20_000), (10_000_000, 5_000_000))
    'a draw of 20,000 of 10,000,000 labelled rows and 20,000 of 5,000,000 new rows'
    >>> draw_words((6_000, 20_000), (6_000, 5_000_000))
    'a draw of 20,000 of 5,000,000 new rows'
    """
    said = [
        f"{some:,} of {every:,} {word} rows"
        for some, every, word in zip(rows, everything, ("labelled", "new"), strict=True)
        if some < every
    ]
    return f"a draw of {' and '.join(said)}" if said else ""


_STEPS = ((60.0, "second"), (60.0, "minute"), (24.0, "hour"), (7.0, "day"), (4.35, "week"), (12.0, "month"))


def ago(seconds: float) -> str:
    """Say how long ago something was.

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
    """Return Markdown for shortened texts with the matches marked, as the engine that found the texts marks them."""
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
