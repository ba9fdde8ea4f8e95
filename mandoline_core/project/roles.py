"""The roles of columns: guess which hold the label, the predictions and the probabilities, by name and by content."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mandoline_core.data import Model, Sample, class_codes, few_classes
from mandoline_core.formatting import show_percent
from mandoline_core.slices import free_name

MOST_CLASSES = 100
MOST_ROWS = 20_000  # looked at; enough to know a column by
_LABELS = ("label", "labels", "y", "y_true", "target", "class", "truth", "gold", "true_label", "ground_truth")
_PREDICTION = r"(?:(?:y_?)?(?:predictions?|predicted|preds?)|y_?hat)"
_BEFORE = re.compile(_PREDICTION + r"(?:[_.\- ]+(?P<model>.+))?", re.IGNORECASE)
_AFTER = re.compile(r"(?P<model>.+?)[_.\- ]+" + _PREDICTION, re.IGNORECASE)
_PROBABILITY = re.compile(r"(?:probabilit(?:y|ies)|probas?|probs?|p|scores?)", re.IGNORECASE)
_BETWEEN = re.compile(r"[_.\-\s]+")


@dataclass(frozen=True)
class RoleGuess:
    """Hold the roles that columns seem to have, and why.

    Parameters
    ----------
    reasons : dict of str to str
        For each column with a role, why it was given.
    problems : tuple of str
        What could not be found, and what to do.
    """

    label: str | None
    models: tuple[Model, ...]
    reasons: Mapping[str, str]
    problems: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Tell whether there is enough to score a model."""
        return self.label is not None and any(model.columns for model in self.models)


def guess_roles(source: Sample, target_columns: Collection[str], label: str | None = None) -> RoleGuess:
    """Guess the label, the models and their probabilities: of classes, else of numbers.

    Parameters
    ----------
    source : Sample
        The labelled sample, without roles.
    target_columns : collection of str
        The columns of the sample without labels.
    label : str, optional
        The label, if it is known.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"text": ["a", "b"], "label": ["no", "yes"], "pred_lr": ["no", "no"]})
    >>> found = guess_roles(Sample(frame), ["text", "pred_lr"])
    >>> found.label, [(model.name, model.prediction) for model in found.models]
    ('label', [('lr', 'pred_lr')])
    """
    sample = _some_rows(source)
    found = _guess_classes(sample, target_columns, label)
    if found.complete:
        return found
    return _guess_numbers(sample, target_columns, label) or found


def are_numbers(sample: Sample, label: str | None, models: Sequence[Model]) -> bool:
    """Tell whether a label and its predictions are numbers to compare by their difference, not classes.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"stars": [1, 5, 1, 5], "p": [1.2, 4.5, 2.1, 4.4], "q": [1, 5, 5, 5]}))
    >>> are_numbers(sample, "stars", [Model("m", "p")]), are_numbers(sample, "stars", [Model("m", "q")])
    (True, False)
    """
    columns = [label, *(model.prediction for model in models)]
    named = [column for column in columns if column is not None and column in sample.columns]
    if len(named) < len(columns) or len(columns) < 2 or not all(sample.schema[name].is_numeric() for name in named):
        return False
    some = _some_rows(sample)
    return not all(few_classes(some, name, MOST_CLASSES) for name in named)


def _guess_numbers(sample: Sample, target_columns: Collection[str], label: str | None) -> RoleGuess | None:
    """Guess a label and predictions that are numbers; None unless both are there."""
    numbers = [column for column in sample.columns if sample.schema[column].is_numeric()]
    reasons: dict[str, str] = {}
    if label is None:
        label = _guess_label(numbers, target_columns, reasons, [])
    if label not in numbers:
        return None
    shared = [column for column in numbers if column in target_columns and column != label]
    # Two columns of few whole numbers are classes, and have been looked at as such.
    measured = [column for column in shared if are_numbers(sample, label, [Model("", column)])]
    predictions = {column: "named like predictions, with numbers" for column in measured if model_name(column)}
    if not predictions:
        explained = {column: _explained(sample, label, column) for column in measured}
        best = max(explained, key=lambda column: explained[column], default="")
        if best and explained[best] > 0:
            share = show_percent(explained[best])
            predictions = {best: f"in the units of {label}, and explains {share} of its variance"}
    if not predictions:
        return None
    names: dict[str, str] = {}
    for column in predictions:
        names[free_name(model_name(column) or column, names)] = column
    models = tuple(Model(name, column) for name, column in names.items())
    return RoleGuess(label, models, reasons | predictions)


def _explained(sample: Sample, label: str, column: str) -> float:
    """Return the share of the label's variance that a column explains as it is: 0 or less if in other units."""
    truth, guess = (sample.series(name).to_numpy().astype(float) for name in (label, column))
    known = np.isfinite(truth) & np.isfinite(guess)
    spread = float(np.var(truth[known])) if known.any() else 0.0
    return 1 - float(np.mean((truth - guess)[known] ** 2)) / spread if spread > 0 else 0.0


