"""From a key press on a slider to the new number in the browser, on a million rows, against a bare page."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from playwright.sync_api import Browser, Page, expect, sync_playwright

import mandoline_core as md
from mandoline_core.slices.text import keyword_pattern
from tests.benchmarks.measuring import Bound
from tests.browser.server import Server
from tests.browser.visitor import Visitor, launch

N_SOURCE, N_TARGET = 1_000_000, 100_000
ROUNDS = 30
MOST_TIMES, MOST_TIMES_TO_THE_END = 1.2, 2.5  # a bare page's slider, and its end
MOST_TIMES_A_WORD, MOST_TIMES_A_WORD_TO_THE_END = 3.0, 6.0  # the bare query and one round of a bare slider
SURE = "When the rule says yes, how often is it right? (labelled data)"
WORD = "delay"
SLICES = (
    md.Threshold("large", column="amount", above=60.0),
    md.Threshold("recent", column="age", below=30.0),
    md.Range("middling", column="score", low=0.3, high=0.6),
    md.Category("web", column="channel", values=("web",)),
    md.Category("north", column="region", values=("north",)),
    md.Keyword("negation", column="text", words=("not", "never")),
    md.Keyword("praise", column="text", words=("great", "love")),
    md.Length("short", column="text", below=8),
)
BARE = """
import streamlit as st

