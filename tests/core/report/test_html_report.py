"""The written report: one file that needs nothing else, with the report's numbers, and every name as text."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.formatting import show_interval, show_value
from mandoline_core.project import public_text
from mandoline_core.report import gather_parts
from mandoline_core.report.words import TOOLTIPS
from tests.core.projects import DIGITS, LONG, NEGATION, REVIEWS, WEB, write_project

HOSTILE = "<img src=x onerror=alert(1)> </script> $x$ \"'`"
VOID = {"meta", "rect", "line", "path", "circle"}
CODE_WORDS = re.compile(r"\b(source|target)('s|s)?\b(?!\.csv)", re.IGNORECASE)


class Page(HTMLParser):
    """Read a page: its elements with their attributes, what it says, and its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []
        self.scripts: dict[str, str] = {}
        self._open: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append((tag, dict(attrs).get("id") or ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take an element that closes itself."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Close the element that was opened last: no other may be."""
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        """Take in what is said, and scripts."""
        tag, name = self._open[-1] if self._open else ("", "")
        if tag == "script":
            self.scripts[name] = data
        elif tag != "style":
            self.said.append(data)

    @property
    def text(self) -> str:
        """All that the page says."""
        return " ".join(self.said)

    @property
    def numbers(self) -> dict[str, Any]:
        """The report as JSON."""
        return json.loads(self.scripts["numbers"])

    @property
    def figures(self) -> dict[str, Any]:
        """What Plotly draws, unpacked."""
        return json.loads(gzip.decompress(base64.b64decode(self.scripts["figures"])))

    def having(self, tag: str) -> list[dict[str, str | None]]:
        """List the attributes of all elements of a kind."""
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module", params=[REVIEWS, DIGITS], ids=["reviews", "digits"])
def report(request: pytest.FixtureRequest) -> md.Report:
    return md.estimate(md.load_project(request.param), reveal=True)


@pytest.fixture(scope="module")
def written(report: md.Report) -> str:
    return report.to_html()


@pytest.fixture(scope="module")
def page(written: str) -> Page:
    return Page(written)


def texts(part: object, key: str = "") -> Iterator[str]:
    """Go through the texts of figures; nobody sees what a trace is called."""
    if isinstance(part, dict):
        for name, value in part.items():
            yield from texts(value, name)
    elif isinstance(part, list):
        for value in part:
            yield from texts(value, key)
    elif isinstance(part, str) and key != "name":
        yield part


def small(folder: Path, changes: dict[str, Any] | None = None, **frames: Any) -> md.Report:
    return md.estimate(md.load_project(write_project(folder, changes, **frames)))


def test_the_file_needs_nothing_else(written: str, page: Page) -> None:
    """It is small, asks nobody for anything, and a policy forbids that anyway."""
    assert len(written.encode()) < 3_000_000
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in page.tags}
    named = [value for _, attributes in page.tags for key, value in attributes.items() if "//" in (value or "")]
    assert named == ["http://www.w3.org/2000/svg"]
    assert not [attributes for _, attributes in page.tags if {"src", "href", "srcset"} & set(attributes)]
    for style in re.findall(r"<style>(.*?)</style>", written, re.DOTALL):
        assert not re.search(r"url\(|@import|//", style)
    (policy,) = [one["content"] for one in page.having("meta") if "http-equiv" in one]
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "http" not in policy


def test_the_numbers_are_the_reports_to_the_last_digit(report: md.Report, page: Page) -> None:
    """As JSON, and as shown, for every model."""
    assert page.numbers == json.loads(json.dumps(report.as_dict()))
    for model in report.models.values():
        assert show_interval(model.estimate, model.interval, share=True) in page.text
        assert show_interval(model.source, model.source_interval, share=True) in page.text
        assert model.truth is not None
        assert show_value(model.truth, share=True) in page.text
    assert f"{report.first.effective_sample_size:,.0f}" in page.text
    for check in report.first.verdict.checks if report.first.verdict else ():
        assert check.question in page.text
    for value in (*report.made["fingerprints"].values(), *report.made["versions"].values()):
        assert value in page.text


def test_the_truth_is_only_there_when_it_was_revealed(report: md.Report) -> None:
    """Not in words, not in the JSON, not in a figure."""
    hidden = Page(report.without_truth().to_html())
    assert report.truth is not None
    assert hidden.numbers == json.loads(json.dumps(report.without_truth().as_dict()))
    assert hidden.numbers["truth"] is None
    assert "true value" not in hidden.text
    drawn = json.dumps(hidden.figures)
    assert f"{report.truth:.6f}"[:6] not in drawn
    assert '"name": "true value"' not in drawn


def test_every_figure_has_its_numbers_as_a_table(page: Page, written: str) -> None:
    """The table is open until a script has drawn the figure in its place."""
    places = [one["data-figure"] for one in page.having("figure")]
    assert places == list(page.figures)
    assert len(places) >= 6
    for place, one in zip(places, page.having("figure"), strict=True):
        assert set(page.figures[str(place)]) == {"light", "dark"}
        assert str(one["data-file"]).endswith(str(place))
    assert written.count('<details open="">') == len(places)
    for part in re.findall(r"<figure.*?</figure>", written, re.DOTALL):
        assert len(re.findall("<tr>", part)) >= 2


def test_it_can_be_read_without_seeing_it(page: Page) -> None:
    """A language, landmarks, headings in order, headers in tables, and words for every picture."""
    assert page.having("html") == [{"lang": "en"}]
    assert [len(page.having(name)) for name in ("main", "header", "h1")] == [1, 1, 1]
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(page.having("caption")) == len(page.having("table"))
    assert all(one.get("scope") in ("col", "row") for one in page.having("th"))
    assert all(one.get("aria-label") for tag, one in page.tags if one.get("role") in ("img", "region"))
    assert all(TOOLTIPS[term] in page.text for term in ("effective rows", "interval", "left out"))


def test_it_says_labelled_and_new_data(report: md.Report, page: Page) -> None:
    """In sentences, in tables and in figures."""
    explained = [TOOLTIPS[term] for term in ("labelled data", "new data")]  # which say what code calls them
    explained.append(public_text(report.asked.project))
    assert [said for said in page.said if CODE_WORDS.search(said) and said not in explained] == []
    shown = json.dumps([one["light"]["layout"] for one in page.figures.values()])
    assert not re.search(r"\bthe (source|target)\b", shown)


def test_names_are_text_whatever_they_look_like(tmp_path: Path) -> None:
    """Of the project, of models, slices, columns and values, in notes; none of it is an element or ends a script."""
    source, target = (
        pd.read_csv(write_project(tmp_path).parent / f"{side}.csv").rename(columns={"channel": HOSTILE})
        for side in ("source", "target")
    )
    rules = [
        {**NEGATION, "name": HOSTILE, "note": f"why {HOSTILE}"},
        {**LONG, "name": f"{HOSTILE} 2"},
        {**WEB, "name": f"{HOSTILE} 3", "column": HOSTILE},
    ]
    changes = {
        "name": HOSTILE,
        "note": f"note {HOSTILE}",
        "models": [{"name": HOSTILE, "prediction": "pred_lr"}],
        "slices": rules,
        "edges": [[HOSTILE, f"{HOSTILE} 2"]],
    }
    found = small(tmp_path, changes, source=source, target=target)
    written = found.to_html()
    page = Page(written)
    assert "<img" not in written
    assert page.having("script")[-1] == {}
    assert len(page.having("script")) == 4
    assert page.numbers == json.loads(json.dumps(found.as_dict()))
    for said in (f"why {HOSTILE}", f"note {HOSTILE}", f"{HOSTILE} 3"):
        assert said in page.text
    drawn = [text for text in texts(page.figures) if "onerror" in text]
    assert drawn
    assert not [text for text in drawn if "<img" in text or "$x$" in text]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"metric": {"name": "f1"}}, "Bounds under hidden change need a metric that is a mean over rows"),
        ({"metric": {"name": "mean", "column": "n_words"}, "models": None, "task": None}, "n_words"),
        ({"estimator": {"name": "denoised"}}, "What if there is a hidden change?"),
        ({"estimator": {"name": "atc"}}, None),
    ],
    ids=["f1", "mean", "denoised", "refused"],
)
def test_any_project_has_a_report(tmp_path: Path, changes: dict[str, Any], said: str | None) -> None:
    """What cannot be worked out says why in its place; what has no estimate is refused as ever."""
    if said is None:
        with pytest.raises(md.MandolineError):
            small(tmp_path, changes)
        return
    page = Page(small(tmp_path, changes).to_html())
    assert said in page.text
    assert len(page.having("h2")) == 12


