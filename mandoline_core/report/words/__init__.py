"""The words for people who have not read the paper: two samples, the methods, what terms mean, and the headline."""

from __future__ import annotations

from mandoline_core.report.words.headline import Headline, headline
from mandoline_core.report.words.vocabulary import PLAIN, TOOLTIPS, title_of
