"""The story's curve: an image that walks on axes that stay, with names as they are written."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET

import pytest

from mandoline_core import AblationPoint
from mandoline_core.report import charts

NAMES = ("<img src=x onerror=alert(1)>", '"quoted" & $x$', "slang")
POINTS = [
    AblationPoint(None, 0.9, (0.88, 0.92), 100.0),
    AblationPoint(NAMES[0], 0.85, (0.82, 0.88), 90.0),
    AblationPoint(NAMES[1], None, None, None, "no estimate"),
    AblationPoint(NAMES[2], 0.8, (0.76, 0.84), 80.0),
]


def drawn(shown: int, **more: float | None) -> tuple[str, ET.Element]:
    """Draw the curve; return its words and the image."""
    found = re.fullmatch(
        r'<img alt="([^"]*)" src="data:image/svg\+xml;base64,([A-Za-z0-9+/=]*)"/>',
        charts.story_curve(POINTS, shown, metric="accuracy", **more),  # type: ignore[arg-type]
    )
    assert found is not None
    return found[1], ET.fromstring(base64.b64decode(found[2]))  # noqa: S314  our own


def texts(image: ET.Element) -> dict[str, float]:
    """Return what the image says, and at which height."""
    return {str(one.text): float(one.attrib["y"]) for one in image.iter() if one.tag.endswith("}text")}


def test_names_are_text_in_the_image_and_in_its_words() -> None:
    alt, image = drawn(3)
    assert {one.tag.partition("}")[2] for one in image.iter()} <= {"svg", "text", "line", "polyline", "circle", "rect"}
    assert "&lt;img src=x" in alt
    assert any(said.startswith("<img") for said in texts(image))


def test_a_step_shows_what_came_so_far_on_axes_that_stay() -> None:
    """The value at hand is written; the round values on the axis are where they will be at the end."""
    _, first = drawn(0)
    alt, last = drawn(3)
    assert alt.endswith("slang 80.0%")
    assert "80.0%" in texts(last)
    assert "80.0%" not in texts(first)
    assert texts(first)["90%"] == texts(last)["90%"]
    assert sum(one.tag.endswith("}rect") for one in last.iter()) == 2  # a step without an estimate has no mark


@pytest.mark.parametrize("truth", [0.79, 0.81])
def test_the_truth_is_a_line_of_its_own_that_leaves_the_estimate_readable(truth: float) -> None:
    _, image = drawn(3, truth=truth)
    found = texts(image)
    line = found[f"true value {truth:.1%}"] + 14
    assert abs(found["80.0%"] - line) > 10
    assert (found["80.0%"] < line) == (truth < 0.8)
