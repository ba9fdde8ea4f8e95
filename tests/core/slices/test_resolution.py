"""Resolving: families, models and names become slices that are complete in themselves."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from mandoline_core.data import Model, Sample
from mandoline_core.errors import SliceError
from mandoline_core.slices.codes import codes, slice_codes
from mandoline_core.slices.kinds import (
    All,
    Any,
    Category,
    Confidence,
    Entropy,
    Expression,
    Flag,
    Keyword,
    Missing,
    Not,
    Prediction,
    Threshold,
    slicing_function,
)
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.slices.resolution import resolve

LR = Model("lr", "lr", {"a": "lr_a", "b": "lr_b"})
MLP = Model("mlp", "mlp", {"a": "mlp_a", "b": "mlp_b"})
BARE = Model("bare")
SOURCE = Sample(
    pd.DataFrame(
        {
            "label": ["a", "b", "a"],
            "text": ["not", "fine", None],
            "n": [1, 2, 3],
            "place": ["x", "y", None],
            "lr": ["a", "a", "a"],
            "lr_a": [1.0, 0.5, 0.9],
            "lr_b": [0.0, 0.5, 0.1],
            "mlp": ["b", "b", "a"],
            "mlp_a": [0.2, 0.2, 0.7],
            "mlp_b": [0.8, 0.8, 0.3],
            "empty": [None, None, None],
            "half": [None, None, None],
            "flag": [1, 0, -1],
        }
    ),
    label="label",
    models=(LR, MLP, BARE),
    name="source.csv",
)
TARGET = Sample(
    pd.DataFrame(
        {
            "text": ["never", "x"],
            "n": [5, 6],
            "place": ["y", "z"],
            "lr": ["a", "b"],
            "lr_a": [0.6, 0.4],
            "lr_b": [0.4, 0.6],
            "mlp": ["a", "a"],
            "mlp_a": [0.6, 0.6],
            "mlp_b": [0.4, 0.4],
            "empty": [None, None],
            "half": ["a", "b"],
            "flag": [1, 0],
        }
    ),
    name="target.csv",
)


def names(*rules, model=LR) -> list[str]:
    """List the slices that rules become."""
    return [rule.name for rule in resolve(rules, SOURCE, TARGET, model)]


def refusal(*rules, model=LR) -> str:
    """Return what a person is told."""
    with pytest.raises(SliceError) as caught:
        resolve(rules, SOURCE, TARGET, model)
    return str(caught.value)


def test_a_prediction_without_value_is_one_slice_a_class_of_either_sample():
    """The class that only the target has gets its slice too; order is that of the classes."""
    assert names(Prediction("says")) == ["says_a", "says_b"]
    (first, second) = resolve([Prediction("says", noise=Noise(source=Correction(0.9, 0.1)))], SOURCE, TARGET, LR)
    assert (first.value, second.value) == ("a", "b")
    assert first.noise == second.noise == Noise(source=Correction(0.9, 0.1))
    assert first.describe() == "lr predicts a"
    assert slice_codes(TARGET, second).tolist() == [-1, 1]


def test_a_category_without_values_is_one_slice_a_value():
    """Missing values are no value."""
    assert names(Category("at", column="place")) == ["at_x", "at_y", "at_z"]


def test_members_match_whatever_the_two_samples_call_a_class():
    """A column of numbers in one file and of texts in the other is still one column."""
    one = Sample(pd.DataFrame({"k": [1, 2, 1]}))
    other = Sample(pd.DataFrame({"k": ["1.0", "b", "2"]}))
    rules = resolve([Category("k", column="k")], one, other)
    assert [rule.name for rule in rules] == ["k_1", "k_2", "k_b"]
    assert codes(one, rules).tolist() == [[1, -1, -1], [-1, 1, -1], [1, -1, -1]]
    assert codes(other, rules).tolist() == [[1, -1, -1], [-1, -1, 1], [-1, 1, -1]]
    truth = Sample(pa.table({"k": [True, False]}))
    rules = resolve([Category("k", column="k")], truth, truth)
    assert [rule.name for rule in rules] == ["k_false", "k_true"]
    assert codes(truth, rules).tolist() == [[-1, 1], [1, -1]]


def test_entropy_buckets_cut_the_whole_range_evenly():
    """Every row is in one bucket: the largest entropy too, whatever rounding does to it."""
    p = np.concatenate([np.linspace(0, 1, 101), [0.5, 1.0]])
    frame = pd.DataFrame({"a": p, "b": 1 - p})
    frame.loc[len(frame)] = [0.5000005, 0.5000005]
    sample = Sample(frame, models=(Model("m", None, {"a": "a", "b": "b"}),))
    rules = resolve([Entropy("e", buckets=6)], sample, sample, sample.models[0])
    assert [rule.name for rule in rules] == [f"e_{number}" for number in range(1, 7)]
    assert [rule.low for rule in rules] == [number * math.log(2) / 6 for number in range(6)]
    assert rules[-1].high is None
    assert (codes(sample, rules) == 1).sum(axis=1).tolist() == [1] * len(frame)


def test_each_model_gets_its_own_slices():
    """A rule without a model speaks of the one being evaluated; one with a model always of that one."""
    rules = [Confidence("sure", above=0.7), Confidence("lr_sure", model="lr", above=0.7)]
    first, second = (resolve(rules, SOURCE, TARGET, model) for model in (LR, MLP))
    assert [rule.model.name for rule in first + second] == ["lr", "lr", "mlp", "lr"]
    assert codes(SOURCE, second).tolist() == [[1, 1], [1, -1], [-1, 1]]


def test_combinations_hold_their_slices():
    """What comes out needs nothing else: names are gone, and so are the parts' own corrections."""
    negation = Keyword(
        "negation", column="text", words=["not"], noise=Noise(source=Correction(0.9, 0.1)), enabled=False
    )
    rules = [Not("plain", of="negation"), negation, Any("any", of=("plain", "says_b")), Prediction("says")]
    resolved = resolve(rules, SOURCE, TARGET, LR)
    assert [rule.name for rule in resolved] == ["plain", "any", "says_a", "says_b"]
    (inner,) = resolved[0].of
    assert (inner.name, inner.noise, inner.enabled) == ("negation", None, True)
    assert resolved[1].of[0].of[0] == inner
    assert len({hash(rule) for rule in resolved}) == 4
    assert codes(SOURCE, resolved[:2]).tolist() == [[-1, -1], [1, 1], [0, 0]]


