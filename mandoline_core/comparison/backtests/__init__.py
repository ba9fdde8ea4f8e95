"""Backtesting: labelled rows go in; how every method does on pseudo-targets made of them comes out.

The truth is known there. Shifts are made by slices, by a slice held out, by class and by a column.
"""

from __future__ import annotations

from mandoline_core.comparison.backtests.backtest import backtest, backtest_model
from mandoline_core.comparison.backtests.results import EXPECTED_KINDS, Backtest, MethodRecord, ModelBacktest
