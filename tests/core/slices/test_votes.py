"""Votes become columns and slices."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md

RNG = np.random.default_rng(6)


def test_votes_give_what_codes_give() -> None:
    """The same estimate as from the codes themselves, also where a sample has no -1."""
    source, target = RNG.choice([-1, 0, 1], (300, 2)), RNG.choice([0, 1], (200, 2))
    source[:4], target[:4] = [[1, 1], [0, 0], [-1, -1], [1, -1]], [[1, 1], [0, 0], [0, 1], [1, 0]]
    score = RNG.integers(0, 2, 300)
    here, there = (md.slices_from_votes(votes, ["a", "b"]) for votes in (source, target))
    report = md.estimate(
        md.Sample(here.frame.assign(y=1, p=score), label="y", prediction="p"),
        md.Sample(there.frame.assign(p=1)),
        here.slices,
    )
    plain = md.estimate_from_codes(source, score, target, names=["a", "b"])
    assert report.estimate == pytest.approx(plain.estimate, abs=1e-9)


def test_snorkels_abstention_is_minus_one() -> None:
    found = md.slices_from_votes(np.array([[-1, 0, 1]]), abstain=-1)
    assert found.frame.to_numpy().tolist() == [[0, -1, 1]]
    assert list(found.frame) == ["vote_1", "vote_2", "vote_3"]


def test_a_frame_brings_its_names_and_its_index() -> None:
    votes = pd.DataFrame({"url": [1, 0]}, index=[7, 9])
    found = md.slices_from_votes(votes)
    assert [rule.name for rule in found.slices] == ["url"]
    assert found.frame.index.tolist() == [7, 9]


@pytest.mark.parametrize(
    ("votes", "more", "words"),
    [
        ([[2]], {}, "votes must be -1, 0 or 1. Got 2."),
        ([1, 0], {}, "must have a row for each example"),
        ([[1, 0]], {"names": ["a", "a"]}, "1 different names"),
        ([[1]], {"abstain": 1}, "abstain must be 0 or -1"),
    ],
)
def test_other_votes_are_refused(votes: object, more: dict[str, object], words: str) -> None:
    with pytest.raises(md.SliceError, match=words):
        md.slices_from_votes(votes, **more)  # type: ignore[arg-type]
