"""Identity groups: eight groups that comments mention, in other proportions in the new data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mandoline_core.errors import DataError
from mandoline_core.paper.evaluation import LABEL, ShiftCase, directions, errors, judge, mean_error, roles, share
from mandoline_core.paper.experiment import Experiment, FigureSpec, Plan, Row, over_seeds, printed, write_project
from mandoline_core.paper.published import IDENTITIES, read_civil_comments
from mandoline_core.paper.published_files import beside_predictions, first_of, thinned
from mandoline_core.paper.text_models import learn_texts, with_predictions
from mandoline_core.paper.texts.comments import GROUPS, write_comments
from mandoline_core.slices import Flag, Keyword, Noise, Slice

MEAN_ERROR, ERROR_OF_RUN, ACCURACY = "mean absolute error, points", "error, points", "accuracy on the new data, %"
TOP4 = "inverse-covariance:4"
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
class CommentPool:
    """Hold comments with models' predictions: the source, and those that targets are drawn from."""

    source: pd.DataFrame
    test: pd.DataFrame
    keywords: Mapping[str, tuple[str, ...]]

    def target(self, rng: np.random.Generator) -> pd.DataFrame:
        """Keep of each combination of groups a share that is drawn at random, uniformly."""
        # A cell for each combination of groups, numbered in binary.
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


def make_pool(plan: Plan) -> CommentPool:
    """Write comments, or read the published ones, and let models predict their labels."""
    if plan.data is not None:
        return _published(plan.data)
    parts = [write_comments(n, plan.draw(0, i)) for i, n in enumerate(_QUICK_SIZES if plan.quick else SIZES)]
    return CommentPool(*_predicted(*parts), {group.name: tuple(group.keywords) for group in GROUPS})


def _published(folder: Path) -> CommentPool:
    path = first_of(folder, (_FILE,), "CivilComments")
    comments = read_civil_comments(path)
    predicted = beside_predictions(comments, path)
    parts = [(comments if predicted is None else predicted).query("part == @part") for part in ("train", "val", "test")]
    parts = [part.reset_index(drop=True) for part in parts]
    for name, part in zip(("train", "val", "test"), parts, strict=True):
        if part.empty and (predicted is None or name != "train"):
            raise DataError(f"{path.name} has no rows with split {name!r}. Expected train, val and test.")
    parts[0] = thinned(parts[0], MOST_TO_TRAIN) if len(parts[0]) else parts[0]
    source, test = parts[1:] if predicted is not None else _predicted(*parts)
    return CommentPool(source, test, {name: _WORDS[name] for name in IDENTITIES})


