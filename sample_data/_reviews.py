"""Write the reviews sample: generated texts, two text models trained on other generated texts."""

from collections.abc import Iterable, Sequence

import numpy as np
from _review_words import BAD_SLANG, SLANG
from _review_writer import SHORTEST_LONG, SOURCE, TARGET, TRAIN, Mix, Review, write_review
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

SEED = 2
N_TRAIN, N_SOURCE, N_TARGET = 5000, 6000, 1000
N_WEEKS, N_WEEK = 6, 120
Floats = NDArray[np.float64]
LABELS = ("negative", "positive")

COLUMNS = (
    "id",
    "text",
    "n_words",
    "category",
    "channel",
    "label",
    "pred_lr",
    "prob_lr_negative",
    "prob_lr_positive",
    "pred_nb",
    "prob_nb_negative",
    "prob_nb_positive",
)

PROJECT = f"""\
# 6,000 labelled reviews, mostly long, and 1,000 new ones, mostly short posts.
version = 1
name = "reviews"

[source]
path = "source.csv"

[target]
path = "target.csv"
labels = "target_labels.csv"    # true labels of all rows: shown with --reveal, never used

[task]
label = "label"

[[models]]
name = "lr"
prediction = "pred_lr"
probabilities = {{ negative = "prob_lr_negative", positive = "prob_lr_positive" }}

[[models]]
name = "nb"
prediction = "pred_nb"
probabilities = {{ negative = "prob_nb_negative", positive = "prob_nb_positive" }}

[metric]
name = "accuracy"

[[slices]]
name = "negation"
kind = "keyword"
column = "text"
words = ["not", "never", "no", "nothing", "don't"]

[[slices]]
name = "short"
kind = "length"
column = "text"
unit = "words"
below = {SHORTEST_LONG}

[[slices]]
name = "slang"
kind = "keyword"
column = "text"
words = [{", ".join(f'"{word}"' for word in SLANG + BAD_SLANG)}]

[[slices]]
name = "entropy"
kind = "entropy"
buckets = 6
"""


def generate() -> dict[str, list[list[str]]]:
    """Return the rows of source.csv, target.csv, target_labels.csv and a few weeks to track, each with its header."""
    rng = np.random.default_rng(SEED)
    train, source, target = (
        [write_review(rng, mix) for _ in range(n)]
        for mix, n in ((TRAIN, N_TRAIN), (SOURCE, N_SOURCE), (TARGET, N_TARGET))
    )
    weeks = [write_review(rng, mix) for mix in _weekly_mixes() for _ in range(N_WEEK)]
    probabilities = [fit(train, [*source, *target, *weeks]) for fit in (_logistic_regression, _naive_bayes)]
    first, last = len(source), len(source) + len(target)
    source_rows = _rows("s", source, [p[:first] for p in probabilities])
    target_rows = _rows("t", target, [p[first:last] for p in probabilities])
    week_rows = _rows("w", weeks, [p[last:] for p in probabilities])
    label = COLUMNS.index("label")
    by_week = {
        f"weekly/week-{week + 1}.csv": _without_label([list(COLUMNS), *week_rows[N_WEEK * week : N_WEEK * (week + 1)]])
        for week in range(N_WEEKS)
    }
    return {
        "source.csv": [list(COLUMNS), *source_rows],
        "target.csv": _without_label([list(COLUMNS), *target_rows]),
        "target_labels.csv": [["label"], *([row[label]] for row in target_rows)],
        **by_week,
    }


def _without_label(rows: list[list[str]]) -> list[list[str]]:
    label = COLUMNS.index("label")
    return [row[:label] + row[label + 1 :] for row in rows]


def _weekly_mixes() -> list[Mix]:
    """Change the mix week by week, from that of the labelled data to that of the new data."""

    def between(first: float, last: float, share: float) -> float:
        return (1 - share) * first + share * last

    def pair(first: tuple[float, float], last: tuple[float, float], share: float) -> tuple[float, float]:
        return between(first[0], last[0], share), between(first[1], last[1], share)

    return [
        Mix(
            short=between(SOURCE.short, TARGET.short, share),
            slang=pair(SOURCE.slang, TARGET.slang, share),
            negated=pair(SOURCE.negated, TARGET.negated, share),
            price=between(SOURCE.price, TARGET.price, share),
            domains=SOURCE.domains,
        )
        for share in np.linspace(0, 1, N_WEEKS)
    ]


def _rows(prefix: str, reviews: Sequence[Review], probabilities: Iterable[Floats]) -> list[list[str]]:
    """Lay reviews and the models' probabilities of "positive" out as table rows."""
    columns = list(zip(*probabilities, strict=True))
    return [
        [
            f"{prefix}{number:04d}",
            review.text,
            str(review.n_words),
            review.category,
            review.channel,
            LABELS[review.positive],
            *(
                cell
                for chance in chances
                for cell in (LABELS[int(chance >= 0.5)], f"{1 - chance:.6f}", f"{chance:.6f}")
            ),
        ]
        for number, (review, chances) in enumerate(zip(reviews, columns, strict=True), start=1)
    ]


def _logistic_regression(train: Sequence[Review], reviews: Sequence[Review]) -> Floats:
    """Fit TF-IDF and logistic regression; return the probability of "positive" for each review."""
    vectorizer = TfidfVectorizer(min_df=3)
    features = vectorizer.fit_transform([review.text for review in train])
    model = LogisticRegression(C=3.0, solver="newton-cholesky", tol=1e-10)
    model.fit(features, [review.positive for review in train])
    # Rounded coefficients hide what the number of threads does to the last bits, so the files keep their bytes.
    logits = vectorizer.transform([review.text for review in reviews]) @ np.round(model.coef_[0], 4)
    probabilities: Floats = np.round(1 / (1 + np.exp(-logits - np.round(model.intercept_[0], 4))), 6)
    return probabilities


def _naive_bayes(train: Sequence[Review], reviews: Sequence[Review]) -> Floats:
    """Fit naive Bayes on word counts; return the probability of "positive" for each review."""
    vectorizer = CountVectorizer(min_df=3, binary=True)
    features = vectorizer.fit_transform([review.text for review in train])
    model = MultinomialNB().fit(features, [review.positive for review in train])
    chances = model.predict_proba(vectorizer.transform([review.text for review in reviews]))[:, 1]
    probabilities: Floats = np.round(chances, 6)
    return probabilities
