"""Which slice did it? The app, the terminal, the HTML report and JSON give one answer, and it adds up."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

import mandoline_core as md
from app import compute
from mandoline_core.cli.main import main
from mandoline_core.formatting import show_effect
from tests.app.pages import open_app, said
from tests.app.views.test_checks import workspace_of
from tests.core.projects import LONG, NEGATION, REVIEWS, WEB, write_project

EDGES = {"slices": [NEGATION, LONG, WEB], "edges": [["negation", "long"]]}


@pytest.mark.parametrize("changes", [None, EDGES], ids=["reviews", "edges"])
def test_every_face_gives_the_same_effects(
    changes: dict[str, object] | None, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On Slices, in `slices` as text and JSON, and in the HTML report; they lead from labelled score to estimate."""
    path = REVIEWS if changes is None else write_project(tmp_path, changes)
    report = md.estimate(md.load_project(path))
    effects = report.attribution()
    assert sum(part.value for part in effects.parts) == pytest.approx(report.estimate - report.source, abs=1e-9)
    app = open_app(path, page="views/slices/slices.py")
    assert compute.effects(workspace_of(app)) == effects
    assert main(["slices", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["effects"][report.first.model] == json.loads(
        json.dumps(effects.to_dict())
    )
    assert main(["slices", str(path)]) == 0
    text, page = capsys.readouterr().out, html.unescape(report.to_html())
    shown = " ".join(element.proto.body for element in app.get("html"))
    for part in effects.parts:
        written = show_effect(part.value, part.interval, share=True)
        assert re.search(rf"^{re.escape(part.rule)} +{re.escape(written)}$", text, flags=re.MULTILINE)
        assert f">{written}<" in page
        assert written in shown or " and " in part.rule  # an edge has no line among the slices


def test_a_method_without_effects_shows_none(folder: Path) -> None:
    """It weights no slice, so nothing is made up."""
    path = write_project(folder, {"estimator": {"name": "simple"}})
    app = open_app(path, page="views/slices/slices.py")
    assert compute.quick_effects(workspace_of(app)) == {}
    assert "\u2013" in said(app)