def test_disabled_slices_are_left_out_even_if_broken():
    """That is why people disable things."""
    gone = Threshold("gone", column="nowhere", above=1, enabled=False)
    assert names(gone, Category("family", column="nowhere", enabled=False), Missing("m", column="n")) == ["m"]


def test_disabled_families_can_be_named():
    """A member of a disabled family is made when another slice needs it."""
    assert names(Prediction("says", enabled=False), Not("not_a", of="says_a")) == ["not_a"]


def test_what_zero_means_is_decided_on_both_samples():
    """Minus one in the source makes 0 abstain in the target too."""
    (flag,) = resolve([Flag("flag", column="flag")], SOURCE, TARGET)
    assert slice_codes(TARGET, flag).tolist() == [1, 0]


def test_functions_mix_with_rules():
    """Order is kept."""
    rule = slicing_function(lambda frame: frame["n"] > 2, name="big")
    resolved = resolve([Missing("m", column="n"), rule, Not("small", of="big")], SOURCE, TARGET)
    assert codes(SOURCE, resolved).T.tolist() == [[-1, -1, -1], [-1, -1, 1], [1, 1, -1]]


def test_a_column_empty_in_one_sample_abstains_there():
    """A column may have come in use between the samples."""
    rules = resolve([Keyword("half", column="half", words=["a"])], SOURCE, TARGET)
    assert codes(SOURCE, rules).tolist() == [[0], [0], [0]]
    assert codes(TARGET, rules).tolist() == [[1], [-1]]


def doubling(levels: int) -> list[All | Any | Missing]:
    """Two slices a level, each made of both of the level before: written out, they double with every level."""
    rules: list[All | Any | Missing] = [Missing("a0", column="n"), Missing("b0", column="text")]
    for level in range(1, levels + 1):
        below = (f"a{level - 1}", f"b{level - 1}")
        rules += [All(f"a{level}", of=below), Any(f"b{level}", of=below)]
    return rules


def test_combinations_that_double_at_every_level_are_refused_before_they_are_written_out():
    """Forty levels would be 2 ** 40 slices; seven are fine."""
    assert len(resolve(doubling(7), SOURCE, SOURCE)) == 16
    with pytest.raises(SliceError, match=r"Slice 'a9' combines more than 1000 slices, counting those inside its parts"):
        resolve(doubling(40), SOURCE, SOURCE)


def test_rules_that_share_parts_as_objects_are_measured_once_each():
    """Python can hold in thirty objects what is 2 ** 30 when written out."""
    rule = Missing("a", column="n")
    for level in range(30):
        rule = All(f"a{level}", of=(rule, rule))
    with pytest.raises(SliceError, match="combines more than 1000 slices"):
        resolve([rule], SOURCE, SOURCE)


