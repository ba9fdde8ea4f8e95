"""Reviews of one kind have words of their own, and edited ones say the opposite."""

from __future__ import annotations

import numpy as np

from mandoline_core.paper.texts.reviews import FILMS, POSTS, PRODUCTS, RESTAURANTS, edit_reviews, write_reviews


def _words(domain: object, n: int = 400) -> set[str]:
    reviews = write_reviews(domain, n, np.random.default_rng(0))  # type: ignore[arg-type]
    return set(" ".join(reviews["text"]).lower().replace(".", "").split())


def test_each_domain_has_words_that_films_do_not_have() -> None:
    films = _words(FILMS)
    for domain in (POSTS, RESTAURANTS, PRODUCTS):
        assert len(_words(domain) - films) > 15
        assert len(_words(domain) & films) > 15


def test_posts_are_short_and_films_long() -> None:
    lengths = [
        write_reviews(domain, 200, np.random.default_rng(0))["text"].str.split().str.len().mean()
        for domain in (POSTS, RESTAURANTS, PRODUCTS, FILMS)
    ]
    assert lengths == sorted(lengths)


def test_edits_turn_labels_round_and_change_few_words() -> None:
    reviews = write_reviews(FILMS, 200, np.random.default_rng(0))
    edited = edit_reviews(reviews, np.random.default_rng(1))
    assert (reviews["label"] != edited["label"]).all()
    same = [
        len(set(old.split()) & set(new.split())) / len(set(old.split()))
        for old, new in zip(reviews["text"], edited["text"], strict=True)
    ]
    assert 0.5 < np.mean(same) < 0.95
    assert (reviews["text"] != edited["text"]).mean() > 0.95


def test_without_oversights_an_edited_review_holds_no_word_of_the_old_sentiment_only() -> None:
    """Judgements against the old label stay as they are; those for it are all turned round."""
    reviews = write_reviews(FILMS, 100, np.random.default_rng(0))
    edited = edit_reviews(reviews, np.random.default_rng(1), kept=0.0)
    for text, old in zip(edited["text"], reviews["label"], strict=True):
        assert not any(f" {word}." in text for word in FILMS.own[old])
