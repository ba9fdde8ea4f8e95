"""Every method on every model, and backtests, in the background; slow methods and backtests when asked to."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Literal

from app.compute import keys
from app.compute.data import revealed, samples
from app.compute.estimates import drawn_fit, fit, report
from app.compute.jobs import A_MOMENT, Job, JobKind, Task
from app.project import Workspace
from mandoline_core import MandolineError
from mandoline_core.comparison import Comparison, Entry, ModelComparison, gather, run_estimator, summarise
from mandoline_core.comparison.backtests import ModelBacktest, backtest_model
from mandoline_core.domain_classifier import one_thread
from mandoline_core.estimators import ESTIMATORS, get_estimator
from mandoline_core.pipeline import Fit, score_truth
from mandoline_core.report.words import title_of

Pace = Literal["quick", "slow"]

# Quick methods run unasked, so they end soon after the page is left; slow ones were asked for.
_COMPARISONS: dict[Pace, JobKind[Entry]] = {"quick": JobKind("quick", patience=15.0), "slow": JobKind("slow")}
_BACKTESTS = JobKind[ModelBacktest]("backtest")
DRAWS = (10, 30, 100)  # shifts of a kind, to choose from


def pace_of(name: str) -> Pace:
    """Tell whether a method looks at all columns of all rows, and so runs only when asked to.

    >>> pace_of("mandoline")
    'quick'
    """
    return "slow" if get_estimator(name).slow else "quick"


def compare_model(workspace: Workspace) -> ModelComparison:
    """Gather what methods have said of the model on show so far; with the truth once it was revealed."""
    problem, methods = _problem(workspace), keys.methods(workspace, ESTIMATORS)
    entries = {name: _COMPARISONS[pace_of(name)].result(key) for name, key in methods.items()}
    there = {name: entry for name, entry in entries.items() if entry is not None}
    gathered = gather(problem, workspace.project.estimator, there)
    truth = score_truth(problem.cells, revealed(workspace))[0] if workspace.revealed else None
    return replace(gathered, truth=truth)


def compare_models(workspace: Workspace) -> Comparison:
    """Gather what methods have said of every model so far; a model that cannot be scored is left out."""
    found = {}
    for model in workspace.project.models:
        try:
            one = replace(workspace, model=model.name)
            found[model.name] = replace(compare_model(one), verdict=_light(one))
        except MandolineError:
            continue
    return summarise(workspace.project.name, found, workspace.project.estimator.confidence)


def _light(workspace: Workspace) -> str | None:
    """Return the verdict on the project's own estimate of a model; None where there is none."""
    try:
        verdict = report(replace(workspace, revealed=False)).verdict
    except MandolineError:
        return None
    return None if verdict is None else verdict.level


def not_run(workspace: Workspace, pace: Pace) -> list[str]:
    """List the quick or the slow methods that have not run on the model on show with the current project."""
    return list(_not_run(workspace, pace))


def _not_run(workspace: Workspace, pace: Pace) -> dict[str, keys.Key]:
    names, kind = [name for name in ESTIMATORS if pace_of(name) == pace], _COMPARISONS[pace]
    return {name: key for name, key in keys.methods(workspace, names).items() if kind.result(key) is None}


def n_coming(workspace: Workspace) -> int:
    """Count the answers of quick methods that are still to come, over all models."""
    return len(_missing(workspace, "quick"))


def expected_seconds(workspace: Workspace) -> float:
    """Guess how long the slow methods that have not run will take; models share most of the work."""
    methods = workspace.project.methods
    n_rows = sum(min(sample.n_rows, methods.max_rows) for sample in samples(workspace))
    names = {name for _, name, _ in _missing(workspace, "slow")}
    return sum(get_estimator(name).expected_seconds(methods, n_rows) for name in names)


def comparison_job(workspace: Workspace, pace: Pace) -> Job | None:
    """Find the job that runs a project's quick or slow methods, or was stopped doing so."""
    return _COMPARISONS[pace].find(workspace, {key for *_, key in _missing(workspace, pace)})


def ask_quick(workspace: Workspace) -> None:
    """Have the quick methods run that have not, unless somebody stopped them; wait for those that answer at once."""
    _problem(workspace)  # refuses what cannot be compared
    if n_coming(workspace) and comparison_job(workspace, "quick") is None:
        start_comparison(workspace, "quick").wait(A_MOMENT)


def start_comparison(workspace: Workspace, pace: Pace) -> Job:
    """Run methods that have not run, in the background: those that take least first, the model on show first."""
    tasks = []
    for model, name, key in _missing(workspace, pace):
        title = f"{title_of(name)}, {model}" if model else title_of(name)
        tasks.append(Task(key, title, partial(_entry, replace(workspace, model=model), name)))
    return _COMPARISONS[pace].start(workspace, tasks)


def _entry(workspace: Workspace, name: str, job: Job) -> Entry:
    # Linear algebra on every core would leave none for the page, and threads that wait for each other are slower.
    with one_thread():
        try:
            problem = _problem(workspace)
        except MandolineError as error:
            return Entry(name, available=False, reason=str(error))
        draw = drawn_fit(workspace, problem)
        return run_estimator(problem, name, workspace.project.estimator, job.step, draw=draw)


def _missing(workspace: Workspace, pace: Pace) -> list[tuple[str, str, keys.Key]]:
    """List the answers that are not there, by model, method and key: what takes least first."""
    models = dict.fromkeys([workspace.model, *(model.name for model in workspace.project.models)])
    found = [
        (model, name, key) for model in models for name, key in _not_run(replace(workspace, model=model), pace).items()
    ]
    if pace == "slow":  # models share most of the work of a slow method
        found.sort(key=lambda missing: list(ESTIMATORS).index(missing[1]))
    return sorted(found, key=lambda missing: get_estimator(missing[1]).seconds)


def _problem(workspace: Workspace) -> Fit:
    """State the problem; methods on columns need no slices."""
    return fit(workspace, need_slices=any(rule.enabled for rule in workspace.project.slices))


def backtest(workspace: Workspace, draws: int) -> ModelBacktest | None:
    """Return the backtest of the model on show, if it has run with the current project."""
    return _BACKTESTS.result((keys.solution(workspace), draws))


def backtest_job(workspace: Workspace, draws: int) -> Job | None:
    """Find the job that backtests the model on show, or was stopped doing so."""
    return _BACKTESTS.find(workspace, {(keys.solution(workspace), draws)})


def start_backtest(workspace: Workspace, draws: int) -> Job:
    """Backtest the model on show in the background."""
    problem, settings = _problem(workspace), workspace.project.estimator

    def work(job: Job) -> ModelBacktest:
        return backtest_model(problem, settings, draws=draws, progress=job.note)

    return _BACKTESTS.start(workspace, [Task((keys.solution(workspace), draws), f"Backtest of {problem.model}", work)])
