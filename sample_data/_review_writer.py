"""Write reviews of two kinds, long and considered or short and chatty, from a seeded generator."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import _review_words as words
import numpy as np

T = TypeVar("T")

SHORTEST_LONG, LONGEST_SHORT = 30, 25  # in words


@dataclass(frozen=True)
class Mix:
    """Shares of the traits that distinguish the samples.

    Given its traits, a review is written the same way in every sample: only the mix changes.
    """

    short: float
    slang: tuple[float, float]  # among long reviews, among short ones
    negated: tuple[float, float]
    price: float
    domains: tuple[float, float, float]


TRAIN = Mix(short=0.03, slang=(0.0, 0.05), negated=(0.04, 0.04), price=0.15, domains=(0.34, 0.33, 0.33))
SOURCE = Mix(short=0.12, slang=(0.01, 0.30), negated=(0.05, 0.08), price=0.15, domains=(0.38, 0.34, 0.28))
TARGET = Mix(short=0.60, slang=(0.015, 0.40), negated=(0.09, 0.14), price=0.25, domains=(0.28, 0.38, 0.34))

# How often a sentence of a long review, or a post, argues for the verdict that the reviewer gives.
AGREES_LONG, AGREES_SHORT = 0.88, 0.95


@dataclass(frozen=True)
class Review:
    """One generated review and what is known about it."""

    text: str
    category: str
    channel: str
    positive: bool

    @property
    def n_words(self) -> int:
        """Count the words between spaces."""
        return len(self.text.split())


def write_review(rng: np.random.Generator, mix: Mix) -> Review:
    """Draw a review's traits from the mix, then write it."""
    domain = words.DOMAINS[int(rng.choice(3, p=mix.domains))]
    positive, short = bool(rng.random() < 0.5), bool(rng.random() < mix.short)
    slang, negated = (bool(rng.random() < shares[short]) for shares in (mix.slang, mix.negated))
    price = bool(rng.random() < mix.price)
    writer = Writer(rng, domain, positive)
    write = writer.post if short else writer.review
    text = write(slang=slang, negated=negated, price=price)
    return Review(text, *_metadata(rng, domain, short), positive)


def _metadata(rng: np.random.Generator, domain: words.Domain, short: bool) -> tuple[str, str]:
    """Draw the category and the channel; either is missing once in a few hundred rows."""
    channel = _pick(rng, ("app", "app", "social", "web") if short else ("web", "web", "web", "mail", "mail", "app"))
    return ("" if rng.random() < 0.002 else domain.name), ("" if rng.random() < 0.004 else channel)


