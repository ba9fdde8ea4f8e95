"""Labels, predictions and probabilities as codes of common classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core import DataError, Model, ProjectError, Sample
from mandoline_core.metrics.class_labels import merged_name, read_class_labels
from mandoline_core.metrics.probabilities import add_probable_classes, read_probabilities

MERGE = {"no": ["neutral", "contradiction"]}
LABELS = ["yes", "neutral", "contradiction", None]
PREDICTIONS = ["contradiction", "yes", None, "neutral"]
MODEL = Model("m", "pred", {"a": "pa", "b": "pb", "c": "pc"})


def sample(**columns: object) -> Sample:
    """Make a sample."""
    return Sample(pd.DataFrame(columns), name="rows.csv")


def chances(*rows: tuple[float, float, float], pred: tuple[str | None, ...]) -> Sample:
    """Make a sample with a prediction and three probabilities a row."""
    return sample(pred=list(pred), **{f"p{name}": [row[i] for row in rows] for i, name in enumerate("abc")})


def test_codes_name_the_classes_of_both_columns() -> None:
    """A missing value is -1."""
    found = read_class_labels(sample(label=LABELS, pred=PREDICTIONS), label="label", prediction="pred")
    assert found.classes == ("contradiction", "neutral", "yes")
    assert [found.classes[code] if code >= 0 else None for code in found.truth] == LABELS
    assert [found.classes[code] if code >= 0 else None for code in found.predicted] == PREDICTIONS


def test_merged_classes_have_one_code() -> None:
    """As if the columns had been written with the new name."""
    found = read_class_labels(sample(label=LABELS, pred=PREDICTIONS), label="label", prediction="pred", merge=MERGE)
    by_hand = [
        [None if v is None else ("yes" if v == "yes" else "no") for v in column] for column in (LABELS, PREDICTIONS)
    ]
    for codes, column in zip((found.truth, found.predicted), by_hand, strict=True):
        assert [found.classes[code] if code >= 0 else None for code in codes] == column
    assert merged_name("contradiction", MERGE) == "no"


def test_classes_that_are_known_keep_their_codes() -> None:
    """Another sample's classes come first; new ones follow; types may differ between the samples."""
    found = read_class_labels(sample(pred=[2, 0, 1]), label=None, prediction="pred", known=("1", "0"))
    assert found.classes == ("1", "0", "2")
    assert found.predicted.tolist() == [2, 1, 0]
    assert found.truth.tolist() == [-1, -1, -1]


def test_merging_in_a_second_sample_may_name_classes_it_lacks() -> None:
    """The source has them."""
    found = read_class_labels(
        sample(pred=["neutral", "yes"]), label=None, prediction="pred", merge=MERGE, known=("yes", "no")
    )
    assert found.classes == ("yes", "no")
    assert found.predicted.tolist() == [1, 0]


def test_merging_an_unknown_class_is_refused() -> None:
    """With the nearest name."""
    with pytest.raises(ProjectError, match=r"^merge in \[metric\] names an unknown class 'nutral'\."):
        read_class_labels(
            sample(label=LABELS, pred=PREDICTIONS), label="label", prediction="pred", merge={"x": ["nutral"]}
        )


def test_rows_are_taken_together() -> None:
    """Labels and predictions stay beside each other."""
    found = read_class_labels(sample(label=LABELS, pred=PREDICTIONS), label="label", prediction="pred")
    kept = found.take(np.array([True, False, True, False]))
    assert (kept.truth == found.truth[[0, 2]]).all()
    assert (kept.predicted == found.predicted[[0, 2]]).all()
    assert kept.classes == found.classes


def test_probabilities_come_in_the_order_of_the_classes() -> None:
    """And merged ones add up."""
    rows = chances((0.2, 0.5, 0.3), (0.6, 0.1, 0.3), (0.1, 0.1, 0.8), pred=("b", "a", "c"))
    answers = read_class_labels(rows, label=None, prediction="pred", known=("c", "a"))
    found, findings = read_probabilities(rows, MODEL, answers)
    np.testing.assert_allclose(found, [[0.3, 0.2, 0.5], [0.3, 0.6, 0.1], [0.8, 0.1, 0.1]], rtol=0, atol=1e-15)
    assert findings == ()
    merge = {"x": ["a", "c"]}
    merged = read_class_labels(rows, label=None, prediction="pred", merge=merge)
    assert merged.classes == ("b", "x")
    np.testing.assert_allclose(
        read_probabilities(rows, MODEL, merged, merge)[0], [[0.5, 0.5], [0.1, 0.9], [0.1, 0.9]], rtol=0, atol=1e-15
    )


def test_probabilities_written_with_two_digits_are_made_to_add_up() -> None:
    """What is off by rounding is shared out."""
    rows = chances((0.33, 0.33, 0.33), (1.0, 0.0, 0.0), pred=("b", "a"))
    answers = read_class_labels(rows, label=None, prediction="pred", known=("a", "b", "c"))
    np.testing.assert_allclose(read_probabilities(rows, MODEL, answers)[0].sum(axis=1), 1.0, rtol=0, atol=1e-15)


