"""Write the digits sample: scikit-learn's handwritten digits, photographed sharp or blurred."""

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import laplace
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from mandoline_core.paper.experiments.blurry import Photographs, photograph

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SEED = 3
# Images are split once, so that no image is in two of the three parts; photographs of one image stay in its part.
N_TRAIN_IMAGES, N_SOURCE_IMAGES = 497, 800  # of 1,797; 500 are left for the target
N_SOURCE, N_TARGET = 8000, 1000
BLURRED_SOURCE, BLURRED_TARGET = 0.01, 0.30
SIGMA = (0.5, 2.0)  # of the blur, in pixels: the weakest blur still looks like a soft photograph
CLASSES = range(10)


def _model(name: str) -> str:
    """Write a model's part of the project file."""
    probabilities = ", ".join(f'{label} = "prob_{name}_{label}"' for label in CLASSES)
    return f'[[models]]\nname = "{name}"\nprediction = "pred_{name}"\nprobabilities = {{ {probabilities} }}\n'


PROJECT = f"""\
# 8,000 labelled photographs of digits, 1% blurred, and 1,000 new ones, 30% blurred.
version = 1
name = "digits"

[source]
path = "source.csv"

[target]
path = "target.csv"
labels = "target_labels.csv"    # true labels of all rows: shown with --reveal, never used

[task]
label = "label"

{_model("lr")}
{_model("knn")}
[metric]
name = "accuracy"

[[slices]]
name = "low_sharpness"
kind = "threshold"
column = "sharpness"
below = 50
gold = "blurry"    # gold labels: whether it is blurred
[slices.noise]
measured = true    # measure how reliable the slice is, with the gold labels

[estimator]
name = "denoised"    # the slice is noisy; compare with "mandoline", the paper's weights
"""


def generate() -> dict[str, list[list[str]]]:
    """Return the rows of source.csv, target.csv and target_labels.csv, each with its header."""
    rng = np.random.default_rng(SEED)
    digits = load_digits()
    images, labels = digits.images, digits.target
    train, source_pool, target_pool = np.split(
        rng.permutation(len(images)), [N_TRAIN_IMAGES, N_TRAIN_IMAGES + N_SOURCE_IMAGES]
    )
    lessons = photograph(rng, images, train, n=2 * len(train), blurred=0.0, sigma=SIGMA)
    source = photograph(rng, images, source_pool, n=N_SOURCE, blurred=BLURRED_SOURCE, sigma=SIGMA)
    target = photograph(rng, images, target_pool, n=N_TARGET, blurred=BLURRED_TARGET, sigma=SIGMA)
    models = {"lr": _logistic_regression, "knn": _nearest_neighbours}
    pixels = np.concatenate([source.pixels, target.pixels]).reshape(-1, 64)
    outputs = {name: fit(lessons.pixels.reshape(-1, 64), labels[lessons.image], pixels) for name, fit in models.items()}
    return {
        "source.csv": _table(source, {name: p[:N_SOURCE] for name, p in outputs.items()}, labels[source.image]),
        "target.csv": _table(target, {name: p[N_SOURCE:] for name, p in outputs.items()}),
        "target_labels.csv": [["label"], *([str(label)] for label in labels[target.image])],
    }


def _table(photographs: Photographs, outputs: dict[str, Floats], labels: Integers | None = None) -> list[list[str]]:
    """Lay photographs and the models' probabilities out as a table with a header."""
    pixels = photographs.pixels
    columns: dict[str, list[str]] = {
        "image_index": [str(index) for index in photographs.image],
        "blurry": [str(int(blurry)) for blurry in photographs.blurry],
        "sharpness": [f"{laplace(picture).var():.2f}" for picture in pixels],
        "ink": [f"{picture.mean():.3f}" for picture in pixels],
    }
    if labels is not None:
        columns["label"] = [str(label) for label in labels]
    for name, probabilities in outputs.items():
        columns[f"pred_{name}"] = [str(label) for label in probabilities.argmax(axis=1)]
        for label in CLASSES:
            columns[f"prob_{name}_{label}"] = [str(chance) for chance in probabilities[:, label].tolist()]
    return [list(columns), *(list(row) for row in zip(*columns.values(), strict=True))]


def _logistic_regression(pixels: Floats, labels: Integers, others: Floats) -> Floats:
    """Fit logistic regression on pixels; return the probabilities for other photographs."""
    model = LogisticRegression(C=0.01, solver="newton-cholesky", tol=1e-10).fit(pixels, labels)
    # Rounded coefficients hide what the number of threads does to the last bits, so the files keep their bytes.
    logits = others @ np.round(model.coef_.T, 4) + np.round(model.intercept_, 4)
    scale = np.exp(logits - logits.max(axis=1, keepdims=True))
    return _rounded(scale / scale.sum(axis=1, keepdims=True))


def _nearest_neighbours(pixels: Floats, labels: Integers, others: Floats) -> Floats:
    """Let the five nearest photographs vote; return the shares of votes for other photographs."""
    model = KNeighborsClassifier(n_neighbors=5, algorithm="kd_tree").fit(pixels, labels)
    return _rounded(model.predict_proba(others))


def _rounded(probabilities: Floats) -> Floats:
    """Round to four digits; the largest of a row takes up what is missing to 1."""
    rounded = np.round(probabilities, 4)
    rows = np.arange(len(rounded))
    rounded[rows, rounded.argmax(axis=1)] += 1 - rounded.sum(axis=1)
    return np.round(rounded, 4)
