"""The way of a row: six steps in order, the same for every caller, and none walked again for what only looks on."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import mandoline_core as md
from mandoline_core.pipeline import Cells, Codes, Estimate, Fit, Request, state_project
from mandoline_core.report import report, with_truth
from tests.core.projects import ROOT, write_project

CORE = str(ROOT / "mandoline_core")
STEPS = {
    ("project/project.py", "read"): "read",
    ("pipeline/codes.py", "code"): "code",
    ("pipeline/cells.py", "count"): "count",
    ("pipeline/fits.py", "fit"): "fit",
    ("pipeline/estimates.py", "estimate"): "estimate",
    ("checks/checks.py", "check"): "check",
}
ORDER = ["read", "code", "count", "fit", "estimate", "check"]
NOUNS = (md.Sample, Codes, Cells, Fit, Estimate, md.ModelReport, md.Report)


@contextmanager
def traced(see: Callable[[FrameType, str, Any], None]) -> Iterator[None]:
    """Call a function for every call and return within the core."""

    def profile(frame: FrameType, event: str, value: Any) -> None:
        if event in ("call", "return") and frame.f_code.co_filename.startswith(CORE):
            see(frame, event, value)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


def name_of(frame: FrameType) -> tuple[str, str]:
    return str(Path(frame.f_code.co_filename).relative_to(CORE)), frame.f_code.co_name


@contextmanager
def steps_walked() -> Iterator[list[str]]:
    """Write down each step as it begins."""
    walked: list[str] = []

    def see(frame: FrameType, event: str, _: Any) -> None:
        step = STEPS.get(name_of(frame))
        if step is not None and event == "call":
            walked.append(step)

    with traced(see):
        yield walked


@pytest.fixture
def project(tmp_path: Path) -> md.Project:
    return md.load_project(write_project(tmp_path))


def test_the_steps_are_walked_in_order_and_none_again(project: md.Project) -> None:
    """For each model every step after reading once; no earlier step after a later one."""
    with steps_walked() as walked:
        md.estimate(project, spread=False)
    assert walked == ["read", *ORDER[1:], *ORDER[1:]]  # two models


def test_every_step_returns_its_noun(project: md.Project) -> None:
    """What a step made is what the next one takes."""
    made: dict[str, type] = {}

    def see(frame: FrameType, event: str, value: Any) -> None:
        step = STEPS.get(name_of(frame))
        if step is not None and event == "return":
            made[step] = type(value[0] if step == "read" else value)

    with traced(see):
        md.estimate(project, spread=False)
    assert [made[step] for step in ORDER] == list(NOUNS[:-1])


def test_the_truth_walks_no_step(project: md.Project) -> None:
    """Revealing scores labels beside a report: nothing is counted, fitted or checked for it."""
    request = state_project(project)
    checked = report(request).first
    with steps_walked() as walked:
        revealed = with_truth(checked, project.reveal(request.target))
    assert walked == []
    assert checked.truth is None
    assert revealed.truth == md.estimate(project, reveal=True).truth
    assert revealed.evidence is checked.evidence


def test_a_memo_spares_what_did_not_change(project: md.Project) -> None:
    """With the caller's memory a second report walks nothing, and another correction recounts nothing."""
    kept: dict[str, Any] = {}

    def memo(key: tuple[Any, ...], make: Callable[[], Any], /) -> Any:
        name = repr([part.fingerprint if isinstance(part, md.Sample) else part for part in key])
        if name not in kept:
            kept[name] = make()
        return kept[name]

    request = state_project(project)
    first = report(request, memo)
    with steps_walked() as walked:
        assert report(request, memo).estimate == first.estimate
    assert walked == []
    surer = [replace(rule, noise=md.Noise(md.Correction(inside=0.9, outside=0.1))) for rule in request.slices]
    with steps_walked() as walked:
        assert report(replace(request, slices=surer), memo).estimate != first.estimate
    assert walked == [*ORDER[3:], *ORDER[3:]]


def test_a_report_is_made_in_one_module() -> None:
    """The app and the commands ask for one."""
    makers = {
        path.relative_to(ROOT).as_posix()
        for folder in ("app", "mandoline_core")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Report"
    }
    assert makers == {"mandoline_core/report/api.py"}


def test_the_way_is_short_enough_to_be_walked_by_a_reader(project: md.Project) -> None:
    """From project to report: functions given what a row is carried in and make the next, and the boxes."""
    carried = (md.Project, Request, *NOUNS)
    functions: set[tuple[str, str]] = set()
    boxes: set[str] = set()

    def see(frame: FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        if event != "return" or code.co_name.startswith(("<", "__")):
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        given = [frame.f_locals[name] for name in names if name in frame.f_locals]
        made = value if type(value) is tuple else (value,)
        if any(isinstance(part, carried) for part in given) and any(isinstance(part, carried) for part in made):
            functions.add(name_of(frame))
            boxes.update(type(part).__name__ for part in (*given, *made) if is_dataclass(part))

    with traced(see):
        md.estimate(project, spread=False)
    assert len(functions) <= 25, sorted(functions)
    assert len(boxes) <= 15, sorted(boxes)