st.set_page_config(layout="wide")
value = st.slider("Value", 0.0, 1.0, 1.0, step=0.01)
st.metric("Result", f"{value:.2f}")
"""
# The page itself takes the time, from the key to the change: what drives the browser costs nothing here.
WATCH = """([key, selector]) => {
    const read = () => [...document.querySelectorAll(selector)].map(found => found.innerText).join("|");
    const before = read();
    let pressed;
    window.answered = window.settled = undefined;
    const note = event => { if (event.key === key) pressed = performance.now(); };
    document.addEventListener("keydown", note, { capture: true });
    const observer = new MutationObserver(() => {
        if (pressed === undefined || read() === before) return;
        window.answered ??= performance.now() - pressed;
        if (!document.querySelector("[data-test-script-state=notRunning]")) return;
        window.settled = performance.now() - pressed;
        document.removeEventListener("keydown", note, { capture: true });
        observer.disconnect();
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
}"""
SUMMARY = ".st-key-live_summary"


def run() -> list[Bound]:
    """Measure, print what was measured, and return the bounds."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        (folder / "bare.py").write_text(BARE)
        (folder / "bare").mkdir()
        path = write_project(folder, "a million rows", N_SOURCE, N_TARGET)
        browser = launch(playwright)
        with (
            Server(folder, project=path) as app,
            Server(folder / "bare", script=folder / "bare.py") as bare,
        ):
            ours, theirs = _press_in_turn(browser, app, bare)
            adding = _add_words(browser, app)
        browser.close()
        query = _bare_query(folder)
    print(f"{N_SOURCE:,} source rows, {N_TARGET:,} target rows, {len(SLICES)} slices; median of {ROUNDS} key presses")
    print(f"  slider to the new estimate    {ours[0]:7.3f} s   to the last figure {ours[1]:.3f} s")
    print(f"  slider on a bare page         {theirs[0]:7.3f} s   to its end {theirs[1]:.3f} s")
    print(f"  a word more in a keyword slice {adding[0]:6.3f} s   to the last figure {adding[1]:.3f} s")
    print(f"  the bare query for its rows   {query:7.3f} s")
    bare_word = query + theirs[0]
    measured = {
        "slider to estimate over a bare slider, time": (ours[0] / theirs[0], MOST_TIMES),
        "slider to the last figure over a bare page's end, time": (ours[1] / theirs[1], MOST_TIMES_TO_THE_END),
        "a word to estimate over the bare query and a slider, time": (adding[0] / bare_word, MOST_TIMES_A_WORD),
        "a word to the last figure over the same, time": (adding[1] / bare_word, MOST_TIMES_A_WORD_TO_THE_END),
    }
    return [Bound(name, float(times), at_most=most) for name, (times, most) in measured.items()]


def _press_in_turn(browser: Browser, app: Server, bare: Server) -> tuple[np.ndarray, np.ndarray]:
    """Move both sliders in turn: a machine is busier at one moment than at another, and a ratio should not be."""
    visitor = Visitor(browser.new_context(viewport={"width": 1280, "height": 900}), app.url).open()
    visitor.go("Slices")
    visitor.page.get_by_role("radio", name="Reliability", exact=True).click()  # of the first slice, which is chosen
    visitor.settle()
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(bare.url)
    theirs = page.get_by_role("group", name="Value", exact=True).get_by_role("slider")
    expect(theirs).to_be_visible()
    ours, others = [], []
    for _ in range(ROUNDS + 2):
        ours.append(_timed(visitor.page, "ArrowLeft", SUMMARY, partial(visitor.slider(SURE).press, "ArrowLeft")))
        others.append(_timed(page, "ArrowLeft", "[data-testid=stMetricValue]", partial(theirs.press, "ArrowLeft")))
    warm = slice(2, None)
    return np.median(ours[warm], axis=0), np.median(others[warm], axis=0)


def _timed(page: Page, key: str, selector: str, act: Callable[[], None]) -> tuple[float, float]:
    """Do something that presses a key; return the seconds until a text changed, and until all is drawn."""
    page.evaluate(WATCH, [key, selector])
    act()
    page.wait_for_function("window.settled !== undefined")
    answered, settled = page.evaluate("[window.answered, window.settled]")
    return answered / 1000, settled / 1000


def _add_words(browser: Browser, app: Server) -> tuple[float, float]:
    """Add a keyword slice and give it another word; return the seconds to the new estimate and to the last figure."""
    visitor = Visitor(browser.new_context(viewport={"width": 1280, "height": 900}), app.url).open()
    visitor.go("Slices")
    visitor.add_line("not")
    return _timed(visitor.page, "Enter", SUMMARY, partial(visitor.add_word, WORD))


def _bare_query(folder: Path) -> float:
    """Time the engine on the same rule: which rows of both samples hold one of the words."""
    texts = [pl.read_parquet(folder / f"{side}.parquet", columns=["text"]) for side in ("source", "target")]
    pattern = keyword_pattern(("not", WORD))
    start = time.perf_counter()
    for text in texts:
        text.select(pl.col("text").str.contains(pattern).sum())
    return time.perf_counter() - start


def write_project(folder: Path, name: str, n_source: int, n_target: int) -> Path:
    """Write a project of so many rows, with the slices above."""
    rng = np.random.default_rng(0)
    _rows(rng, n_source, shift=0.0).write_parquet(folder / "source.parquet")
    _rows(rng, n_target, shift=0.2).drop("label").write_parquet(folder / "target.parquet")
    project = md.Project(
        name=name,
        source_path=Path("source.parquet"),
        target_path=Path("target.parquet"),
        label="label",
        models=(md.Model("model", "pred"),),
        slices=SLICES,
    )
    path = folder / "project.toml"
    md.save_project(replace(project, base=folder), path)
    return path


def _rows(rng: np.random.Generator, n: int, *, shift: float) -> pl.DataFrame:
    """Draw rows whose slices are a little more frequent in the target than in the source."""
    common = np.array(["the", "a", "order", "came", "box", "day", "it", "was", "shop", "price", "time", "we"])
    rare = np.array(["not", "never", "great", "love", WORD, "refund"])
    lines = [
        " ".join([*rng.choice(common, rng.integers(4, 20)), *rng.choice(rare, rng.integers(0, 2))])
        for _ in range(20_000)
    ]
    label = rng.choice(["no", "yes"], n)
    amount = rng.gamma(2.0, 20.0 * (1 + shift), n)
    wrong = rng.random(n) < np.where(amount > 60, 0.35, 0.12)
    return pl.DataFrame(
        {
            "text": pl.Series(lines).gather(rng.integers(0, len(lines), n)),
            "amount": amount,
            "age": rng.gamma(2.0, 40.0 * (1 - shift), n),
            "score": rng.random(n) ** (1 + shift),
            "channel": rng.choice(["web", "mail", "app"], n, p=[0.3 + shift, 0.4 - shift, 0.3]),
            "region": rng.choice(["north", "south"], n, p=[0.4 + shift, 0.6 - shift]),
            "label": label,
            "pred": np.where(wrong, np.where(label == "no", "yes", "no"), label),
        }
    )


if __name__ == "__main__":
    for bound in run():
        print(bound)
