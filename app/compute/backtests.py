"""Backtests in the background: one model at a time, with progress, a stop, and answers kept by what they depend on."""

from __future__ import annotations

import importlib
import threading
from collections import OrderedDict
from collections.abc import Hashable
from functools import partial

import streamlit as st

from app.compute import keys
from app.compute.background import Run, Task
from app.compute.estimates import prepared
from app.project import Workspace
from mandoline_core import EstimatorSettings
from mandoline_core.backtesting import ModelBacktest, backtest_model
from mandoline_core.estimating import ModelProblem

MOST_KEPT = 24


class BacktestRun:
    """Hold a backtest that runs, and how far it is.

    Parameters
    ----------
    key : hashable
        What its answer will be kept by.
    """

    def __init__(self, key: Hashable, title: str) -> None:
        self.key, self.title, self.share = key, title, 0.0
        self.run: Run | None = None

    @property
    def running(self) -> bool:
        """Whether there is work left that nobody has called off."""
        return self.run is not None and self.run.running

    @property
    def stopped(self) -> bool:
        """Whether somebody called it off."""
        return self.run is not None and self.run.stopped

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return 0.0 if self.run is None else self.run.seconds

    def take_error(self) -> Exception | None:
        """Return what went wrong, once."""
        if self.run is None:
            return None
        error, self.run.error = self.run.error, None
        return error

    def stop(self) -> None:
        """Call it off."""
        if self.run is not None:
            self.run.stop()

    def note(self, _what: str, share: float) -> None:
        """Take down how far it is."""
        self.share = share


class _Kept:
    """Keep the last answers by key."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, ModelBacktest] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> ModelBacktest | None:
        with self._lock:
            return self._found.get(key)

    def put(self, key: Hashable, found: ModelBacktest) -> None:
        with self._lock:
            self._found[key] = found
            while len(self._found) > MOST_KEPT:
                self._found.popitem(last=False)


@st.cache_resource(show_spinner=False)
def _kept() -> _Kept:
    return _Kept()


@st.cache_resource(show_spinner=False)
def _runs() -> dict[str, BacktestRun]:
    return {}


def backtested(workspace: Workspace, draws: int) -> ModelBacktest | None:
    """Return the backtest of the model on show, if it has run as things stand."""
    return _kept().get(_key(workspace, draws))


def backtest_run(workspace: Workspace) -> BacktestRun | None:
    """Find the run that belongs to a project; one that answers what nobody asks any more is stopped."""
    found = _runs().get(workspace.id)
    if found is not None and found.running and found.key[:-1] != _key(workspace, 0)[:-1]:  # type: ignore[index]
        found.stop()
    return found


def start_backtest(workspace: Workspace, draws: int) -> BacktestRun:
    """Backtest the model on show in the background."""
    # A stop in the middle of an import would leave half a library behind: it is loaded before anything can be stopped.
    importlib.import_module("sklearn.isotonic")
    importlib.import_module("sklearn.linear_model")
    problem = prepared(workspace, need_slices=any(rule.enabled for rule in workspace.project.slices))
    key = _key(workspace, draws)
    found = BacktestRun(key, f"Backtest of {problem.model}")
    work = partial(_answer, _kept(), found, problem, workspace.project.estimator, draws)
    found.run = Run([Task(key, found.title, work)])
    _runs()[workspace.id] = found
    return found


def _answer(kept: _Kept, run: BacktestRun, problem: ModelProblem, settings: EstimatorSettings, draws: int) -> None:
    kept.put(run.key, backtest_model(problem, settings, draws=draws, progress=run.note))


def _key(workspace: Workspace, draws: int) -> tuple[object, ...]:
    return (*keys.solution(workspace), draws)
