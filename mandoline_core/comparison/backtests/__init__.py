"""Backtesting: labelled rows go in; the errors of every method on simulated targets come out.

The truth is known there. Shifts are made by slices, by a slice held out, by class and by a column.
"""

from __future__ import annotations

from mandoline_core.comparison.backtests.backtest import backtest, backtest_model
from mandoline_core.comparison.backtests.results import EXPECTED_KINDS, Backtest, MethodRecord, ModelBacktest