def _predicted(train: pd.DataFrame, source: pd.DataFrame, test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    models = learn_texts(train, MODELS, 0)
    return with_predictions(source, models), with_predictions(test, models)


def run(plan: Plan) -> Iterator[Row]:
    """Estimate on targets drawn from the same comments, with every kind of slices and edges."""
    plan.say("writing comments and training models", 0.0)
    made = make_pool(plan)
    slices = made.slices()
    most = 300 if plan.quick else _ROWS_OF_KERNELS
    off: dict[tuple[str, str, str], list[dict[str, float]]] = {}
    right: dict[tuple[str, str], list[bool]] = {}
    for seed, rng in enumerate(plan.generators(len(SIZES))):
        case = ShiftCase(made.source, made.target(rng), roles(made.source))
        plan.say(f"sample {seed + 1}: methods on the text", (seed + 0.1) / plan.seeds)
        found = judge(case, [], ("source", *ON_TEXT), features=("text",), max_rows=most, seed=seed)
        for method in ("source", *ON_TEXT):
            off.setdefault(("none", "none", method), []).append(errors(found, method))
        for kind, rules in slices.items():
            for edges, chosen in EDGES.items():
                if plan.quick and kind != "metadata" and edges != TOP4:
                    continue
                plan.say(f"sample {seed + 1}: {kind}, edges {edges}", (seed + 0.5) / plan.seeds)
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
    for (kind, edges), told in right.items():
        if told:
            yield over_seeds([share(told)], "mandoline", measure=RIGHT_WAY, model="all", slices=kind, edges=edges)


def project(plan: Plan, folder: Path) -> Path:
    """Write the first target with keyword slices and measured corrections."""
    made = make_pool(plan)
    rng = next(iter(plan.generators(len(SIZES))))
    return write_project(
        folder,
        made.source,
        made.target(rng),
        name="identity-groups",
        label=LABEL,
        models=roles(made.source),
        slices=tuple(made.slices()["keywords, corrected"]),
        edges=TOP4,
        note="Generated comments. The new data keeps another share of each combination of groups.",
    )


_AVERAGE = (  # slices, edges, method, value, place
    ("none", "none", "source", 1.62, "Table 2"),
    ("none", "none", "cbiw_features", 0.03, "Table 2"),
    ("none", "none", "kmm_features", 1.25, "Table 2"),
    ("none", "none", "ulsif_features", 0.39, "Table 2"),
    ("metadata", TOP4, "mandoline", 0.12, "Table 2"),
    ("keywords", TOP4, "mandoline", 0.10, "section 5.2"),
)
_RUNS = (  # slices, edges, method, and the error on each of three targets
    ("none", "none", "source", (-0.92, 3.04, -0.90)),
    ("none", "none", "cbiw_features", (0.01, -0.00, 0.08)),
    ("none", "none", "kmm_features", (-0.11, 3.60, -0.03)),
    ("none", "none", "ulsif_features", (-0.59, -0.03, -0.55)),
    ("none", "none", "cbiw_finetuned", (0.10, -0.52, 0.03)),
    ("metadata", "none", "cbiw_slices", (-0.09, -0.57, 0.10)),
    ("metadata", "none", "kmm_slices", (0.04, 0.15, -0.02)),
    ("metadata", "none", "ulsif_slices", (0.15, 0.72, 0.04)),
    ("metadata", "none", "simple", (0.09, -0.01, 0.16)),
    ("metadata", TOP4, "mandoline", (0.05, -0.18, 0.13)),
    ("keywords", "none", "cbiw_slices", (-0.15, -0.07, 0.02)),
    ("keywords", "none", "kmm_slices", (-0.12, 0.44, -0.05)),
    ("keywords", "none", "ulsif_slices", (0.10, 0.88, 0.08)),
    ("keywords", "none", "simple", (0.01, 0.35, 0.07)),
    ("keywords", TOP4, "mandoline", (-0.04, 0.22, 0.03)),
)
_TRUTH = (93.42, 89.46, 93.40)


def _paper() -> Iterator[Row]:
    """List what the paper prints: Table 2, section 5.2 and the appendix's table of every run."""
    for slices, edges, method, value, place in _AVERAGE:
        yield printed(method, value, place, measure=MEAN_ERROR, model="all", slices=slices, edges=edges)
    places = [f"appendix, CivilComments, dataset seed {seed}" for seed in range(len(_TRUTH))]
    for slices, edges, method, values, measure in [
        ("none", "none", "truth", _TRUTH, ACCURACY),
        *((*run, ERROR_OF_RUN) for run in _RUNS),
    ]:
        for value, place in zip(values, places, strict=True):
            yield printed(method, value, place, measure=measure, model="BERT", slices=slices, edges=edges)


EXPERIMENT = Experiment(
    name="identity-groups",
    title="Overlapping groups in new proportions",
    place="Table 2 and section 5.2, CivilComments",
    shows=(
        "Comments mention any of eight groups, sometimes several. The new data keeps a random share of each of "
        "the 2^8 combinations. Slices are the eight groups, annotated or found by keywords. Mandoline is closer "
        "than the labelled data's score for every model and moves in the right direction. Keywords lose some of "
        "that; the denoised method with measured corrections recovers it. Edges between groups change little."
    ),
    differs=(
        "Another data set: generated comments on cyclists, teachers, cooks and five other groups, calm or "
        "complaining instead of toxic or not. Compare direction and order, not values. Comments that mention "
        "more groups are harder to classify, as in CivilComments. Sample sizes are the paper's. Models are "
        "logistic regression, naive Bayes and a forest on words instead of BERT; methods on columns use words, "
        "kernels 1,000 rows of each sample. The paper does not correct keywords; here they are shown with and "
        "without measured corrections. A true change below 0.2 points has no direction."
    ),
    run=run,
    figures=(
        FigureSpec(
            title="Mandoline beats the labelled data's score on every model",
            x="model",
            x_title="model",
            y_title="mean absolute error, points",
            series="slices",
            where={"measure": BY_MODEL},
            kind="dots",
        ),
        FigureSpec(
            title="Edges change little",
            x="slices",
            x_title="slices",
            y_title="mean absolute error, points",
            series="edges",
            where={"measure": MEAN_ERROR, "method": "mandoline"},
            kind="dots",
        ),
    ),
    paper=tuple(_paper()),
    seeds=3,
    quick_seeds=1,
    formats=(
        "all_data_with_identities.csv: CivilComments as WILDS publishes it. comment_text; split (train, val or "
        "test); toxicity, and male, female, LGBTQ, christian, muslim, other_religions, black and white, each a "
        "share of annotators. val is the labelled data, the new data is drawn from test, and models are trained "
        "on 50,000 comments of train.\n"
        "all_data_with_identities.predictions.csv: optional, predictions of your own models instead of "
        "training: one row for each row of the other file, in the same order, with pred_<model> (toxic or "
        "non-toxic)."
    ),
    project=project,
)
