"""The gallery's tables: what varied, ours, the paper's; in the app's words."""

from __future__ import annotations

from app.words import gallery
from mandoline_core.paper import Reproduction

ROWS = (
    {"measure": "bias", "rows": 1000, "method": "source", "value": 0.123456, "error": 0.01},
    {"measure": "error", "rows": 1000, "method": "mandoline", "value": 0.01, "error": 0.001},
)
PAPER = (
    {"measure": "error", "rows": 1000, "method": "mandoline", "value": "about 0", "error": None, "place": "Table 9"},
    {"measure": "error", "rows": 5, "method": "mandoline", "value": 0.02, "error": None, "place": "Table 9"},
)
FOUND = Reproduction("theorem", "A title", ROWS, PAPER, {})


def test_the_papers_number_stands_beside_ours() -> None:
    table = gallery.ours_table(FOUND)
    assert list(table) == ["measure", "method", "ours", "the paper", "standard error"]
    assert table["method"].tolist() == ["Score on labelled data", "Mandoline"]
    assert table["ours"].tolist() == ["0.123", "0.01"]
    assert table["the paper"].tolist() == ["-", "about 0"]


def test_what_the_paper_has_alone_comes_with_its_place() -> None:
    table = gallery.paper_table(FOUND)
    assert table["the paper"].tolist() == ["0.02"]
    assert table["where"].tolist() == ["Table 9"]


def test_one_measure_at_a_time_needs_no_column_for_it() -> None:
    assert gallery.measures(FOUND) == ["bias", "error"]
    table = gallery.ours_table(FOUND, "error")
    assert len(table) == 1
    assert table["ours"].tolist() == ["0.01"]