def _guess_classes(sample: Sample, target_columns: Collection[str], label: str | None) -> RoleGuess:
    classes = {column: values for column in sample.columns if (values := few_classes(sample, column, MOST_CLASSES))}
    reasons: dict[str, str] = {}
    problems: list[str] = []
    if label is None:
        label = _guess_label(classes, target_columns, reasons, problems)
    predictions = _guess_predictions(sample, classes, label, target_columns, reasons, problems)
    models = make_models(sample, predictions, label, target_columns)
    if not models and label is not None and (scored := _by_score(sample, label, target_columns, reasons)) is not None:
        return RoleGuess(label, (scored,), reasons, tuple(problems[:-1]))  # the last is that there are no predictions
    for model in models:
        for class_, column in model.probabilities.items():
            together = f"these {len(model.probabilities)} columns add up to 1"
            reasons[column] = f"named like the probability of {class_}, and {together}"
    return RoleGuess(label, models, reasons, tuple(problems))


def make_models(
    sample: Sample, predictions: Mapping[str, str], label: str | None, target_columns: Collection[str]
) -> tuple[Model, ...]:
    """Make models of their prediction columns, with the probabilities that go by the models' names.

    Parameters
    ----------
    predictions : mapping of str to str
        The prediction column of each model.
    target_columns : collection of str
        Probabilities that are not in the target are left out.
    """
    columns = [column for column in (label, *predictions.values()) if column is not None]
    classes = sorted(frozenset().union(*(few_classes(sample, column, MOST_CLASSES) for column in columns)))
    models = []
    for name, prediction in predictions.items():
        probabilities = match_probabilities(sample, name, classes, only_model=len(predictions) == 1)
        shared = probabilities if set(probabilities.values()) <= set(target_columns) else {}
        models.append(Model(name, prediction, shared))
    return tuple(models)


def choose_models(
    source: Sample,
    target_columns: Collection[str],
    label: str | None,
    columns: Sequence[str],
    known: Iterable[Model] = (),
) -> tuple[Model, ...]:
    """Make a model for each chosen prediction column. Known models stay unchanged.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"y": [1, 0], "answer": [1, 1], "pred_nb": [0, 1]}))
    >>> [model.name for model in choose_models(sample, sample.columns, "y", ["answer", "pred_nb"])]
    ['answer', 'nb']
    """
    old = {model.prediction: model for model in known}
    names: dict[str, str] = {}
    for column in columns:
        name = old[column].name if column in old else free_name(model_name(column) or column, names)
        names[name] = column
    made = make_models(_some_rows(source), names, label, target_columns)
    return tuple(old.get(model.prediction, model) for model in made)


def match_probabilities(
    sample: Sample, model: str, classes: Sequence[str], *, only_model: bool = True
) -> dict[str, str]:
    """Find the column of each class's probability for a model; nothing unless all are there and add up to 1.

    Parameters
    ----------
    only_model : bool
        Take names without a model's name, such as p_yes, too.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"prob_lr_no": [0.3, 1.0], "prob_lr_yes": [0.7, 0.0]}))
    >>> match_probabilities(sample, "lr", ["no", "yes"])
    {'no': 'prob_lr_no', 'yes': 'prob_lr_yes'}
    """
    if len(classes) < 2:
        return {}
    numbers = [column for column in sample.columns if _is_probability(sample, column)]
    words = {column: _words(column) for column in numbers}
    for who in [_words(model), []] if only_model else [_words(model)]:
        columns = {}
        for class_ in classes:
            match = [column for column in numbers if _is_named(words[column], who, _words(class_))]
            if match:
                columns[class_] = match[0]
        if len(columns) == len(set(columns.values())) == len(classes) and _add_up(sample, columns.values()):
            return columns
    return {}


def _guess_label(
    columns: Iterable[str],
    target_columns: Collection[str],
    reasons: dict[str, str],
    problems: list[str],
) -> str | None:
    scores = {}
    for column in columns:
        words = _words(column)
        named_probability = len(words) > 1 and any(_PROBABILITY.fullmatch(word) for word in words)
        if named_probability or model_name(column) is not None:
            continue
        exact, part = column.casefold() in _LABELS, bool(set(words) & {"label", "truth", "gold", "class"})
        missing = column not in target_columns
        # A column that only the source has is nearly as good a sign as its name; a part of a name alone is too little.
        score = 4 * exact + 2 * part + 3 * missing
        if score >= 3:
            why = [f"named {column}"] if exact or part else []
            why += ["only in the labelled data"] if missing else []
            scores[column] = (score, " and ".join(why))
    if not scores:
        swapped = [column for column in target_columns if column.casefold() in _LABELS]
        hint = f" The new data has a column {swapped[0]}: are the two files swapped?" if swapped else ""
        problems.append(f"No column looks like the label, which is only in the labelled data or named label.{hint}")
        return None
    best = max(scores, key=lambda column: scores[column][0])
    reasons[best] = scores[best][1]
    return best


