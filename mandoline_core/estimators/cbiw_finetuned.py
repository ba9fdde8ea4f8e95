"""Classifier-based weighting with a fine-tuned transformer as domain classifier (the paper's CBIW-FT)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.special import expit

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import SAMPLE_CACHE, Sample, profile_column, take_step
from mandoline_core.domain_classifier import auc, common_kind, default_columns, fit_logistic
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimators.base import Estimator, Outcome, rows_of, what_stops, why_not_whole
from mandoline_core.estimators.cbiw import weight_by_odds
from mandoline_core.estimators.features import about_rows, draw_rows, read_column
from mandoline_core.estimators.transformer import (
    INSTALL,
    Score,
    Texts,
    Trainer,
    Tuning,
    alone,
    check_folder,
    check_installed,
    state_of,
)
from mandoline_core.findings import Finding
from mandoline_core.formatting import listed
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem

Fit = Callable[[int, Index, Floats], Score]
_FEWEST_IN_FOLD = 2  # rows of each sample
_FEWEST = 10
_FARTHEST = 30.0  # log odds: beyond them a probability is 1 in a float, and the row would count for ever


def choose_texts(source: Sample, target: Sample, columns: Sequence[str] = ()) -> tuple[str, ...]:
    """Choose the text columns to read: those given, or all columns with prose in both samples.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"said": ["it was good", "it was bad"], "place": ["a", "b"], "n": [1, 2]})
    >>> source, target = Sample(frame), Sample(frame.assign(said=["good it was", "bad it was"]))
    >>> choose_texts(source, target)
    ('said',)
    >>> choose_texts(source, target, ["n"])
    Traceback (most recent call last):
    ...
    mandoline_core.errors.DataError: Column 'n' contains numbers. Set texts in [methods] to text columns.
    """
    if not columns:
        able, _ = default_columns(source, target)
        chosen = tuple(
            column
            for column in able
            if common_kind(column, source, target)[0] == "text" and profile_column(column, source, target).is_prose
        )
        if not chosen:
            raise DataError(
                f"No column contains text in both labelled and new data. Columns: {listed(able) or 'none usable'}. "
                "Set texts in [methods] to text columns."
            )
        return chosen
    for column in columns:
        for sample in (source, target):
            if column not in sample.columns:
                raise DataError.missing_column(column, sample.name, sample.columns)
        kind, wrong = common_kind(column, source, target)
        if kind != "text":
            why = wrong or f"contains {kind if kind != 'nothing' else 'no values'}"
            raise DataError(f"Column {column!r} {why}. Set texts in [methods] to text columns.")
    return tuple(dict.fromkeys(columns))


def read_texts(samples: tuple[Sample, Sample], columns: Sequence[str], rows: tuple[Index, Index]) -> Texts:
    """Read the texts of some rows, the source's before the target's; a missing one is empty.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> one, two = (Sample(pd.DataFrame({"said": said})) for said in (["a", None], ["b", "c"]))
    >>> read_texts((one, two), ["said"], (np.array([0, 1]), np.array([1])))
    (['a', '', 'c'],)
    """
    return tuple(
        [
            text
            for sample, some in zip(samples, rows, strict=True)
            for text in read_column(sample, column, "text", some).fill_null("").to_pylist()
        ]
        for column in columns
    )


def crossfit(n_source: int, n_target: int, fit: Fit, *, folds: int, seed: int) -> tuple[Floats, Floats]:
    """Score every row by a fit to other rows, and calibrate by others again.

    The rows of each sample are assigned to folds at random. A fold is scored by a fit without it and without the next
    fold, which calibrates the scores (Platt scaling). So a row has no part in its own score or calibration.

    Parameters
    ----------
    fit : callable
        Takes the number of the fold, rows and whether each is from the target; returns what scores rows: in any unit,
        the higher the newer. Rows are numbered through, the source's first.
    folds : int
        Three or more.

    Returns
    -------
    source, target : array of float, shape (n_rows,)
        The probability of being from the target, were both samples as large; calibrated.

    Examples
    --------
    What always knows the answer on rows that it saw, and on no others, knows nothing:

    >>> def memorise(number, rows, new):
    ...     known = dict(zip(rows, new))
    ...     return lambda asked: np.array([2 * known.get(row, 0.5) - 1 for row in asked])
    >>> auc(*crossfit(50, 50, memorise, folds=5, seed=0))
    0.5
    """
    rng = np.random.default_rng(seed)
    fold = np.concatenate([rng.permutation(n) % folds for n in (n_source, n_target)])
    new = np.repeat([0.0, 1.0], [n_source, n_target])
    probabilities = np.empty(len(new))
    for number in range(folds):
        scored = np.flatnonzero(fold == number)
        calibrating = np.flatnonzero(fold == (number + 1) % folds)
        learned = np.flatnonzero((fold != number) & (fold != (number + 1) % folds))
        score = fit(number, learned, new[learned])
        believe = calibrate(score(calibrating), new[calibrating])
        probabilities[scored] = believe(score(scored))
    return probabilities[:n_source], probabilities[n_source:]


def calibrate(scores: Floats, new: Floats) -> Callable[[Floats], Floats]:
    """Fit the probability of being from the target to scores, both samples counting the same; return it as a function.

    A fit whose scores are higher for source rows knows nothing: then every probability is 1/2.

    Parameters
    ----------
    scores : array of float, shape (n_rows,)
    new : array of float, shape (n_rows,)
        1 for rows of the target, 0 for the source's.

    Examples
    --------
    >>> scores, new = np.repeat([-9.0, 9.0], 400), np.tile([0.0, 0.0, 0.0, 1.0], 200)
    >>> believe = calibrate(scores, np.where(scores > 0, 1 - new, new))
    >>> believe(np.array([-9.0, 9.0])).round(2).tolist()
    [0.25, 0.75]
    """
    centre, width = float(scores.mean()), float(scores.std())
    if width == 0:
        return lambda asked: np.full(len(asked), 0.5)
    n, n_new = len(new), float(new.sum())
    zeros, ones = (1 - new) * n / (2 * (n - n_new)), new * n / (2 * n_new)
    fitted = fit_logistic(((scores - centre) / width)[:, None], zeros, ones)
    slope = float(fitted.coefficients[0])

    def believe(asked: Floats) -> Floats:
        log_odds = fitted.intercept + slope * (asked - centre) / width if slope > 0 else np.zeros(len(asked))
        return expit(np.clip(log_odds, -_FARTHEST, _FARTHEST))

    return believe


class CbiwFinetuned(Estimator):
    """Weight rows by the odds of a transformer fine-tuned to distinguish the samples by their texts.

    As the paper's CBIW-FT, with these differences, as far as the paper says. It trains on both samples together and
    weights the very rows that it trained on; here the fit that scores a row never saw it. It takes the network's odds
    as they are; here they are calibrated on rows of their own. There rows count alike, here samples do, which cancels
    in the weights. The paper fine-tunes for 5 epochs (images), 1 (CivilComments) or 3 (SNLI), here for 3
    unless told otherwise; and any model for sequences works, not only BERT.
    """

    name = "cbiw_finetuned"
    title = "Fine-tuned classifier (CBIW-FT)"
    does = "Weights labelled rows by the odds of a domain classifier: a language model fine-tuned on their text."
    seconds = 600.0
    assumes = "Covariate shift in the text, calibrated probabilities, and overlap. The interval takes them as fixed."
    premise = "columns"
    needs = ("features", "transformer")

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        return why_not_whole(problem) or what_stops(lambda: _plan(problem))

    def expected_seconds(self, methods: MethodSettings, n_rows: int) -> float:
        """Estimate the run time from the number of rows; 0 without a model."""
        if methods.transformer is None or what_stops(check_installed):
            return 0.0
        usual = MethodSettings()
        work = (methods.folds - 2) * methods.epochs / ((usual.folds - 2) * usual.epochs)
        return self.seconds * work * n_rows / 20_000

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its sampling error."""
        (tuning, columns, (source, target)), rows = _plan(problem), rows_of(problem)

        def learn() -> tuple[Floats, Floats]:
            """Fine-tune fold by fold; every step asks whether anyone still waits."""
            texts = read_texts((rows.source, rows.target), columns, (source, target))
            with alone(take_step):
                trainer = Trainer(tuning, texts, take_step)
                return crossfit(len(source), len(target), trainer.fit, folds=tuning.folds, seed=tuning.seed)

        key = (self.name, tuning, state_of(tuning.folder), columns, source.tobytes(), target.tobytes())
        learned = SAMPLE_CACHE.of((rows.source, rows.target), key, learn)
        found = auc(*learned)
        text = f"The fine-tuned classifier distinguishes labelled from new rows with an AUC of {found:.2f}."
        tuned = Finding("rows", "fine_tuned", "info", text, detail="Measured on held-out rows.", numbers={"auc": found})
        findings = (*about_rows(problem, len(source), len(target)), tuned)
        return weight_by_odds(problem, (np.cumsum(rows.scored) - 1)[source], learned[0], findings)


