"""The slice table, against plain pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from tests.core.projects import small_frames

SLICES = (
    md.Keyword("negation", column="text", words=("not",)),
    md.Threshold("long", column="n_words", above=10),
    md.Threshold("longer", column="n_words", above=20, below=11),  # between the two it abstains
    md.Category("web", column="channel", values=("web",), gold="truth"),
)
SOURCE, TARGET, _ = small_frames()
SOURCE = SOURCE.assign(
    truth=np.where(np.arange(400) % 5 == 0, SOURCE["channel"] == "mail", SOURCE["channel"] == "web").astype(object)
)
SOURCE.loc[SOURCE.index % 7 == 0, "truth"] = None
SOURCE.loc[:19, "channel"] = None
RIGHT = SOURCE["label"] == SOURCE["pred_lr"]


def codes(frame: pd.DataFrame) -> dict[str, pd.Series]:
    """Evaluate the slices the plain way: 1 inside, -1 outside, 0 abstained."""
    said = {
        "negation": frame["text"].str.contains(r"\bnot\b").map({True: 1, False: -1}),
        "long": pd.Series(np.where(frame["n_words"] > 10, 1, -1)),
        "longer": pd.Series(np.where(frame["n_words"] > 20, 1, np.where(frame["n_words"] < 11, -1, 0))),
        "web": frame["channel"].map({"web": 1, "mail": -1}).fillna(0),
    }
    return {name: column.astype(int) for name, column in said.items()}


@pytest.fixture(scope="module")
def rows() -> dict[str, md.SliceRow]:
    """Compute the table once."""
    source = md.Sample(SOURCE, label="label", prediction="pred_lr")
    fit = md.prepare(source, md.Sample(TARGET), SLICES, model=source.models[0])
    return {row.name: row for row in md.slice_table(fit)}


@pytest.mark.parametrize("name", [rule.name for rule in SLICES])
def test_shares_and_shifts_equal_pandas(name: str, rows: dict[str, md.SliceRow]) -> None:
    """Shares are of all rows; the shift is among rows where the slice speaks."""
    source, target = codes(SOURCE)[name], codes(TARGET)[name]
    row = rows[name]
    assert row.source == pytest.approx((source == 1).mean())
    assert row.target == pytest.approx((target == 1).mean())
    assert row.source_abstains == pytest.approx((source == 0).mean())
    assert row.target_abstains == pytest.approx((target == 0).mean())
    shares = [(side == 1).sum() / (side != 0).sum() for side in (source, target)]
    assert row.shift == pytest.approx(shares[1] - shares[0])
    spread = np.sqrt(np.mean([share * (1 - share) for share in shares]))
    assert row.standardised_shift == pytest.approx((shares[1] - shares[0]) / spread)


@pytest.mark.parametrize("name", [rule.name for rule in SLICES])
def test_scores_inside_and_outside_equal_pandas(name: str, rows: dict[str, md.SliceRow]) -> None:
    """Plain means over source rows, inside their intervals."""
    said = codes(SOURCE)[name]
    for part, code in ((rows[name].inside, 1), (rows[name].outside, -1)):
        assert part.n == (said == code).sum()
        assert part.score == pytest.approx(RIGHT[said == code].mean())
        assert part.interval[0] < part.score < part.interval[1]


def test_the_slice_most_alike_shares_most_of_the_union(rows: dict[str, md.SliceRow]) -> None:
    """The Jaccard index over the rows of both samples."""
    both = {name: pd.concat([codes(SOURCE)[name], codes(TARGET)[name]]) == 1 for name in rows}
    for name, row in rows.items():
        alike = {
            other: (both[name] & both[other]).sum() / (both[name] | both[other]).sum()
            for other in rows
            if other != name
        }
        assert row.most_like == max(alike, key=lambda other: alike[other])
        assert row.overlap == pytest.approx(max(alike.values()))


def test_gold_agreement_equals_pandas(rows: dict[str, md.SliceRow]) -> None:
    """Precision, recall and F1 on the source rows where both the slice and the gold column speak."""
    said, truth = codes(SOURCE)["web"], SOURCE["truth"]
    speak = (said != 0) & truth.notna()
    inside, truly = said[speak] == 1, truth[speak].astype(bool)
    gold = rows["web"].gold
    assert gold.n == speak.sum()
    assert gold.precision == pytest.approx(truly[inside].mean())
    assert gold.recall == pytest.approx(inside[truly].mean())
    harmonic = 2 / (1 / truly[inside].mean() + 1 / inside[truly].mean())
    assert gold.f1 == pytest.approx(harmonic)
    assert rows["long"].gold is None


def test_rules_are_said_in_words(rows: dict[str, md.SliceRow]) -> None:
    """The table can be read without the project file."""
    assert rows["negation"].rule == "text contains not"
    assert rows["longer"].rule == "n_words above 20, not below 11, abstains between"


def test_an_empty_side_has_no_score() -> None:
    """A slice that never fires has nothing inside, no shift and no partner."""
    source = md.Sample(SOURCE, label="label", prediction="pred_lr")
    never = md.Keyword("never", column="text", words=("zebra",))
    (row,) = md.slice_table(md.prepare(source, md.Sample(TARGET), [never], model=source.models[0]))
    assert (row.inside.n, row.inside.score, row.inside.interval) == (0, None, None)
    assert row.outside.score == pytest.approx(RIGHT.mean())
    assert (row.shift, row.standardised_shift, row.most_like, row.overlap) == (0.0, None, None, None)


def test_a_side_without_target_rows_has_its_source_score() -> None:
    """A slice that takes in the whole target still says how the model does outside it, and warns of nothing."""
    source = md.Sample(SOURCE, label="label", prediction="pred_lr")
    target = md.Sample(TARGET.assign(n_words=99))
    (row,) = md.slice_table(
        md.prepare(source, target, [md.Threshold("long", column="n_words", above=20)], model=source.models[0])
    )
    outside = SOURCE["n_words"] <= 20
    assert 0 < outside.sum() < len(SOURCE)
    assert row.target == 1
    assert row.outside.score == pytest.approx(RIGHT[outside].mean())


def test_confidence_widens_the_intervals(rows: dict[str, md.SliceRow]) -> None:
    """A surer interval is a longer one."""
    source = md.Sample(SOURCE, label="label", prediction="pred_lr")
    fit = md.prepare(source, md.Sample(TARGET), SLICES, model=source.models[0])
    for row in md.slice_table(fit, confidence=0.5):
        assert np.ptp(row.inside.interval) < np.ptp(rows[row.name].inside.interval)
