"""Experiments run on small files in the published formats, with models of ours or with answers beside the data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.paper import Reproduction
from mandoline_core.paper.published import IDENTITIES
from mandoline_core.paper.text_models import learn, pair_words, predictions
from mandoline_core.paper.texts.comments import NAMES, write_comments
from mandoline_core.paper.texts.pairs import CAPTIONS, GENRES, write_heuristics, write_pairs
from mandoline_core.paper.texts.reviews import FILMS, POSTS, PRODUCTS, RESTAURANTS, write_reviews
from tests.core.paper.published.files import HANS_HEADER, hans_line, relation, write_lines

pytestmark = pytest.mark.paper


def _finite(found: Reproduction) -> None:
    assert found.made["data"] == "the published files"
    assert all(np.isfinite(row["value"]) for row in found.rows)


def _write_relations(path: Path, pairs: pd.DataFrame) -> None:
    rows = zip(pairs["label"], pairs["premise"], pairs["hypothesis"], strict=True)
    write_lines(path, [relation(*row) for row in rows])


@pytest.fixture(scope="module")
def inference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write SNLI, MultiNLI and HANS, with the answers of two models beside them."""
    folder = tmp_path_factory.mktemp("inference")
    pairs = {
        "snli_1.0_train": write_pairs([CAPTIONS], 400, np.random.default_rng(0)),
        "snli_1.0_dev": write_pairs([CAPTIONS], 1200, np.random.default_rng(1)),
        "multinli_1.0_train": write_pairs(GENRES, 400, np.random.default_rng(2)),
        "multinli_1.0_dev_matched": write_pairs(GENRES, 800, np.random.default_rng(3)),
    }
    for name, frame in pairs.items():
        _write_relations(folder / f"{name}.jsonl", frame)
    hans = write_heuristics(60, np.random.default_rng(4))
    rows = zip(hans["label"], hans["premise"], hans["hypothesis"], strict=True)
    write_lines(folder / "heuristics_evaluation_set.txt", [HANS_HEADER, *(hans_line(*row) for row in rows)])
    models = {
        "one": learn("nb", pair_words(pairs["snli_1.0_train"]), pairs["snli_1.0_train"]["label"].tolist(), 0),
        "two": learn("nb", pair_words(pairs["multinli_1.0_train"]), pairs["multinli_1.0_train"]["label"].tolist(), 0),
    }
    for name in ("snli_1.0_dev", "multinli_1.0_dev_matched"):
        predictions(models, pair_words(pairs[name])).to_csv(folder / f"{name}.predictions.csv", index=False)
    predictions(models, pair_words(hans)).to_csv(folder / "heuristics_evaluation_set.predictions.csv", index=False)
    return folder


def test_shift_between_published_pairs_takes_answers_beside_them(inference: Path) -> None:
    found = md.reproduce("nli-shift", quick=True, data=inference)
    _finite(found)
    assert {row["model"] for row in found.rows} == {"all", "one", "two"}


def test_ablation_on_published_pairs(inference: Path) -> None:
    found = md.reproduce("overlap-ablation", quick=True, data=inference)
    _finite(found)
    assert [row["slices"] for row in found.rows][:3] == ["none", "lexical overlap", "+ noisy non-entailment"]


