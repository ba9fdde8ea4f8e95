"""Identity groups: eight groups that comments mention, in other proportions in the target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mandoline_core.errors import DataError
from mandoline_core.formatting import Sentence
from mandoline_core.paper.experiment import Experiment, Figure, Plan, Row, over_seeds
from mandoline_core.paper.judging import directions, errors, judge, mean_error, share
from mandoline_core.paper.learners import LABEL, Case, answer, learn, plain_words, roles
from mandoline_core.paper.paper.civil_comments import MEAN_ERROR, PAPER, TOP4
from mandoline_core.paper.published import IDENTITIES, first_of, read_civil_comments, thinned, with_predictions
from mandoline_core.paper.texts.comments import GROUPS, write_comments
from mandoline_core.paper.writing import write_project
from mandoline_core.project import Project
from mandoline_core.slices import Flag, Keyword, Noise, Slice

MODELS = ("lr", "nb", "forest")
SIZES = (10_000, 45_180, 133_782)  # rows to train on, of the source and before subsampling the target: as in the paper
_QUICK_SIZES = (1_500, 5_000, 12_000)
_ROWS_OF_KERNELS = 1_000
MOST_TO_TRAIN = 50_000  # of the published comments
EDGES: Mapping[str, str | tuple[()]] = {"none": (), TOP4: TOP4, "auto": "auto"}
ON_TEXT = ("cbiw_features", "kmm_features", "ulsif_features")
ON_SLICES = ("simple", "cbiw_slices", "kmm_slices", "ulsif_slices")
BY_MODEL = "mean absolute error by model, points"
RIGHT_WAY = "runs adjusted the right way, %"
_FILE = "all_data_with_identities.csv"
# How a person would look for the identities of CivilComments.
_WORDS: Mapping[str, tuple[str, ...]] = {
    "male": ("male", "man", "men", "he", "his", "him", "boy", "boys", "father", "husband"),
    "female": ("female", "woman", "women", "she", "her", "girl", "girls", "mother", "wife"),
    "LGBTQ": ("gay", "lesbian", "lgbt", "lgbtq", "transgender", "bisexual"),
    "christian": ("christian", "christians", "church", "catholic", "catholics", "christianity", "jesus"),
    "muslim": ("muslim", "muslims", "islam", "islamic", "mosque"),
    "other_religions": ("jewish", "jews", "hindu", "hindus", "buddhist", "buddhists", "sikh", "atheist"),
    "black": ("black", "african american", "african americans"),
    "white": ("white", "caucasian"),
}


@dataclass(frozen=True, eq=False)
class World:
    """Hold comments with models' answers: the source, and those that targets are drawn from."""

    source: pd.DataFrame
    test: pd.DataFrame
    keywords: Mapping[str, tuple[str, ...]]

    def target(self, rng: np.random.Generator) -> pd.DataFrame:
        """Keep of each combination of groups a share that is drawn at random, uniformly."""
        powers = 2 ** np.arange(len(self.keywords))
        cells = self.test[list(self.keywords)].to_numpy() @ powers
        shares = rng.random(2 ** len(self.keywords))
        return self.test[rng.random(len(self.test)) < shares[cells]].reset_index(drop=True)

    def slices(self) -> dict[str, Sequence[Slice]]:
        """Write the slices: as annotated, by keywords, and by keywords with corrections measured on the source."""
        measured = Noise(measured=True)
        return {
            "metadata": [Flag(name, column=name) for name in self.keywords],
            "keywords": [Keyword(name, column="text", words=words) for name, words in self.keywords.items()],
            "keywords, corrected": [
                Keyword(name, column="text", words=words, gold=name, noise=measured)
                for name, words in self.keywords.items()
            ],
        }


def world(plan: Plan) -> World:
    """Write comments, or read the published ones, and let models answer."""
    if plan.data is not None:
        return _published(plan.data)
    parts = [write_comments(n, plan.draw(0, i)) for i, n in enumerate(_QUICK_SIZES if plan.quick else SIZES)]
    return World(*_answered(*parts), {group.name: group.keywords for group in GROUPS})


def _published(folder: Path) -> World:
    path = first_of(folder, (_FILE,), "CivilComments")
    comments = read_civil_comments(path)
    answered = with_predictions(comments, path)
    parts = [(comments if answered is None else answered).query("part == @part") for part in ("train", "val", "test")]
    parts = [part.reset_index(drop=True) for part in parts]
    for name, part in zip(("train", "val", "test"), parts, strict=True):
        if part.empty and (answered is None or name != "train"):
            raise DataError(f"{path.name} has no rows with split {name!r}. Expected train, val and test.")
    parts[0] = thinned(parts[0], MOST_TO_TRAIN) if len(parts[0]) else parts[0]
    source, test = parts[1:] if answered is not None else _answered(*parts)
    return World(source, test, {name: _WORDS[name] for name in IDENTITIES})