def _plan(problem: Problem) -> tuple[Tuning, tuple[str, ...], tuple[Index, Index]]:
    """Say how to tune, on which columns and rows (scored ones of the source), or refuse; before anything is done."""
    methods, rows = problem.methods, problem.rows
    if methods.transformer is None:
        raise MandolineError(
            "No model to fine-tune. Set transformer in [methods] to the folder of a Hugging Face model, "
            f"and run: {INSTALL}."
        )
    if rows is None:
        raise MandolineError("This method needs rows with text. Only slice codes are given.")
    check_installed()
    folder = Path(methods.transformer)
    check_folder(folder)
    columns = choose_texts(rows.source, rows.target, methods.texts)
    source, target = draw_rows(rows.source, rows.target, methods.max_rows, problem.seed)
    source = source[rows.scored[source]]
    fewest = max(_FEWEST, _FEWEST_IN_FOLD * methods.folds)
    for side, some in (("labelled rows", source), ("new rows", target)):
        if len(some) < fewest:
            raise MandolineError(
                f"Fine-tuning with {methods.folds} folds needs at least {fewest} {side}. Got {len(some)}."
            )
    tuning = Tuning(folder, methods.epochs, methods.batch_size, methods.learning_rate, methods.folds, problem.seed)
    return tuning, columns, (source, target)
