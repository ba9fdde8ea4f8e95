"""Backtests in the background: one model at a time, with progress, a stop, and answers kept by what they depend on."""

from __future__ import annotations

import streamlit as st

from app.compute import keys
from app.compute.background import Run, Task, runs
from app.compute.estimates import prepared
from app.compute.shelf import Shelf
from app.compute.sizes import A_FEW, n_bytes
from app.project import Workspace
from mandoline_core.comparison.backtests import ModelBacktest, backtest_model


@st.cache_resource(show_spinner=False)
def _kept() -> Shelf[ModelBacktest]:
    return Shelf(A_FEW, size=n_bytes)


def backtested(workspace: Workspace, draws: int) -> ModelBacktest | None:
    """Return the backtest of the model on show, if it has run as things stand."""
    return _kept().get((keys.solution(workspace), draws))


def backtest_run(workspace: Workspace) -> Run | None:
    """Find the run that belongs to a project; one that answers what nobody asks any more is stopped."""
    found = runs().get(("backtest", workspace.id))
    if found is not None and found.running and found.tasks[0].key != keys.solution(workspace):
        found.stop()
    return found


def start_backtest(workspace: Workspace, draws: int) -> Run:
    """Backtest the model on show in the background."""
    problem = prepared(workspace, need_slices=any(rule.enabled for rule in workspace.project.slices))
    key, settings, kept = keys.solution(workspace), workspace.project.estimator, _kept()

    def work(run: Run) -> None:
        kept.put((key, draws), backtest_model(problem, settings, draws=draws, progress=run.note))

    found = Run([Task(key, f"Backtest of {problem.model}", work)])
    runs().put(("backtest", workspace.id), found)
    return found