def _answered(train: pd.DataFrame, source: pd.DataFrame, test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    words, labels = plain_words(train["text"]), train[LABEL].tolist()
    models = {kind: learn(kind, words, labels, 0) for kind in MODELS}
    done = [pd.concat([part, answer(models, plain_words(part["text"]))], axis=1) for part in (source, test)]
    return done[0], done[1]


def run(plan: Plan) -> Iterator[Row]:
    """Estimate on targets drawn from the same comments, with every kind of slices and edges."""
    plan.say("writing comments and training models", 0.0)
    made = world(plan)
    slices = made.slices()
    most = 300 if plan.quick else _ROWS_OF_KERNELS
    off: dict[tuple[str, str, str], list[dict[str, float]]] = {}
    right: dict[tuple[str, str], list[bool]] = {}
    for seed, rng in enumerate(plan.generators(len(SIZES))):
        case = Case(made.source, made.target(rng), roles(made.source))
        plan.say(f"target {seed + 1}: methods on the text", (seed + 0.1) / plan.seeds)
        found = judge(case, [], ("source", *ON_TEXT), features=("text",), max_rows=most, seed=seed)
        for method in ("source", *ON_TEXT):
            off.setdefault(("none", "none", method), []).append(errors(found, method))
        for kind, rules in slices.items():
            for edges, chosen in EDGES.items():
                if plan.quick and kind != "metadata" and edges != TOP4:
                    continue
                plan.say(f"target {seed + 1}: {kind}, edges {edges}", (seed + 0.5) / plan.seeds)
                methods: tuple[str, ...] = (
                    ("mandoline", "denoised") if kind == "keywords, corrected" else ("mandoline",)
                )
                if edges == "none" and kind != "keywords, corrected":
                    methods += ON_SLICES[:2] if plan.quick else ON_SLICES
                found = judge(case, rules, ("source", *methods), edges=chosen, seed=seed)
                for method in methods:
                    off.setdefault((kind, edges, method), []).append(errors(found, method))
                right.setdefault((kind, edges), []).extend(directions(found, "mandoline"))
    yield from _rows(off, right)


def _rows(
    off: Mapping[tuple[str, str, str], Sequence[Mapping[str, float]]], right: Mapping[tuple[str, str], Sequence[bool]]
) -> Iterator[Row]:
    for (kind, edges, method), runs in off.items():
        values = [mean_error(run.values()) for run in runs]
        yield over_seeds(values, method, measure=MEAN_ERROR, model="all", slices=kind, edges=edges)
    for (kind, edges, method), runs in off.items():
        if method == "source" or (method == "mandoline" and edges == TOP4):
            for model in runs[0]:
                values = [abs(run[model]) for run in runs]
                yield over_seeds(values, method, measure=BY_MODEL, model=model, slices=kind, edges=edges)
    for (kind, edges), answers in right.items():
        if answers:
            yield over_seeds([share(answers)], "mandoline", measure=RIGHT_WAY, model="all", slices=kind, edges=edges)


def project(plan: Plan, folder: Path) -> Path:
    """Write the first target with keyword slices and measured corrections."""
    made = world(plan)
    rng = next(iter(plan.generators(len(SIZES))))
    stated = Project(
        name="identity-groups",
        source_path=folder,
        target_path=folder,
        label=LABEL,
        models=roles(made.source),
        slices=tuple(made.slices()["keywords, corrected"]),
        edges=TOP4,
        note="Comments written by a grammar. Of each combination of groups another share is kept in the target.",
    )
    return write_project(folder, stated, made.source, made.target(rng))


EXPERIMENT = Experiment(
    name="identity-groups",
    title="Groups that overlap come in other proportions",
    place="Table 2 and section 5.2, CivilComments",
    shows=Sentence(
        "Comments mention any of eight groups, several at once. In the {target} every one of the 2^8 combinations "
        "keeps a share of its comments that was drawn at random. Slices are the eight groups, as annotated or found "
        "by keywords. Mandoline comes closer than the {source}'s score on every model and moves it the right way. "
        "Keywords cost some of that, which the denoised method with measured corrections brings back; edges between "
        "groups change little."
    ),
    differs=Sentence(
        "This is another data set: comments on cyclists, teachers, cooks and five other groups, written by a grammar, "
        "calm or complaining instead of toxic or not, so compare direction and order, not values. More groups in a "
        "comment make its tone harder to tell; that is assumed, as CivilComments is known for it. Sizes of both "
        "samples are the paper's. The models are logistic regression, naive Bayes and a forest on words instead of "
        "BERT; methods on columns look at words, kernels at 1,000 rows a sample. The paper corrects no keyword; ours "
        "are shown with and without measured corrections. A true change below 0.2 points counts for no direction."
    ),
    run=run,
    figures=(
        Figure(
            title=Sentence("Mandoline beats the {source}'s score on every model"),
            x="model",
            x_title="model",
            y_title="mean absolute error, points",
            series="slices",
            where={"measure": BY_MODEL},
            kind="dots",
        ),
        Figure(
            title="Edges change little",
            x="slices",
            x_title="slices",
            y_title="mean absolute error, points",
            series="edges",
            where={"measure": MEAN_ERROR, "method": "mandoline"},
            kind="dots",
        ),
    ),
    paper=PAPER,
    seeds=3,
    quick_seeds=1,
    formats=(
        "all_data_with_identities.csv: CivilComments as WILDS publishes it. comment_text; split (train, val or "
        "test); toxicity, and male, female, LGBTQ, christian, muslim, other_religions, black and white, each a "
        "share of annotators. Source is val, targets are drawn from test, models are trained on 50,000 comments of "
        "train.\n"
        "all_data_with_identities.predictions.csv: left out, or answers of your own models instead of training: one "
        "row for each row of the other file, in the same order, with pred_<model> (toxic or non-toxic)."
    ),
    project=project,
)