def test_a_part_that_failed_says_why(tmp_path: Path) -> None:
    """One sentence in its place, and everything else as it was."""
    parts = gather_parts(small(tmp_path))
    failed = {"effects": "No effects.", "curves": "No curve.", "comparison": "No methods.", "hidden": "No bounds."}
    page = Page(replace(parts, **failed).to_html())
    assert all(said in page.text for said in failed.values())
    assert set(page.figures) == {"estimate", "weights", "balance"}


def test_a_red_verdict_comes_before_the_number(tmp_path: Path) -> None:
    """What stands in the way is said first, and the number is small."""
    source, target, _ = (
        pd.read_csv(write_project(tmp_path).parent / f"{n}.csv") for n in ("source", "target", "target")
    )
    far = target.assign(n_words=np.where(np.arange(len(target)) < 290, 500, target["n_words"]))
    report = small(tmp_path, {"slices": [{**LONG, "above": 39}, NEGATION]}, source=source, target=far)
    assert report.verdict is not None
    assert report.verdict.level == "red"
    page = Page(report.to_html())
    number = show_interval(report.estimate, report.interval, share=True)
    (picture,) = [one for one in page.having("svg") if one.get("id") == "summary-picture"]
    assert "Do not quote yet" in str(picture["aria-label"])
    assert page.text.index("Do not quote yet") < page.text.index(f"Raw result: {number}")
    assert page.text.index("Do not quote yet:") < page.text.rindex(f"Raw result: {number}")


def test_codes_alone_have_a_report() -> None:
    """Without samples there are no columns, no files and no verdict to speak of."""
    codes = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    report = md.estimate_from_codes(codes * 25, [1.0, 0.0, 1.0, 1.0] * 25, codes * 5 + [[1, 1]] * 9, names=["a", "b"])
    page = Page(report.to_html())
    assert page.numbers == json.loads(json.dumps(report.as_dict()))
    assert "there are only slice codes" in page.text


def test_the_same_report_is_the_same_file(report: md.Report, written: str) -> None:
    """To the last byte, but for the day it bears."""
    assert report.to_html() == written
