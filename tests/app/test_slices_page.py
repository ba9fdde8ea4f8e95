"""The Slices page: controls that fit the data."""

from __future__ import annotations

import pytest

import mandoline_core as md
from tests.app.pages import current, open_app, press
from tests.core.projects import REVIEWS

pytestmark = pytest.mark.usefixtures("folder")


def test_a_threshold_slider_spans_the_column_and_no_more() -> None:
    """A column that stays away from zero has a slider that does, too."""
    app = open_app(page="views/slices.py")
    press(app, "Threshold")
    rule = current(app).slices[-1]
    assert isinstance(rule, md.Threshold)
    values = [md.read_table(REVIEWS.parent / f"{side}.csv")[rule.column] for side in ("source", "target")]
    (slider,) = [one for one in app.slider if one.label == "Above"]
    assert (slider.min, slider.max) == (min(map(min, values)), max(map(max, values)))
    assert slider.min > 0
