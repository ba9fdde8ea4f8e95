"""A project in which everything that a person can name has a hostile text, and ways to notice that one took effect."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import mandoline_core as md
from mandoline_core.formatting import one_line
from mandoline_core.slices.expression.tree import written_column, written_text
from tests.payloads import HOST, Payload

N_SOURCE, N_TARGET = 600, 300
WORD = re.compile(r"hit\d{3}")
# What a person does not see, and what stands for something else: escapes of Python's, ends of lines, joiners.
_UNSEEN = re.compile(r"[\s\\\u2060]")
_SIGNS = re.compile(r"[\\.+*?()|\[\]{}^$]")
_AROUND = 8  # letters beside a payload's word that must be there, too
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def all_of(payloads: Iterable[Payload]) -> str:
    """Put payloads one behind the other, each of which is at the start of a line."""
    return "\n".join(one.text for one in payloads)


def write_hostile_project(folder: Path, payloads: Sequence[Payload], in_use: int | None = None) -> Path:
    """Write a project that has each payload as a column, a cell, a slice's name, rule and note, and in all other names.

    Parameters
    ----------
    in_use : int, optional
        How many of the slices are switched on; all when left out.
    """
    rng = np.random.default_rng(0)
    first, second, third = (one.text for one in payloads[:3])
    everything = all_of(payloads)
    for side, n_rows, tilt in (("source", N_SOURCE, 0.3), ("target", N_TARGET, 0.4)):
        label = rng.choice([first, second], n_rows)
        columns: dict[str, object] = {}
        for number, one in enumerate(payloads):
            inside = rng.random(n_rows) < tilt
            calm = f"calm {number % 7}"
            columns[one.text] = rng.normal(tilt, 1.0, n_rows) if number % 5 == 4 else np.where(inside, one.text, calm)
        for model in ("one", "two", "three"):
            wrong = np.where(label == first, second, first)
            columns[f"{model} {third}"] = np.where(rng.random(n_rows) < 0.8, label, wrong)
        chance = rng.random(n_rows).round(3)
        columns |= {f"p1 {third}": chance, f"p2 {third}": 1 - chance}
        frame = pd.DataFrame(columns)
        labels = pd.DataFrame({f"truth {third}": label})
        labels.to_csv(folder / f"{side}_labels.csv", index=False, quoting=csv.QUOTE_ALL)
        if side == "source":
            frame[f"truth {third}"] = label
            frame.to_parquet(folder / "source.parquet", index=False)
        else:
            frame.to_csv(folder / "target.csv", index=False, quoting=csv.QUOTE_ALL)
    project = md.Project(
        name=everything,
        source_path=Path("source.parquet"),
        target_path=Path("target.csv"),
        target_labels=Path("target_labels.csv"),
        label=f"truth {third}",
        models=(
            md.Model(first, f"one {third}", {first: f"p1 {third}", second: f"p2 {third}"}),
            md.Model(second, f"two {third}"),
            md.Model(everything, f"three {third}"),
        ),
        slices=tuple(
            replace(_rule(number, one), note=one.text, enabled=in_use is None or number < in_use)
            for number, one in enumerate(payloads)
        ),
        edges=((first, second),),
        trust=md.TrustSettings(harmless={first: second, second: everything}),
        note=everything,
        base=folder,
    )
    path = folder / "project.toml"
    md.save_project(replace(project, path=path), path)
    return path


def _rule(number: int, one: Payload) -> md.Slice:
    text = one.text
    noise = md.Noise(source=md.Correction(inside=0.9)) if number % 6 == 1 else None
    if number % 5 == 0:
        return md.Category(text, column=text, values=(text,), noise=noise)
    if number % 5 == 1:
        return md.Keyword(text, column=text, words=(text, "calm 0"), whole_words=False, noise=noise)
    if number % 5 == 2:
        return md.Regex(text, column=text, pattern=_SIGNS.sub(r"\\\g<0>", text), noise=noise)
    if number % 5 == 3 and text.isprintable() and "\\" not in text:
        return md.Expression(text, text=f"{written_column(text)} == {written_text(text)}")
    if number % 5 == 3:
        return md.Category(text, column=text, values=(text,))
    return md.Threshold(text, column=text, above=0.5, noise=noise)


def ways_to_write(one: Payload) -> list[str]:
    """List how a payload may be shown: as it is, without what cannot be seen, or as Python prints it."""
    return [
        unseen_left_out(text)
        for text in (one.text, one_line(one.text), "".join(filter(str.isprintable, one.text)), repr(one.text)[1:-1])
    ]


def unseen_left_out(text: str) -> str:
    """Leave out what a person does not see."""
    return _UNSEEN.sub("", text)


def formulas(written: str) -> list[str]:
    """List the cells of a CSV file that a spreadsheet would take for formulas; numbers are none."""
    cells = (cell for row in csv.reader(io.StringIO(written)) for cell in row)
    return [cell for cell in cells if cell.startswith(_FORMULA) and not _is_number(cell)]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


# Run in a page: what was taken for a command. A payload's word with other letters around it than are written; an
# element that nobody but a payload makes; a script that ran.
WRONG = """([ways, host, around]) => {
    const found = [];
    if (window.hit !== undefined) found.push("a script ran");
    const made = ["src", "href", "action", "data", "poster", "style", "content", "formaction", "xlink\\\\:href"]
        .map(name => `[${name}*="${host}"]`).concat(["onerror", "onload", "ontoggle", "onfocus", "onmouseover"]
        .map(name => `[${name}]`), ["img[src=x]", ".katex", "marquee", "math", "base",
        "iframe[srcdoc*=hit]:not([data-testid=stIFrame])"]);
    for (const one of document.querySelectorAll(made.join(",")))
        found.push("an element: " + one.outerHTML.slice(0, 300));
    for (const one of document.querySelectorAll("a"))
        if (one.protocol === "javascript:") found.push("a link: " + one.outerHTML.slice(0, 300));
    const seen = text => text.replace(/[\\s\\\\\\u2060]/g, "");
    const blocks = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!/hit\\d{3}/.test(node.data)) continue;
        let block = node.parentElement;
        if (block.closest("script, style, noscript, .plotly-notifier")) continue;
        while (block.parentElement && (block.tagName === "tspan" || getComputedStyle(block).display.startsWith("inline")
            && block.tagName !== "text")) block = block.parentElement;
        blocks.add(block);
    }
    const ends = (text, want) => text.endsWith(want) || want.endsWith(text);
    for (const block of blocks) {
        const text = seen(block.textContent);
        for (const match of text.matchAll(/hit\\d{3}/g)) {
            const before = text.slice(0, match.index).split("\\u2026").pop();
            const [after] = text.slice(match.index + 6).split("\\u2026");
            const right = (ways[match[0]] ?? []).some(way => {
                for (let at = way.indexOf(match[0]); at >= 0; at = way.indexOf(match[0], at + 1)) {
                    const left = way.slice(Math.max(0, at - around), at), next = way.slice(at + 6, at + 6 + around);
                    if (ends(before, left) && (after.startsWith(next) || next.startsWith(after))) return true;
                }
                return false;
            });
            if (!right) found.push(`not as written: ${text.slice(Math.max(0, match.index - 40), match.index + 60)} `
                + `in ${block.outerHTML.slice(0, 400)}`);
        }
    }
    return found;
}"""


def question(payloads: Iterable[Payload]) -> list[object]:
    """Say what to look for in a page."""
    return [{one.word: ways_to_write(one) for one in payloads}, HOST, _AROUND]
