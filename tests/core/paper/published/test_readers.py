"""Small files in the published formats are read, and what is wrong with one is said in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from mandoline_core.errors import DataError
from mandoline_core.paper.published import (
    IDENTITIES,
    read_celeba,
    read_civil_comments,
    read_counterfactual,
    read_film_reviews,
    read_hans,
    read_posts,
    read_prepared,
    read_relations,
    read_star_reviews,
)
from mandoline_core.paper.published_files import beside_predictions, first_of, thinned
from tests.core.paper.published.files import HANS_HEADER, hans_line, relation, write_lines


def test_relations_without_a_gold_label_are_left_out(tmp_path: Path) -> None:
    lines = [
        relation("entailment", "A dog runs.", "A dog moves."),
        relation("-", "A", "B"),
        relation("neutral", "C", "D"),
    ]
    pairs = read_relations(write_lines(tmp_path / "snli_1.0_dev.jsonl", lines))
    assert pairs["line"].tolist() == [0, 2]
    assert pairs.loc[0, ["premise", "hypothesis", "label"]].tolist() == ["A dog runs.", "A dog moves.", "entailment"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{not json", "Line 1 of d.jsonl is not JSON. Expected one object per line."),
        ("[1]", "Line 1 of d.jsonl is not an object. Expected keys gold_label, sentence1, sentence2."),
        (
            '{"gold_label": "neutral", "sentence1": "a"}',
            "Line 1 of d.jsonl has no 'sentence2'. Expected keys gold_label, sentence1, sentence2.",
        ),
        (
            relation("maybe", "a", "b"),
            "d.jsonl has an unknown gold_label 'maybe'. Expected entailment, neutral, contradiction or -.",
        ),
        (relation("-", "a", "b"), "d.jsonl has no row with a label. Expected the published file."),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(DataError) as error:
        read_relations(write_lines(tmp_path / "d.jsonl", [line]))
    assert str(error.value) == said


def test_hans_is_a_table_with_tabs_and_quotes_in_it(tmp_path: Path) -> None:
    lines = [HANS_HEADER, hans_line("entailment", 'The "poet" slept.', "A"), hans_line("non-entailment", "B", "C")]
    pairs = read_hans(write_lines(tmp_path / "heuristics_evaluation_set.txt", lines))
    assert pairs["label"].tolist() == ["entailment", "non-entailment"]
    assert pairs.loc[0, "premise"] == 'The "poet" slept.'
    assert pairs["line"].tolist() == [0, 1]


def test_hans_with_other_columns_or_labels_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "h.txt", ["gold_label\tsentence1", "entailment\tA"])
    with pytest.raises(DataError, match=r"Column 'sentence2' is not in h.txt"):
        read_hans(path)
    write_lines(path, [HANS_HEADER, hans_line("neutral", "A", "B")])
    with pytest.raises(
        DataError, match=r"h.txt has an unknown gold_label 'neutral'. Expected entailment or non-entailment."
    ):
        read_hans(path)
    path.write_text("")
    with pytest.raises(DataError, match=r"h.txt is not a table. Expected columns gold_label, sentence1, sentence2"):
        read_hans(path)


def test_film_reviews_are_folders_of_text_files(tmp_path: Path) -> None:
    for short, texts in {"pos": ["Fine.<br />Very fine.", "Good."], "neg": ["Dull."]}.items():
        folder = tmp_path / "aclImdb" / "test" / short
        folder.mkdir(parents=True)
        for number, text in enumerate(texts):
            (folder / f"{number}_7.txt").write_text(text, encoding="utf-8")
    reviews = read_film_reviews(tmp_path, "test")
    assert reviews["label"].tolist() == ["positive", "positive", "negative"]
    assert reviews.loc[0, "text"] == "Fine. Very fine."
    with pytest.raises(DataError, match=r"does not contain IMDB's train part. Expected aclImdb/train or train."):
        read_film_reviews(tmp_path, "train")
    for file in (tmp_path / "aclImdb" / "test" / "neg").iterdir():
        file.unlink()
    with pytest.raises(DataError, match=r"neg has no text file. Expected one for each review."):
        read_film_reviews(tmp_path, "test")


def test_counterfactual_reviews_have_a_sentiment_and_a_text(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "test.tsv", ["Sentiment\tText", 'Negative\t"Dull, they said"', "Positive\tFine"])
    reviews = read_counterfactual(path)
    assert reviews["label"].tolist() == ["negative", "positive"]
    assert reviews["text"].tolist() == ["Dull, they said", "Fine"]
    write_lines(path, ["Sentiment\tText", "Mixed\tHm"])
    with pytest.raises(DataError, match=r"test.tsv has an unknown Sentiment 'mixed'. Expected Negative or Positive."):
        read_counterfactual(path)


def test_neutral_posts_are_left_out(tmp_path: Path) -> None:
    rows = [
        '"4","3","Mon May 11","kindle2","tpryan","i love it, really"',
        '"2","4","d","q","u","ok"',
        '"0","5","d","q","u","caf\xe9"',
    ]
    path = tmp_path / "posts.csv"
    path.write_bytes("\n".join(rows).encode("latin-1"))
    posts = read_posts(path)
    assert posts["label"].tolist() == ["positive", "negative"]
    assert posts["text"].tolist() == ["i love it, really", "café"]
    assert posts["line"].tolist() == [0, 2]
    path.write_text("polarity,text\n")
    with pytest.raises(DataError, match=r"Row 1 of posts.csv has 2 columns. Expected 6, no header."):
        read_posts(path)
    path.write_text('"5","3","d","q","u","t"\n')
    with pytest.raises(DataError, match=r"Row 1 of posts.csv has polarity '5'. Expected 0, 2 or 4."):
        read_posts(path)


def test_star_reviews_come_as_csv_with_a_title_or_without(tmp_path: Path) -> None:
    yelp = write_lines(tmp_path / "test.csv", ['"1","Cold soup.\\nSlow."', '"2","Lovely"'])
    assert read_star_reviews(yelp)["text"].tolist() == ["Cold soup. Slow.", "Lovely"]
    amazon = write_lines(tmp_path / "amazon.csv", ['"2","Great","Works, too"', '"1","Bad","Broke"'])
    assert read_star_reviews(amazon)[["text", "label"]].to_numpy().tolist() == [
        ["Great Works, too", "positive"],
        ["Bad Broke", "negative"],
    ]
    write_lines(amazon, ["label,title,text", "2,a,b"])
    with pytest.raises(DataError, match=r"Row 1 of amazon.csv has class 'label'. Expected 1 or 2, and no header."):
        read_star_reviews(amazon)
    write_lines(amazon, ["1,2,3,4"])
    with pytest.raises(DataError, match=r"amazon.csv has 4 columns. Expected class, perhaps a title, and text"):
        read_star_reviews(amazon)


def test_star_reviews_come_as_lines_of_json_with_stars_or_labels(tmp_path: Path) -> None:
    found = [
        {"stars": 5.0, "text": "a"},
        {"overall": 2, "reviewText": "b"},
        {"stars": 3, "text": "c"},
        {"label": 1, "title": "t", "content": "d"},
    ]
    path = write_lines(tmp_path / "yelp.jsonl", [json.dumps(one) for one in found])
    reviews = read_star_reviews(path)
    assert reviews["label"].tolist() == ["positive", "negative", "positive"]
    assert reviews["line"].tolist() == [0, 1, 3]
    write_lines(path, ['{"text": "a"}'])
    with pytest.raises(DataError, match=r"Line 1 of yelp.jsonl has no known text or label."):
        read_star_reviews(path)


def _civil(**changed: object) -> pd.DataFrame:
    rows = {"comment_text": ["one, two", "three"], "split": ["train", "val"], "toxicity": [0.5, 0.1]}
    return pd.DataFrame({**rows, **{name: [None, 0.6] for name in IDENTITIES}, **changed})


def test_civil_comments_count_a_half_of_annotators_as_true(tmp_path: Path) -> None:
    path = tmp_path / "all_data_with_identities.csv"
    _civil().to_csv(path)
    comments = read_civil_comments(path)
    assert comments["label"].tolist() == ["toxic", "non-toxic"]
    assert comments["LGBTQ"].tolist() == [0, 1]
    assert comments["part"].tolist() == ["train", "val"]
    _civil(split=["train", "dev"]).to_csv(path)
    with pytest.raises(DataError, match=r"has an unknown split 'dev'. Expected train, val or test."):
        read_civil_comments(path)
    _civil(male=["yes", "no"]).to_csv(path)
    with pytest.raises(DataError, match=r"Column 'male' of all_data_with_identities.csv contains text."):
        read_civil_comments(path)
    _civil().drop(columns="white").to_csv(path)
    with pytest.raises(DataError, match=r"Column 'white' is not in all_data_with_identities.csv"):
        read_civil_comments(path)


_ATTRIBUTES = ["2", "Blurry Male Smiling", "000001.jpg -1  1 -1", "000002.jpg  1 -1  1"]


def test_celeba_has_attributes_and_answers_of_models(tmp_path: Path) -> None:
    write_lines(tmp_path / "list_attr_celeba.txt", _ATTRIBUTES)
    answers = tmp_path / "predictions.csv"
    write_lines(answers, ["image_id,pred_resnet", "000002.jpg,male"])
    found = read_celeba(tmp_path)
    assert found.to_dict("records") == [
        {"image_id": "000002.jpg", "blurry": 1, "label": "female", "pred_resnet": "male"}
    ]
    write_lines(answers, ["image_id,pred_resnet", "9.jpg,male"])
    with pytest.raises(DataError, match=r"has the image '9.jpg', which is not in list_attr_celeba.txt."):
        read_celeba(tmp_path)
    write_lines(answers, ["image_id,answer", "000002.jpg,male"])
    with pytest.raises(DataError, match=r"predictions.csv has no column pred_<model>."):
        read_celeba(tmp_path)
    answers.unlink()
    with pytest.raises(DataError, match=r"does not contain predictions. Expected predictions.csv."):
        read_celeba(tmp_path)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["Blurry Male", "1.jpg 1 1"], "must start with the number of images"),
        (["3", *_ATTRIBUTES[1:]], "announces 3 images, but has 2. It may be incomplete."),
        ([*_ATTRIBUTES[:3], "2.jpg 1 0 1"], "Line 4 of list_attr_celeba.txt is not an image with 3 values of 1 or -1."),
    ],
)
def test_a_malformed_attribute_list_is_refused(tmp_path: Path, lines: list[str], said: str) -> None:
    write_lines(tmp_path / "list_attr_celeba.txt", lines)
    with pytest.raises(DataError, match=said.replace("(", r"\(")):
        read_celeba(tmp_path)


def test_answers_beside_a_file_go_by_its_lines(tmp_path: Path) -> None:
    frame = pd.DataFrame({"line": [0, 2], "text": ["a", "c"]})
    path = tmp_path / "test.tsv"
    assert beside_predictions(frame, path) is None
    beside = write_lines(tmp_path / "test.predictions.csv", ["pred_m,prob_m_x", "x,0.9", "y,0.1", "z,0.2"])
    assert beside_predictions(frame, path)["pred_m"].tolist() == ["x", "z"]  # type: ignore[index]
    write_lines(beside, ["pred_m", "x"])
    with pytest.raises(DataError, match=r"test.predictions.csv has 1 rows, and test.tsv has at least 3."):
        beside_predictions(frame, path)
    write_lines(beside, ["answer", "x", "x", "x"])
    with pytest.raises(DataError, match=r"test.predictions.csv has no column pred_<model>."):
        beside_predictions(frame, path)


def test_a_prepared_case_needs_three_files_that_fit(tmp_path: Path) -> None:
    assert read_prepared(tmp_path) is None
    write_lines(tmp_path / "source.csv", ["premise,hypothesis,label,pred_m", "a,b,entailment,entailment"])
    write_lines(tmp_path / "target.csv", ["premise,hypothesis,pred_m", "c,d,entailment"])
    labels = write_lines(tmp_path / "target_labels.csv", ["label", "non-entailment"])
    found = read_prepared(tmp_path)
    assert found is not None
    assert found[1]["label"].tolist() == ["non-entailment"]
    write_lines(labels, ["label", "a", "b"])
    with pytest.raises(
        DataError, match=r"target_labels.csv has 2 rows and target.csv has 1. The numbers must be equal."
    ):
        read_prepared(tmp_path)
    write_lines(labels, ["truth", "a"])
    with pytest.raises(DataError, match=r"Column 'label' is not in target_labels.csv"):
        read_prepared(tmp_path)


def test_a_missing_file_is_named_with_what_it_may_be_called(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"does not contain SNLI. Expected a.jsonl or b.jsonl."):
        first_of(tmp_path, ("a.jsonl", "b.jsonl"), "SNLI")


def test_thinning_keeps_no_more_than_asked_for() -> None:
    frame = pd.DataFrame({"n": range(10)})
    assert thinned(frame, 4)["n"].tolist() == [0, 3, 6, 9]
    assert len(thinned(frame, 10)) == 10
