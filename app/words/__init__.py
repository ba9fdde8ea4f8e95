"""The app's words: Markdown, HTML and tables from what the core says; names are escaped."""

from __future__ import annotations

from app.words import corrections
from app.words.comparison import METHOD_WIDTH, WRAPPED, duration, percent
from app.words.wording import highlighted, plain, tell
