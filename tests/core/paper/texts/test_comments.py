"""Comments on groups have the structure that the paper's have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mandoline_core.paper.texts.comments import GROUPS, NAMES, write_comments


@pytest.fixture(scope="module")
def comments() -> pd.DataFrame:
    return write_comments(8000, np.random.default_rng(0))


def test_groups_overlap(comments: pd.DataFrame) -> None:
    """Several groups come up at once, some pairs far more often than chance, and about half mention none."""
    groups = comments[list(NAMES)]
    assert (groups.sum(axis=1) > 1).mean() > 0.15
    assert 0.4 < (groups.sum(axis=1) == 0).mean() < 0.6
    together = (groups["cyclists"] & groups["drivers"]).mean()
    assert together > 3 * groups["cyclists"].mean() * groups["drivers"].mean()
    assert len(groups.drop_duplicates()) > 60


def test_keywords_find_groups_about_as_well_as_in_the_paper(comments: pd.DataFrame) -> None:
    """The paper's keywords have an F1 of 0.9 on average; each of ours is wrong in both ways."""
    scores = []
    for group in GROUPS:
        found = comments["text"].str.lower().str.contains(rf"\b(?:{'|'.join(group.keywords)})\b")
        true = comments[group.name] == 1
        assert (found & ~true).any()
        assert (~found & true).any()
        scores.append(2 * (found & true).sum() / (found.sum() + true.sum()))
    assert 0.85 < np.mean(scores) < 0.95


def test_complaints_are_few_and_depend_on_the_group(comments: pd.DataFrame) -> None:
    complaint = comments["label"] == "complaint"
    assert 0.08 < complaint.mean() < 0.16
    assert complaint[comments["cyclists"] == 1].mean() > 2 * complaint[comments["gardeners"] == 1].mean()