def test_equal_probabilities_stay_equal() -> None:
    """Sums that are 1 up to the last bit are not divided by: a ranking metric would see ties broken."""
    rng = np.random.default_rng(0)
    others = rng.random(500) * 0.7
    rows = sample(pred=["a"] * 500, pa=np.full(500, 0.3), pb=others, pc=1 - 0.3 - others)
    answers = read_class_labels(rows, label=None, prediction="pred", known=("a", "b", "c"))
    loose = Model("m", "pred", MODEL.probabilities)
    total = rows.frame["pa"] + rows.frame["pb"] + rows.frame["pc"]
    assert len(set(total.to_list())) > 1
    with pytest.raises(DataError, match="is not its most probable class"):
        read_probabilities(rows, loose, answers)
    rows = sample(pred=np.where(others > 0.35, "b", "c"), pa=np.full(500, 0.3), pb=others, pc=1 - 0.3 - others)
    answers = read_class_labels(rows, label=None, prediction="pred", known=("a", "b", "c"))
    assert set(read_probabilities(rows, loose, answers)[0][:, 0]) == {0.3}


def test_a_row_without_a_probability_has_none() -> None:
    """NaN throughout, and no error."""
    rows = chances((0.2, 0.5, 0.3), (0.6, np.nan, 0.3), pred=("b", "a"))
    found, _ = read_probabilities(
        rows, MODEL, read_class_labels(rows, label=None, prediction="pred", known=("a", "b", "c"))
    )
    assert np.isnan(found[1]).all()
    assert np.isfinite(found[0]).all()


def test_classes_of_probabilities_that_no_row_shows_can_be_added() -> None:
    """After merging, and once."""
    rows = chances((0.2, 0.5, 0.3), pred=("b",))
    answers = read_class_labels(rows, label=None, prediction="pred")
    assert answers.classes == ("b",)
    assert add_probable_classes(answers, MODEL).classes == ("b", "a", "c")
    assert add_probable_classes(answers, MODEL, {"x": ["a", "c"]}).classes == ("b", "x")


@pytest.mark.parametrize(
    ("rows", "model", "message"),
    [
        (
            chances((0.2, 0.5, 0.3), pred=("b",)),
            Model("m", "pred"),
            "Model 'm' has no class probabilities. Set probabilities in [[models]].",
        ),
        (
            chances((0.2, 0.5, 0.3), pred=("d",)),
            MODEL,
            (
                "Model 'm' has no probability for class 'd' of rows.csv. It has: a, b, c. "
                "Add the missing column to probabilities."
            ),
        ),
        (
            chances((0.2, 0.5, 0.3), (0.2, 0.5, 0.5), (0.1, 0.5, 0.3), pred=("b", "b", "b")),
            MODEL,
            (
                "The class probabilities of model 'm' do not sum to 1 in 2 of 3 rows of rows.csv (row 2: 1.2). "
                "Check that every class has a column, and that the columns contain probabilities, not scores."
            ),
        ),
        (
            chances((0.2, 0.5, 0.3), (0.2, 0.5, 0.3), pred=("a", "c")),
            MODEL,
            (
                "The prediction of model 'm' is not its most probable class in 100.0% of the rows of rows.csv. "
                "Check that each probability column belongs to its class."
            ),
        ),
        (
            chances((np.nan, 0.5, 0.3), pred=("a",)),
            MODEL,
            "No row of rows.csv has both a prediction and class probabilities of model 'm'. Add them.",
        ),
    ],
    ids=["none", "no column for a class", "sums", "contradiction", "all missing"],
)
def test_probabilities_that_cannot_be_right_are_refused(rows: Sample, model: Model, message: str) -> None:
    """What is wrong, where, and what to do."""
    answers = add_probable_classes(read_class_labels(rows, label=None, prediction="pred"), MODEL)
    with pytest.raises((DataError, ProjectError)) as caught:
        read_probabilities(rows, model, answers)
    assert str(caught.value) == message


def test_a_few_contradictions_are_a_finding() -> None:
    """A threshold other than one half is not an error; a tie is no contradiction at all."""
    rows = chances(*[(0.2, 0.5, 0.3)] * 9, (0.4, 0.4, 0.2), pred=("b",) * 8 + ("a", "b"))
    _, (finding,) = read_probabilities(
        rows, MODEL, read_class_labels(rows, label=None, prediction="pred", known=("a", "b", "c"))
    )
    assert (finding.code, finding.severity) == ("prediction_not_most_probable", "warning")
    assert finding.text == (
        "The prediction of model 'm' is not its most probable class in 10.0% of the rows of rows.csv."
    )


@pytest.mark.parametrize("rule", [md.Entropy("unsure", buckets=2), md.Confidence("unsure", below=0.7)])
@pytest.mark.parametrize("metric", ["accuracy", "mean"])
def test_slices_of_probabilities_that_do_not_add_up_to_1_are_a_finding(rule, metric):
    """Whatever is scored, and in the sample where they are off; what is rounded to two digits is not."""
    rng = np.random.default_rng(0)
    chance = rng.uniform(0.5, 1.0, 400)
    frame = pd.DataFrame({"label": "a", "pred": "a", "pa": chance.round(2), "pb": (1 - chance).round(2), "y": chance})
    scores = frame.assign(pb=frame["pb"] * 1.9)
    model = md.Model("m", "pred", {"a": "pa", "b": "pb"})
    asked = {"metric": md.MetricSettings("mean", column="y")} if metric == "mean" else {}

    def codes(target: pd.DataFrame) -> list[tuple[str, str]]:
        known = md.Sample(frame, label="label", models=[model], name="known")
        report = md.estimate(
            known, md.Sample(target.drop(columns="label"), models=[model], name="new"), [rule], **asked
        )
        return [
            (finding.severity, finding.numbers["sample"])
            for finding in report.first.findings
            if finding.code == "probabilities_off"
        ]

    assert codes(frame) == []
    assert codes(scores) == [("warning", "new")]