class Writer:
    """Write one review, without saying the same thing twice.

    Parameters
    ----------
    rng : np.random.Generator
    domain : Domain
        What the review is about.
    positive : bool
        The reviewer's verdict.
    """

    def __init__(self, rng: np.random.Generator, domain: words.Domain, positive: bool) -> None:
        self.rng = rng
        self.domain = domain
        self.positive = positive
        self.subject = _pick(rng, domain.subjects)
        self.used: set[str] = set()

    def review(self, *, slang: bool, negated: bool, price: bool) -> str:
        """Write at least ``SHORTEST_LONG`` words: an opening, claims, perhaps a closing line."""
        opening = [self._fill(self.domain.unfamiliar if self.rng.random() < 0.01 else self.domain.openers)]
        body = [self._claim(negated=negated)]
        n_more = _pick(self.rng, (1, 1, 2, 2, 3))
        body += [self._claim(negated=negated and bool(self.rng.random() < 0.6)) for _ in range(n_more)]
        if price:
            body.append(self._fill(words.PRICES))
        ends = self.domain.good_ends if self.positive else self.domain.bad_ends
        closing = [self._fill(ends)] if self.rng.random() < 0.3 else []
        if slang:
            closing.append(self._slang_line(self.positive, negated=False))
        body = [body[i] for i in self.rng.permutation(len(body))]
        while len(" ".join(opening + body + closing).split()) < SHORTEST_LONG:
            place = int(self.rng.integers(len(body) + 1))
            body.insert(place, self._fill(self.domain.asides + words.FILLERS))
        return " ".join(opening + body + closing)

    def post(self, *, slang: bool, negated: bool, price: bool) -> str:
        """Write 5 to ``LONGEST_SHORT`` words."""
        while True:
            self.used.clear()
            polarity = self._polarity(AGREES_SHORT)
            if slang:
                lines = [self._slang_line(polarity, negated=negated)]
            else:
                lines = [self._fill(words.NEGATED_POSTS if negated else words.POSTS, polarity)]
            if self.rng.random() < (0.8 if negated else 0.4):
                lines.append(self._fill(words.POSTS))
            if price:
                lines.append(self._fill(words.PRICES))
            text = " ".join(lines)
            if 5 <= len(text.split()) <= LONGEST_SHORT:
                return text.lower().rstrip(".") if slang else text

    def _polarity(self, agrees: float) -> bool:
        """Draw whether a sentence praises; now and then it argues against the reviewer's own verdict."""
        return self.positive == bool(self.rng.random() < agrees)

    def _claim(self, *, negated: bool) -> str:
        """Write one sentence that judges."""
        polarity = self._polarity(AGREES_LONG)
        if negated:
            return self._fill(words.NEGATED_CLAIMS, polarity)
        draw = self.rng.random()
        if draw < 0.15:
            return self._fill(words.MIXED, polarity)
        if draw < 0.35:
            return self._fill(words.GOOD_CLAIMS if polarity else words.BAD_CLAIMS, polarity)
        return self._fill(words.CLAIMS, polarity)

    def _slang_line(self, polarity: bool, *, negated: bool) -> str:
        """Write one slangy line; disappointment comes as sarcasm now and then."""
        if negated:
            return self._fill(words.SLANG_NEGATED, polarity)
        sarcastic = not polarity and self.rng.random() < 0.3
        return self._fill(words.SARCASM if sarcastic else words.SLANG_POSTS, polarity)

    def _fill(self, patterns: Sequence[str], polarity: bool | None = None) -> str:
        """Pick a pattern and fill its slots with words that fit the topic and the polarity."""
        slots = Slots(self, _pick(self.rng, self.domain.topics), self.positive if polarity is None else polarity)
        text = self.new(patterns).format_map(slots)
        return re.sub(r"\b([Aa]) (?=[aeiou])(?!one|use)", r"\1n ", text)

    def new(self, items: Sequence[str]) -> str:
        """Pick an item that this review has not used yet, or any when all are used."""
        item = _pick(self.rng, [item for item in items if item not in self.used] or items)
        self.used.add(item)
        return item


class Slots(dict[str, str]):
    """Words for a pattern's slots, picked when the pattern asks for them.

    A slot name with a capital gives the same word with a capital; a number at its end only tells two slots apart.
    """

    def __init__(self, writer: Writer, topic: words.Topic, good: bool) -> None:
        super().__init__(subject=writer.subject)
        praise = {False: (*topic.bad, *words.BAD), True: (*topic.good, *words.GOOD)}
        self.new = writer.new
        self.lists: dict[str, Sequence[str]] = {
            "noun": topic.nouns,
            "tone": praise[good],
            "other": praise[not good],
            "good": words.GOOD,
            "adv": words.ADVERBS,
            "who": words.PEOPLE,
            "when": words.TIMES,
            "number": words.NUMBERS,
            "chat": words.GOOD_CHAT if good else words.BAD_CHAT,
            "cry": words.GOOD_CRY if good else words.BAD_CRY,
            "hype": words.GOOD_HYPE if good else words.BAD_HYPE,
            "mark": words.SLANG if good else words.SLANG + words.BAD_SLANG,
        }

    def __missing__(self, name: str) -> str:
        """Pick the word for a slot that the pattern has not asked for yet."""
        if name[0].isupper():
            word = self[name.lower()]
            return word[0].upper() + word[1:]
        if name in ("be", "be2"):  # asked for before its noun: "how tone was the noun"
            self["noun" + name[2:]]
            return self[name]
        kind = name.rstrip("2")
        word = self.new(self.lists[kind])
        if kind == "noun":
            plural = word.endswith("*")
            self["be" + name[4:]] = "were" if plural else "was"
            self["it" + name[4:]] = "they" if plural else "it"
        self[name] = word.rstrip("*")
        return self[name]


def _pick(rng: np.random.Generator, items: Sequence[T]) -> T:
    return items[int(rng.integers(len(items)))]
