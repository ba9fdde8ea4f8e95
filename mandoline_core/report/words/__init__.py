"""The words of a report, in plain text: one function a fact, the headline, and what terms mean."""

from __future__ import annotations

from mandoline_core.report.words.decision import ABOUT, Decision, about, decide
from mandoline_core.report.words.headline import Headline, headline
from mandoline_core.report.words.vocabulary import TOOLTIPS, title_of
