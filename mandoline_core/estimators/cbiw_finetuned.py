"""Classifier-based weighting by a transformer that is fine-tuned to tell the samples apart (the paper's CBIW-FT)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mandoline_core.arrays import Index
from mandoline_core.data import SAMPLE_CACHE
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Estimator, Outcome, rows_of, what_stops
from mandoline_core.estimators.cbiw import weight_by_odds
from mandoline_core.estimators.density.features import draw_rows
from mandoline_core.estimators.finetuning.crossfitting import RowChances, crossfit
from mandoline_core.estimators.finetuning.folder import INSTALL, check_folder, check_installed, state_of
from mandoline_core.estimators.finetuning.texts import choose_texts, read_texts
from mandoline_core.estimators.finetuning.training import Trainer, Tuning, alone
from mandoline_core.estimators.on_features import about_rows
from mandoline_core.findings import FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem, Rows, take_step

FINE_TUNED = FindingKind(
    "rows",
    "fine_tuned",
    "On rows that it did not learn from, the fine-tuned model tells the samples apart with an AUC of {auc:.2f}",
    "Nothing to do.",
    " (0.5 not at all, 1 perfectly).",
)
_FEWEST_IN_FOLD = 2  # rows of each sample
_FEWEST = 10


@dataclass(frozen=True, eq=False)
class _Plan:
    """Hold what is to be read: the columns, and rows of either sample; source rows are scored ones."""

    tuning: Tuning
    columns: tuple[str, ...]
    source: Index
    target: Index


class CbiwFinetuned(Estimator):
    """Weight rows by the odds of a transformer that learned to tell the samples apart by their texts.

    As the paper's CBIW-FT, with these differences, as far as the paper says. It trains on both samples together and
    weights the very rows that it trained on; here the fit that scores a row never saw it. It takes the network's odds
    as they are; here they are calibrated on rows of their own. There rows count alike, here samples do, which cancels
    in the weights. The paper fine-tunes for 5 epochs (images), 1 (CivilComments) or 3 (SNLI), here for 3
    unless told otherwise; and any model for sequences will do, not BERT alone.
    """

    name = "cbiw_finetuned"
    title = "Fine-tuned classifier"
    does = (
        "A language model of yours is fine-tuned to tell new rows from labelled ones by their text; rows that look new "
        "count more."
    )
    seconds = 600.0
    assumes = (
        "The fine-tuned model's calibrated probabilities of being new are right, and both samples overlap; its "
        "interval takes them as given."
    )
    needs = ("features", "transformer")

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return what_stops(lambda: _plan(problem))

    def expected_seconds(self, methods: MethodSettings, n_rows: int) -> float:
        """Guess how long it takes, roughly: nothing without a model, else by the rows that it goes through."""
        if methods.transformer is None or what_stops(check_installed):
            return 0.0
        usual = MethodSettings()
        work = (methods.folds - 2) * methods.epochs / ((usual.folds - 2) * usual.epochs)
        return self.seconds * work * n_rows / 20_000

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread."""
        plan, rows = _plan(problem), rows_of(problem)
        state = state_of(plan.tuning.folder)
        key = (self.name, plan.tuning, state, plan.columns, plan.source.tobytes(), plan.target.tobytes())
        chances = SAMPLE_CACHE.of((rows.source, rows.target), key, lambda: _learn(plan, rows))
        places = (np.cumsum(rows.scored) - 1)[plan.source]
        findings = (*about_rows(problem, len(plan.source), len(plan.target)), FINE_TUNED.found("info", auc=chances.auc))
        return weight_by_odds(problem, places, chances.source, findings)


def _plan(problem: Problem) -> _Plan:
    """Say what is to be done, or refuse; quick, because it is asked before anything is done."""
    methods, rows = problem.methods, problem.rows
    if methods.transformer is None:
        raise MandolineError(
            "No model is named to fine-tune. Set transformer in [methods] to the folder of a Hugging Face model on "
            f"this machine, and run: {INSTALL}."
        )
    if rows is None:
        raise MandolineError("Only slice codes are known here, and this method reads the texts behind them.")
    check_installed()
    folder = Path(methods.transformer)
    check_folder(folder)
    columns = choose_texts(rows.source, rows.target, methods.texts)
    source, target = draw_rows(rows.source, rows.target, methods.max_rows, problem.seed)
    source = source[rows.scored[source]]
    fewest = max(_FEWEST, _FEWEST_IN_FOLD * methods.folds)
    for side, some in (("source_rows", source), ("target_rows", target)):
        if len(some) < fewest:
            raise MandolineError(
                Sentence(
                    f"There are {{n}} {{{side}}} to learn from, too few for {{folds}} folds. Expected {{fewest}} or "
                    "more.",
                    n=len(some),
                    folds=methods.folds,
                    fewest=fewest,
                )
            )
    tuning = Tuning(folder, methods.epochs, methods.batch_size, methods.learning_rate, methods.folds, problem.seed)
    return _Plan(tuning, columns, source, target)


def _learn(plan: _Plan, rows: Rows) -> RowChances:
    """Fine-tune fold by fold; every step asks whether anyone still waits."""
    texts = read_texts((rows.source, rows.target), plan.columns, (plan.source, plan.target))
    with alone(take_step):
        trainer = Trainer(plan.tuning, texts, take_step)
        sizes = len(plan.source), len(plan.target)
        return crossfit(*sizes, trainer.fit, folds=plan.tuning.folds, seed=plan.tuning.seed)
