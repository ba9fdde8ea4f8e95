"""The deck: one model's report goes in, slides come out, each a picture of 16 to 9 as SVG in one typeface.

A slide has a title that says what to see, a figure and a foot, and notes for who presents it. Every name is escaped.
"""

from __future__ import annotations

from mandoline_core.report.deck.examples import Example, find_examples
from mandoline_core.report.deck.slides import Slide, Story, make_slides
