"""A page is a file and a line in the router; what it draws stands in the app's frame."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path

from streamlit.testing.v1 import AppTest

import mandoline_core as md
from tests.app.pages import MAIN, run, said
from tests.core.projects import REVIEWS

LINE = '    "Wages": ":material/payments:",\n'
FILE = """
import streamlit as st
from app import compute
from app.project import state
from app.views import parts
from mandoline_core import MandolineError
from mandoline_core.report.charts.drawing import Drawing

workspace = state.workspace()
report = compute.report(workspace)
st.title("Wages")
st.write(f"The estimate is {report.estimate}.")
figure = Drawing(dark=parts.is_dark())
figure.points([report.source], [report.estimate], "one point", colour="#123456", symbol="circle")
parts.chart(figure.finish(title="What to see", x="before", y="after", height=300), "wages", alt="One point")
raise MandolineError("Nobody knows what it pays.")
"""


def views() -> dict[str, str]:
    """Read the router's lists: importing it would run the app."""
    tree = ast.parse(MAIN.read_text(encoding="utf-8"))
    listed = [
        a.value for a in tree.body if isinstance(a, ast.Assign) and ast.unparse(a.targets[0]) in ("VIEWS", "BESIDE")
    ]
    return {title: icon for pages in listed for title, icon in ast.literal_eval(pages).items()}


def test_the_list_names_every_page_there_is() -> None:
    pages = {path.stem for path in MAIN.parent.glob("views/*/*.py") if path.stem == path.parent.name}
    assert pages == {title.lower() for title in views()}


def test_a_file_and_a_line_make_a_page(tmp_path: Path) -> None:
    """In a copy: with its numbers and its figure, the sidebar around it, and its error said and not raised."""
    shutil.copytree(MAIN.parent / "views", tmp_path / "views")
    (tmp_path / "views" / "wages").mkdir()
    (tmp_path / "views" / "wages" / "wages.py").write_text(FILE, encoding="utf-8")
    text = MAIN.read_text(encoding="utf-8")
    (tmp_path / "main.py").write_text(text.replace("VIEWS = {\n", f"VIEWS = {{\n{LINE}", 1), encoding="utf-8")
    app = run(AppTest.from_file(str(tmp_path / "main.py"), default_timeout=60).switch_page("views/wages/wages.py"))
    assert app.title[0].value == "Wages"
    report = md.estimate(md.load_project(REVIEWS))
    assert f"The estimate is {report.estimate}." in said(app)
    (chart,) = app.get("plotly_chart")
    assert json.loads(chart.proto.spec)["data"][0]["name"] == "one point"
    assert "Nobody knows what it pays." in said(app)
    assert [box.label for box in app.sidebar.text_input] == ["Project"]
