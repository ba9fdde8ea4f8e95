"""A project before there is one: the columns it needs, and the roles that were guessed, to be changed and checked."""

from __future__ import annotations

import streamlit as st

from app.project import visit
from app.views import parts
from app.words import wording
from mandoline_core import Model, Project, Sample
from mandoline_core.data import class_codes
from mandoline_core.project import RoleGuess, choose_models, score_model


def draft_roles(source: Sample, target: Sample, guess: RoleGuess) -> tuple[str | None, tuple[Model, ...]]:
    """Show the roles that were guessed, to be changed before the files are used."""
    which = f"{source.fingerprint[:12]}{target.fingerprint[:12]}"  # other files, other widgets
    left, right = st.columns(2)
    with left:
        label = st.selectbox("Label", source.columns, key=visit.bind(f"draft_label:{which}", guess.label), index=None)
    with right:
        shared = [column for column in source.columns if column in target.columns]
        guessed = [model.prediction for model in guess.models if model.prediction is not None]
        chosen = st.multiselect(
            "Predictions (one column per model)", shared, key=visit.bind(f"draft_predictions:{which}", guessed)
        )
    scored = () if chosen or label is None else _score(source, shared, label, guess, which)
    for sentence in () if scored else guess.problems:
        st.warning(wording.plain(sentence), icon=":material/warning:")
    models = scored or choose_models(source, target.columns, label, chosen, guess.models)
    if guess.reasons:
        with st.expander("Why these columns"):
            st.markdown(
                "\n".join(f"- **{wording.plain(c)}**: {wording.plain(why)}" for c, why in guess.reasons.items())
            )
    return label, models


def _score(source: Sample, shared: list[str], label: str, guess: RoleGuess, which: str) -> tuple[Model, ...]:
    """Take one column of probabilities where there are no predictions; its class is guessed, to be changed."""
    guessed = next((model for model in guess.models if model.prediction is None), None)
    numbers = [column for column in shared if source.schema[column].is_numeric()]
    first = next(iter(guessed.probabilities.values())) if guessed is not None else None
    left, right = st.columns(2)
    with left:
        column = st.selectbox(
            "Or one score column",
            numbers,
            key=visit.bind(f"draft_score:{which}", first),
            index=None,
            help="The probability of one of two classes, between 0 and 1. Predictions follow from it.",
        )
    model = None if column is None else score_model(source, label, column)
    if model is None:
        return ()
    (class_,) = model.probabilities
    with right:
        chosen = st.selectbox(
            "It is the probability of",
            class_codes(source.series(label))[1],
            key=visit.bind(f"draft_score_class:{which}:{column}:{label}", class_),
        )
    return (Model(model.name, None, {chosen or class_: column}),)


def say_opened(project: Project) -> None:
    """Show a new project, and say what it starts from."""
    rules = [f"one slice: {wording.plain(rule.describe())}" for rule in project.slices] or ["no slices"]
    visit.remember("opened", f"The project starts with {rules[0]}. Add your own on the Slices page.")
    st.switch_page(parts.DATA)


_NEEDED = """
- **Labelled data**: the true class (`label`), the model's `prediction`, and columns that describe the row, such as
  text, numbers or its origin. Probabilities help: one column per class.
- **New data**: the same columns without `label`. Run the model on these rows too.
"""
_LABELLED = """text,channel,label,prediction,prob_no,prob_yes
"the order came late",web,no,no,0.9,0.1
"all fine, thank you",mail,yes,yes,0.2,0.8
"not what I hoped for",web,no,yes,0.4,0.6
"""
_NEW = """text,channel,prediction,prob_no,prob_yes
"never again",app,no,0.7,0.3
"works as it should",web,yes,0.1,0.9
"so so",app,yes,0.5,0.5
"""


def needed_columns() -> None:
    """Say which columns are needed, with a template of three rows for each file."""
    st.markdown(_NEEDED)
    with st.container(horizontal=True):
        for label, name, text in (("labelled data", "labelled", _LABELLED), ("new data", "new", _NEW)):
            parts.download(f"Template for the {label}", text, f"{name}-template.csv", f"template:{name}")
