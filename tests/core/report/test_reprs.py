"""What a console shows of every result: a few lines, whatever is behind them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import mandoline_core as md
from mandoline_core.results import Tabular
from tests.core.projects import REVIEWS

MOST_LINES, MOST_CHARACTERS = 12, 1500


@pytest.fixture(scope="module")
def results() -> dict[str, object]:
    project = md.load_project(REVIEWS)
    project = replace(project, estimator=replace(project.estimator, interval="influence"))
    source, target = project.read()
    report, suggestions = md.estimate(project), md.suggest(project, auto=True)
    return {
        "project": project,
        "source": source,
        "report": report,
        "model": report.first,
        "verdict": report.verdict,
        "finding": report.findings[0],
        "slices": report.slices(),
        "by": report.by("category"),
        "ablation": report.ablation(),
        "attribution": report.attribution(),
        "plan": report.plan(60),
        "comparison": report.compare(estimators=["source", "mandoline"]),
        "backtest": report.backtest(draws=2, estimators=["source", "mandoline"]),
        "suggestions": suggestions,
        "suggestion": suggestions.suggestions[0],
        "spread": md.spread(project, suggestions=suggestions),
        "map": md.map_rows(source, target, most_rows=100),
        "reproduction": md.reproduce("theorem", quick=True),
        "metric": md.METRICS["f1"],
    }


@pytest.mark.slow
def test_a_result_is_short_and_a_table_is_one_in_every_form(results: dict[str, object]) -> None:
    for name, result in results.items():
        text = repr(result)
        assert len(text.splitlines()) <= MOST_LINES, (name, text)
        assert len(text) <= MOST_CHARACTERS, (name, text)
        if isinstance(result, Tabular):
            assert len(result.to_frame()) > 0, name
            assert result.to_dict(), name
            assert "<table" in result._repr_html_(), name
    spread = results["spread"]
    assert isinstance(spread, dict)
    assert [*spread] == ["lr", "nb"]
