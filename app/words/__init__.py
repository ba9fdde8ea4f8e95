"""The app's sentences: numbers and findings go in, Markdown in one vocabulary comes out; names are escaped."""

from __future__ import annotations

from app.words import corrections
from app.words.comparison import METHOD_WIDTH, WRAPPED, duration, percent
from app.words.story import Slide, reveal, slides
from app.words.wording import highlighted, plain, tell