@pytest.mark.long
def test_shift_between_published_pairs_trains_models_where_there_are_no_answers(
    inference: Path, tmp_path: Path
) -> None:
    for path in inference.glob("*.jsonl"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    found = md.reproduce("nli-shift", quick=True, data=tmp_path)
    assert len({row["model"] for row in found.rows}) == 9
    (tmp_path / "snli_1.0_train.jsonl").unlink()
    with pytest.raises(
        md.DataError, match=r"does not contain pairs to train models on, or predictions next to the data"
    ):
        md.reproduce("nli-shift", quick=True, data=tmp_path)


@pytest.mark.long
def test_published_reviews_train_models_and_meet_the_targets_that_are_there(tmp_path: Path) -> None:
    for seed, part in enumerate(("train", "test")):
        reviews = write_reviews(FILMS, 240, np.random.default_rng(seed))
        for number, (text, label) in enumerate(zip(reviews["text"], reviews["label"], strict=True)):
            write_lines(tmp_path / "aclImdb" / part / label[:3] / f"{number}_1.txt", [text])
    posts, meals, things = (write_reviews(one, 120, np.random.default_rng(5)) for one in (POSTS, RESTAURANTS, PRODUCTS))
    edited = write_reviews(FILMS, 120, np.random.default_rng(6))
    rows = zip(edited["label"].str.title(), edited["text"], strict=True)
    write_lines(tmp_path / "counterfactual" / "test.tsv", ["Sentiment\tText", *map("\t".join, rows)])
    numbered = pd.DataFrame(
        {"n": (posts["label"] == "positive") * 4, "id": 1, "d": "d", "q": "q", "u": "u", "t": posts["text"]}
    )
    numbered.to_csv(tmp_path / "testdata.manual.2009.06.14.csv", header=False, index=False)
    stars = [
        json.dumps({"stars": 5 if label == "positive" else 1, "text": text})
        for text, label in meals[["text", "label"]].to_numpy()
    ]
    write_lines(tmp_path / "yelp.jsonl", stars)
    (tmp_path / "amazon_review_polarity_csv").mkdir()
    classes = pd.DataFrame({"n": (things["label"] == "positive") + 1, "title": "a title", "text": things["text"]})
    classes.to_csv(tmp_path / "amazon_review_polarity_csv" / "test.csv", header=False, index=False)
    found = md.reproduce("sentiment", quick=True, data=tmp_path)
    _finite(found)
    assert {row["target"] for row in found.rows} == {"counterfactual", "posts", "restaurants", "products"}
    (tmp_path / "yelp.jsonl").unlink()
    (tmp_path / "counterfactual" / "test.tsv").unlink()
    (tmp_path / "amazon_review_polarity_csv" / "test.csv").unlink()
    found = md.reproduce("sentiment", quick=True, data=tmp_path)
    assert {row["target"] for row in found.rows} == {"posts"}


def _write_civil(path: Path, n: tuple[int, int, int], wording: dict[str, str]) -> pd.DataFrame:
    """Write comments of ours as CivilComments, groups in the place of identities and a word for each in the text."""
    comments = write_comments(sum(n), np.random.default_rng(0)).rename(
        columns=dict(zip(NAMES, IDENTITIES, strict=True))
    )
    said = [" ".join(word for name, word in wording.items() if row[name]) for row in comments.to_dict("records")]
    comments["comment_text"] = comments.pop("text") + pd.Series(said).radd(" ")
    comments["split"] = np.repeat(["train", "val", "test"], n)
    comments["toxicity"] = (comments["label"] == "complaint").astype(float)
    comments.drop(columns="label").to_csv(path)
    return comments


WORDING = dict(
    zip(IDENTITIES, ("he", "she", "lgbt", "church", "mosque", "buddhist", "black", "white"), strict=True)
)  # any keyword of each will do


@pytest.mark.long
def test_published_comments_with_models_of_ours_and_with_answers_beside_them(tmp_path: Path) -> None:
    path = tmp_path / "all_data_with_identities.csv"
    comments = _write_civil(path, (400, 1200, 2000), WORDING)
    found = md.reproduce("identity-groups", quick=True, data=tmp_path)
    _finite(found)
    assert {row["model"] for row in found.rows} == {"all", "lr", "nb", "forest"}
    label = np.where(comments["toxicity"] == 1, "toxic", "non-toxic")
    wrong = np.random.default_rng(1).random(len(label)) < 0.05 + 0.2 * comments["male"]
    answers = np.where(wrong, np.where(label == "toxic", "non-toxic", "toxic"), label)
    pd.DataFrame({"pred_bert": answers}).to_csv(tmp_path / "all_data_with_identities.predictions.csv", index=False)
    found = md.reproduce("identity-groups", quick=True, data=tmp_path)
    assert {row["model"] for row in found.rows} == {"all", "bert"}


def test_comments_without_a_part_are_refused(tmp_path: Path) -> None:
    _write_civil(tmp_path / "all_data_with_identities.csv", (50, 0, 50), WORDING)
    with pytest.raises(md.DataError, match=r"has no rows with split 'val'. Expected train, val and test."):
        md.reproduce("identity-groups", quick=True, data=tmp_path)