def _guess_predictions(
    sample: Sample,
    classes: Mapping[str, frozenset[str]],
    label: str | None,
    target_columns: Collection[str],
    reasons: dict[str, str],
    problems: list[str],
) -> dict[str, str]:
    """Return the prediction column of each model that has one."""
    predictions: dict[str, str] = {}
    wanted = classes.get(label, frozenset()) if label is not None else frozenset()
    for column, values in classes.items():
        name = model_name(column)
        if name is None or column == label:
            continue
        if column not in target_columns:
            problems.append(
                f"{column} looks like predictions, but the new data has no such column. Run the model on the "
                "new rows and add its predictions to that file."
            )
        elif label is not None and not values & wanted:
            problems.append(f"{column} is named like predictions but shares no value with {label}. Check both.")
        else:
            predictions[free_name(name, predictions)] = column
            reasons[column] = f"named like predictions{', with the values of ' + label if label else ''}"
    if not predictions and label is not None and label in classes:
        predictions = _by_content(sample, classes, label, target_columns, reasons)
    if not predictions:
        alike = (
            [] if label is None else [name for name in target_columns if name != label and classes.get(name) == wanted]
        )
        hint = f" Is it {alike[0]}?" if alike and wanted else ""
        problems.append(f"No column looks like predictions, which are in both files with the label's values.{hint}")
    return predictions


def score_model(sample: Sample, label: str, column: str) -> Model | None:
    """Make a model of one column of probabilities of one of two classes: the one that its name or the labels tell.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"y": ["no", "yes"] * 2, "score": [0.1, 0.8, 0.3, 0.9]}))
    >>> score_model(sample, "y", "score")
    Model(name='score', prediction=None, probabilities={'yes': 'score'})
    """
    classes = sorted(few_classes(sample, label, 2))
    if len(classes) != 2 or not _is_probability(sample, column):
        return None
    named = [one for one in classes if set(_words(one)) <= set(_words(column))]
    if len(named) != 1:
        (codes,), names = class_codes(sample.series(label))
        scores = sample.series(column).to_numpy().astype(float)
        means = [np.nanmean(scores[codes == code]) for code in range(2)]
        named = [names[int(np.argmax(means))]]
    return Model(column, None, {named[0]: column})


def _by_score(sample: Sample, label: str, target_columns: Collection[str], reasons: dict[str, str]) -> Model | None:
    """Take a column that is named like a probability, where the label has two classes."""
    for column in sample.columns:
        named = any(_PROBABILITY.fullmatch(word) for word in _words(column))
        if named and column in target_columns and (model := score_model(sample, label, column)) is not None:
            (class_,) = model.probabilities
            reasons[column] = f"named like a probability, and higher where {label} is {class_}"
            return model
    return None


def _by_content(
    sample: Sample,
    classes: Mapping[str, frozenset[str]],
    label: str,
    target_columns: Collection[str],
    reasons: dict[str, str],
) -> dict[str, str]:
    """Take columns that hold only the label's values and agree with it more often than one class would."""
    predictions: dict[str, str] = {}
    for column, values in classes.items():
        if column == label or column not in target_columns or len(values) < 2 or not values <= classes[label]:
            continue
        (truth, predicted), _ = class_codes(sample.series(label), sample.series(column))
        labelled = truth >= 0
        agreement = float((truth == predicted)[labelled].mean()) if labelled.any() else 0.0
        # Always naming the most frequent class agrees so often; a column that does no better need not be a prediction.
        most = np.bincount(truth[labelled]).max() / labelled.sum() if labelled.any() else 1.0
        if agreement > most:
            predictions[free_name(column, predictions)] = column
            reasons[column] = f"has the values of {label} and agrees with it on {show_percent(agreement)} of the rows"
    return predictions


def _some_rows(sample: Sample) -> Sample:
    """Take rows from all over the file: it may be sorted by class."""
    step = -(-sample.n_rows // MOST_ROWS)
    return sample if step == 1 else Sample(sample.frame.gather_every(step), name=sample.name)


def model_name(column: str) -> str | None:
    """Return the model whose predictions a column's name announces; None for other names."""
    if match := _BEFORE.fullmatch(column):
        return match["model"] or "model"
    match = _AFTER.fullmatch(column)
    return match["model"] if match else None


def _is_probability(sample: Sample, column: str) -> bool:
    if not sample.schema[column].is_numeric():
        return False
    series = sample.series(column).drop_nulls()
    return len(series) > 0 and float(series.min()) >= -1e-6 and float(series.max()) <= 1 + 1e-6


def _is_named(words: Sequence[str], model: Sequence[str], class_: Sequence[str]) -> bool:
    """Tell whether a name is made of a word for probability, a model and a class, in any order."""
    rest = [word for word in words if not _PROBABILITY.fullmatch(word)]
    announced = len(rest) < len(words) or bool(model)
    return announced and rest in ([*model, *class_], [*class_, *model])


def _add_up(sample: Sample, columns: Iterable[str]) -> bool:
    total = sum(sample.series(column).to_numpy().astype(float) for column in columns)
    complete = np.isfinite(total)
    return bool(complete.any() and (np.abs(np.asarray(total)[complete] - 1) < 0.02).all())


def _words(name: str) -> list[str]:
    return [word for word in _BETWEEN.split(name.casefold()) if word]