def test_a_long_chain_is_refused_and_many_large_combinations_too():
    """Fifty levels are enough for anyone, and 20,000 slices in all."""
    chain = [Missing("n0", column="n"), *(Not(f"n{i}", of=f"n{i - 1}") for i in range(1, 5_000))]
    assert len(resolve(chain[:50], SOURCE, SOURCE)) == 50
    for rules in (chain, chain[::-1]):
        with pytest.raises(SliceError, match=r"Slice 'n\d+' combines slices over more than 50 levels"):
            resolve(rules, SOURCE, SOURCE)
    many = [Missing(f"m{i}", column="n") for i in range(150)]
    names = [rule.name for rule in many]
    with pytest.raises(SliceError, match=r"combine 21,\d{3} slices in all\. The limit is 20,000"):
        resolve([*many, *(Any(f"any{i}", of=names) for i in range(139))], SOURCE, SOURCE)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            [Missing("a", column="n"), Missing("a", column="text")],
            "Two slices are called 'a'. Give each slice its own name.",
        ),
        (
            [Prediction("says"), Missing("says_a", column="n")],
            "Two slices are called 'says_a'. Give each slice its own name.",
        ),
        (["negation"], "Expected a slice, such as Keyword or Threshold. Got 'negation'."),
        (
            [Missing("gone", column="n"), Not("here", of="gonne")],
            "Slice 'here' names slice 'gonne', which does not exist. Slices: gone. Did you mean 'gone'?",
        ),
        (
            [Prediction("says"), Not("not", of="says")],
            "Slice 'not' names 'says', which is a family of slices. Name one of them: says_a, says_b.",
        ),
        (
            [All("a", of=["b"]), Not("b", of="c"), Any("c", of=["a"])],
            "Slice 'a' is made of itself: a -> b -> c -> a. Remove one of these from another.",
        ),
        ([Not("a", of="a")], "Slice 'a' is made of itself: a -> a. Remove one of these from another."),
        (
            [Confidence("sure", model="lrr", above=0.9)],
            "Slice 'sure' names model 'lrr', which does not exist. Models: lr, mlp, bare. Did you mean 'lr'?",
        ),
        (
            [Confidence("sure", model="bare", above=0.9)],
            (
                "Slice 'sure' needs the probability of each class, and model 'bare' has none. "
                'Give the model probabilities, such as { no = "p_no", yes = "p_yes" }.'
            ),
        ),
        (
            [Prediction("says", model="bare")],
            "Slice 'says' needs predictions, and model 'bare' has none. Set its prediction column.",
        ),
        (
            [Threshold("e", column="empty", above=1)],
            (
                "Slice 'e' reads column 'empty', which is empty in labelled and new data. Remove the slice or "
                "choose another column."
            ),
        ),
        (
            [Category("e", column="empty")],
            (
                "Slice 'e' reads column 'empty', which is empty in labelled and new data. Remove the slice or "
                "choose another column."
            ),
        ),
        (
            [Not("x", of=Category("truth", column="label", values=["a"]))],
            ("Slice 'truth' reads the label 'label', which new data does not have. Choose a column that both have."),
        ),
        (
            [Expression("truth", text='label == "a"')],
            ("Slice 'truth' reads the label 'label', which new data does not have. Choose a column that both have."),
        ),
        (
            [Threshold("words", column="text", above=1)],
            (
                "Slice 'words' needs numbers in column 'text', which holds text in source.csv, such as 'not'. "
                "Use kind 'length' for the length of a text. If it holds numbers, choose its type on the Data page, or "
                'set types = { text = "number" } in the project file.'
            ),
        ),
    ],
)
def test_rules_that_cannot_be_resolved_say_why(rules, message):
    """What is wrong, what there is, and what to do."""
    assert refusal(*rules) == message


def test_a_rule_of_a_model_needs_one():
    """Without models, such rules are refused by name."""
    message = "Slice 'e' (kind 'entropy') needs a model. Add a model."
    assert refusal(Entropy("e", buckets=6), model=None) == message


def test_a_column_missing_from_the_target_is_found_before_any_work():
    """The source having it is not enough."""
    target = Sample(pd.DataFrame({"number": [1]}), name="target.csv")
    source = Sample(pd.DataFrame({"n": [1], "number": [1]}), name="source.csv")
    message = "Slice 'm' reads column 'n', which is not in target.csv. Columns: number."
    with pytest.raises(SliceError) as caught:
        resolve([Missing("m", column="n")], source, target)
    assert str(caught.value) == message


def test_a_category_of_too_many_values_is_refused():
    """A column of identifiers is no set of slices."""
    sample = Sample(pd.DataFrame({"id": [f"row {i}" for i in range(60)]}))
    with pytest.raises(SliceError) as caught:
        resolve([Category("id", column="id")], sample, sample)
    assert str(caught.value) == (
        "Slice 'id' would become 60 slices, one for each value of column 'id'. The limit is 50. Name the "
        'values you need, such as values = ["a", "b"].'
    )
