"""The project file: what it may say, what is wrong with it, and that it comes back as it was."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core.data import Model
from mandoline_core.errors import DataError, MandolineError, ProjectError
from mandoline_core.project import dump_project, load_project, parse_project, save_project
from mandoline_core.project.project import Project
from mandoline_core.project.settings import EstimatorSettings, MethodSettings, MetricSettings
from mandoline_core.slices.kinds import (
    All,
    Any,
    Category,
    Confidence,
    Entropy,
    Expression,
    Flag,
    Keyword,
    Length,
    Missing,
    Not,
    Overlap,
    Prediction,
    Range,
    Regex,
    Threshold,
    slicing_function,
)
from mandoline_core.slices.noise import Correction, Noise

CONTRACT = """
version = 1
name = "reviews"
edges = [["negation", "long"]]

[source]
path = "source.csv"
[target]
path = "target.csv"
labels = "labels.csv"
key = "id"

[task]
label = "label"

[[models]]
name = "lr"
prediction = "pred_lr"
probabilities = { negative = "p_neg", positive = "p_pos" }

[metric]
name = "accuracy"
merge = { non-entailment = ["neutral", "contradiction"] }

[[slices]]
name = "negation"
kind = "keyword"
column = "text"
words = ["not", "never"]
[slices.noise.source]
inside = 0.95
outside = 0.02
abstain = 0.30
[slices.noise.target]
inside = 0.90
outside = 0.05

[[slices]]
name = "long"
kind = "threshold"
column = "n_words"
above = 200
gold = "is_long"
[slices.noise]
measured = true
[slices.noise.target]
same = true

[estimator]
name = "mandoline"
split = "half"
overlap = "strict"
ridge = 0.1
confidence = 0.9
seed = 7
"""
MODEL = Model("lr", "pred")
SMALL = {
    "version": 1,
    "source": {"path": "a.csv"},
    "target": {"path": "b.csv"},
    "task": {"label": "label"},
    "models": [{"name": "lr", "prediction": "pred"}],
}
EDGES = (
    'edges must be a list of pairs of slice names, "auto", "graphical-lasso" or "inverse-covariance" '
    '(4 pairs; for 6, "inverse-covariance:6").'
)


def small(**changes) -> Project:
    """Make the smallest project, with changes."""
    arguments = {"name": "p", "source_path": "a.csv", "target_path": "b.csv", "label": "label", "models": (MODEL,)}
    return Project(**(arguments | changes))


def refusal(make) -> str:
    """Return what a person is told."""
    with pytest.raises(MandolineError) as caught:
        make()
    return str(caught.value)


def test_a_project_file_is_read_as_written(tmp_path):
    """Every part of the contract arrives."""
    file = tmp_path / "reviews.toml"
    file.write_text(CONTRACT)
    assert load_project(file) == Project(
        name="reviews",
        source_path=Path("source.csv"),
        target_path=Path("target.csv"),
        target_labels=Path("labels.csv"),
        target_key="id",
        label="label",
        models=(Model("lr", "pred_lr", {"negative": "p_neg", "positive": "p_pos"}),),
        metric=MetricSettings("accuracy", merge={"non-entailment": ("neutral", "contradiction")}),
        slices=(
            Keyword(
                "negation",
                column="text",
                words=("not", "never"),
                noise=Noise(source=Correction(0.95, 0.02, 0.3), target=Correction(0.9, 0.05)),
            ),
            Threshold("long", column="n_words", above=200, gold="is_long", noise=Noise(measured=True, same=True)),
        ),
        edges=(("negation", "long"),),
        estimator=EstimatorSettings(split="half", overlap="strict", ridge=0.1, confidence=0.9, seed=7),
        base=tmp_path,
    )
    assert load_project(file).path == file


def test_what_is_left_out_has_defaults(tmp_path):
    """Data, a label and a model are enough; the name is the file's."""
    file = tmp_path / "small.toml"
    file.write_text(dump_project(small()).replace('name = "p"\n', "", 1))
    project = load_project(file)
    assert (project.name, project.edges, project.slices) == ("small", "auto", ())
    assert (project.metric, project.estimator) == (MetricSettings(), EstimatorSettings())


def test_every_kind_of_slice_goes_to_the_file_and_back():
    """Reading what was written gives the same project."""
    noise = Noise(source=Correction(0.9, 0.1))
    slices = (
        Keyword("keyword", column="text", words=("don't", 'a "b"', "c\\d", "[", "],"), case=True, whole_words=False),
        Regex("regex", column="text", pattern=r"\d+\n", noise=noise),
        Threshold("threshold", column="n", above=1e-9, below=-3, enabled=False),
        Threshold("inclusive", column="n", at_least=0.3),
        Threshold("other side", column="n", at_most=75),
        Range("range", column="n", low=0, high=1.5),
        Range("open", column="n", low=0, high=1.5, without_low=True, without_high=True),
        Category("category", column="k", values=(1, 1.5, "a", True)),
        Category("family", column="k"),
        Flag("flag", column="f", gold="g", noise=Noise(measured=True)),
        Missing("missing", column="n", noise=Noise(source=Correction(0.8, 0.1), same=True)),
        Length("length", column="text", unit="characters", below=9),
        Overlap("overlap", columns=("a", "b"), above=0.5),
        Entropy("entropy", buckets=6),
        Entropy("one", model="lr", low=0.0, high=0.5),
        Prediction("prediction"),
        Prediction("says", value=1),
        Confidence("confidence", above=0.9),
        Expression("expression", text="n > 1 and k == 'a'"),
        All("all", of=("flag", "missing")),
        Any("any", of=("flag", "entropy_1")),
        Not("not", of="flag"),
    )
    project = small(slices=slices, edges=(("flag", "entropy_2"), ("keyword", "all")), target_labels="labels.csv")
    assert parse_project(tomllib.loads(dump_project(project)), ".") == project


@given(
    words=st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=3),
    above=st.floats(allow_nan=False, allow_infinity=False),
    name=st.text(min_size=1).filter(str.strip),
    edges=st.sampled_from(["auto", "inverse-covariance:2", "graphical-lasso", (), (("a", "b"),)]),
)
def test_any_text_and_number_survive_the_file(words, above, name, edges):
    """Quotes, brackets, newlines and the last digit of a number included."""
    rules = (Keyword("a", column=name, words=words), Threshold("b", column="n", above=above))
    metric = MetricSettings(merge={name: words})
    project = small(name=name, slices=rules, edges=edges, metric=metric, models=(Model("m", name, {name: name}),))
    assert parse_project(tomllib.loads(dump_project(project)), ".") == project


METHODS = """
[methods]
features = ["age", "text"]
scores = "from_target"
max_rows = 500
width = 0.5
box = 20
tolerance = 0.0
redraws = 12
transformer = "models/bert"
texts = ["text"]
epochs = 1
batch_size = 8
learning_rate = 0.001
folds = 3
"""


def test_the_positive_class_and_the_methods_arrive_and_come_back(tmp_path):
    """As written, whatever the type of the class; what is as by default is not written."""
    file = tmp_path / "p.toml"
    plain = dump_project(small())
    assert "[methods]" not in plain
    assert "positive" not in plain
    file.write_text(plain.replace('name = "accuracy"', 'name = "f1"\npositive = "yes"') + METHODS)
    project = load_project(file)
    assert project.metric == MetricSettings("f1", positive="yes")
    assert project.methods == MethodSettings(
        features=("age", "text"),
        scores="from_target",
        max_rows=500,
        width=0.5,
        box=20,
        tolerance=0.0,
        redraws=12,
        transformer="models/bert",
        texts=("text",),
        epochs=1,
        batch_size=8,
        learning_rate=0.001,
        folds=3,
    )
    assert parse_project(tomllib.loads(dump_project(project)), tmp_path) == project
    assert METHODS in dump_project(project)
    for positive in (1, 0, 0.5, True, False, "1", 'ja, "so"'):
        other = replace(project, metric=MetricSettings("f1", positive=positive))
        again = parse_project(tomllib.loads(dump_project(other)), tmp_path).metric.positive
        assert (again, type(again)) == (positive, type(positive))


def test_a_written_file_reads_well():
    """Short lists stay on their line, and what is required comes first."""
    rules = (Threshold("long", column="n", above=200), Category("at", column="k", values=(1, 2)))
    assert dump_project(small(slices=rules, edges=(("long", "at"),))) == (
        'version = 1\nname = "p"\nedges = [["long", "at"]]\n\n'
        '[source]\npath = "a.csv"\n\n[target]\npath = "b.csv"\n\n[task]\nlabel = "label"\n\n'
        '[[models]]\nname = "lr"\nprediction = "pred"\n\n[metric]\nname = "accuracy"\n\n'
        '[[slices]]\nname = "long"\nkind = "threshold"\ncolumn = "n"\nabove = 200\n\n'
        '[[slices]]\nname = "at"\nkind = "category"\ncolumn = "k"\nvalues = [1, 2]\n\n'
        '[estimator]\nname = "mandoline"\n'
    )


def test_saving_elsewhere_keeps_the_data_in_reach(tmp_path):
    """Paths are relative to the file, so they change with its folder."""
    (tmp_path / "data").mkdir()
    (tmp_path / "saved").mkdir()
    project = small(base=tmp_path / "data", target_labels="sub/labels.csv")
    saved = save_project(project, tmp_path / "saved" / "p.toml")
    assert saved.source_path == Path("../data/a.csv")
    assert saved.target_labels == Path("../data/sub/labels.csv")
    assert load_project(tmp_path / "saved" / "p.toml") == saved
    assert save_project(project, tmp_path / "data" / "p.toml") == project
    assert sorted(item.name for item in (tmp_path / "data").iterdir()) == ["p.toml"]


def test_the_folder_of_a_transformer_stays_in_reach(tmp_path):
    """Relative to the file as paths of data are; methods get the place itself. An absolute one stays."""
    for name in ("data", "saved"):
        (tmp_path / name).mkdir()
    project = small(base=tmp_path / "data", methods=MethodSettings(transformer="bert"))
    assert project.placed_methods.transformer == str(tmp_path / "data" / "bert")
    saved = save_project(project, tmp_path / "saved" / "p.toml")
    assert saved.methods.transformer == "../data/bert"
    assert Path(str(saved.placed_methods.transformer)).resolve() == tmp_path / "data" / "bert"
    there = replace(project, methods=MethodSettings(transformer="/models/bert"))
    assert save_project(there, tmp_path / "saved" / "p.toml").placed_methods.transformer == "/models/bert"
    assert small().placed_methods == small().methods


def test_a_python_function_cannot_be_saved():
    """The person is told what can be."""
    rule = slicing_function(lambda frame: None, name="mine")
    assert refusal(lambda: dump_project(small(slices=(rule,)))) == (
        "Slice 'mine' is a Python function, which a project file cannot store. Write its result to a column "
        "and use kind 'flag'."
    )


@pytest.fixture
def data(tmp_path) -> Project:
    """Write the data of a small project."""
    (tmp_path / "a.csv").write_text("x,label,pred\n1,yes,no\n2,no,no\n")
    (tmp_path / "b.csv").write_text("x,pred\n1,no\n2,no\n3,yes\n")
    (tmp_path / "labels.csv").write_text("label,other\nno,1\nno,1\nyes,1\n")
    return small(base=tmp_path, target_labels="labels.csv")


def test_the_samples_are_read_with_their_roles(data):
    """The target's labels stay away until they are asked for."""
    source, target = data.read()
    assert (source.name, source.label, source.models, source.n_rows) == ("a.csv", "label", (MODEL,), 2)
    assert (target.name, target.label, target.models, target.n_rows) == ("b.csv", None, (MODEL,), 3)
    revealed = data.reveal(data.read()[1])
    assert (revealed.label, revealed.series("label").to_list()) == ("label", ["no", "no", "yes"])


def test_a_label_in_the_target_is_its_truth(data):
    """Nothing has to be said for it."""
    assert replace(data, target_path=data.source_path).read()[1].label == "label"


def test_files_of_the_same_name_are_told_apart(data):
    """Messages name the folder then."""
    (data.base / "new").mkdir()
    (data.base / "a.csv").rename(data.base / "new" / "b.csv")
    source, target = replace(data, source_path=Path("new/b.csv")).read()
    assert (source.name, target.name) == ("new/b.csv", "b.csv")


def test_labels_must_have_a_row_for_each_row_of_the_target(data):
    """Otherwise they belong to another file."""
    (data.base / "labels.csv").write_text("label\nno\n")
    assert refusal(lambda: data.reveal(data.read()[1])) == (
        "labels.csv has 1 rows, but b.csv has 3. Give one row for each new row in the same order, an ID column in both "
        "files, or a plan's file."
    )
    (data.base / "labels.csv").write_text("lable,x\nno,1\n")
    with pytest.raises(DataError, match=r"^Column 'label' is not in labels.csv\. Columns: lable, x\. Did you mean"):
        data.reveal(data.read()[1])


def test_the_column_of_a_mean_must_be_in_the_source(data):
    """It is checked with the other roles."""
    project = replace(data, metric=MetricSettings("mean", column="y"), models=(), label=None, target_labels=None)
    assert refusal(project.read) == "Column 'y' is not in a.csv. Columns: x, label, pred."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": None}, "p.toml has no version. Add version = 1 at its top."),
        ({"version": 2}, "p.toml has version 2. Expected version = 1."),
        ({"version": True}, "p.toml has version True. Expected version = 1."),
        (
            {"slice": []},
            (
                "Unknown key 'slice' in p.toml. Expected: version, name, note, source, target, task, models, metric, "
                "slices, edges, estimator, methods, trust, decision. Did you mean 'slices'?"
            ),
        ),
        ({"source": None}, "p.toml has no [source]. Add [source] with path."),
        ({"source": {}}, "[source] has no path. Add path."),
        ({"source": {"path": 1}}, "path in [source] must be a non-empty text. Got 1."),
        (
            {"source": "a.csv"},
            "source in p.toml must be a table. Got 'a.csv'. Write [source] on its own line.",
        ),
        (
            {"target": {"path": "b.csv", "label": "x"}},
            (
                "Unknown key 'label' in [target]. Expected: path, engine, table, master, group, weight, types, "
                "labels, key. Did you mean 'labels'?"
            ),
        ),
        (
            {"task": None},
            ("Metric 'accuracy' needs a label. Add [task] with label, the labelled data's column of true classes."),
        ),
        (
            {"models": None},
            (
                "Metric 'accuracy' needs a model. Add [[models]] with a name and a "
                "prediction column, or use metric 'mean' with a column."
            ),
        ),
        (
            {"models": {"name": "lr"}},
            (
                "models in p.toml must be a list of tables. Got one table. Start each one with [[models]], in "
                "double brackets."
            ),
        ),
        ({"models": [{"prediction": "p"}]}, "[[models]] number 1 has no name. Add name."),
        (
            {"models": [{"name": "lr", "predictions": "p"}]},
            (
                "Unknown key 'predictions' in [[models]] number 1 ('lr'). Expected: name, prediction, probabilities. "
                "Did you mean 'prediction'?"
            ),
        ),
        (
            {"models": [{"name": "lr"}], "metric": {"name": "mae"}},
            ("Metric 'mae' needs predictions, and model 'lr' has none. Set its prediction to a column."),
        ),
        (
            {"models": [{"name": "lr", "prediction": "p"}] * 2},
            "Two models are called 'lr'. Give each model its own name.",
        ),
        (
            {"models": [{"name": "lr", "prediction": "p", "probabilities": {"a": 1}}]},
            "probabilities in [[models]] number 1 ('lr') must give a column for each class. Got 1 for 'a'.",
        ),
        (
            {"metric": {"nam": "error"}},
            (
                "Unknown key 'nam' in [metric]. Expected: name, column, positive, merge, beta, quantile, k. "
                "Did you mean 'name'?"
            ),
        ),
        ({"metric": {"name": "mean"}}, "Metric 'mean' needs a column to average. Set its column."),
        (
            {"metric": {"merge": {"x": "a"}}},
            "merge must map 'x' to a list of classes. Got 'a'. Did you mean ['a']?",
        ),
        (
            {"metric": {"merge": {"x": ["a"], "y": ["b", "a"]}}},
            "Class 'a' is merged into both 'x' and 'y'. Choose one.",
        ),
        ({"metric": {"merge": ["a"]}}, "merge must map each new class to a list of classes. Got ['a']."),
        ({"estimator": {"confidence": 95}}, "confidence must be between 0 and 1. Got 95. Did you mean 0.95?"),
        ({"estimator": {"confidence": 0}}, "confidence must be between 0 and 1. Got 0."),
        (
            {"estimator": {"split": "halves"}},
            "split must be 'none', 'half' or 'crossfit'. Got 'halves'. Did you mean 'half'?",
        ),
        ({"estimator": {"overlap": True}}, "overlap must be 'trim' or 'strict'. Got True."),
        ({"estimator": {"ridge": -1}}, "ridge must be a number, 0 or more. Got -1."),
        ({"estimator": {"seed": 0.5}}, "seed must be a whole number, 0 or more. Got 0.5."),
        ({"estimator": {"replicates": 1}}, "replicates must be a whole number from 2 to 100,000. Got 1."),
        (
            {"estimator": {"interval": "bootstrap", "replicates": 2}},
            ("replicates must be at least 39 when confidence is 0.95. Got 2."),
        ),
        (
            {"estimator": {"sede": 1}},
            (
                "Unknown key 'sede' in [estimator]. Expected: name, split, overlap, ridge, confidence, seed, interval, "
                "replicates, spread. Did you mean 'seed'?"
            ),
        ),
        ({"metric": {"name": "f1", "positive": ""}}, "positive must be a class. Got ''."),
        ({"metric": {"name": "f1", "positive": ["a"]}}, "positive must be a class. Got ['a']."),
        (
            {"methods": {"features": "age"}},
            "features must be a list of columns. Got 'age'. Did you mean ['age']?",
        ),
        ({"methods": {"features": ["age", 1]}}, "features must be a list of columns. Got ['age', 1]."),
        (
            {"methods": {"scores": ""}},
            "The name of the column of scores must be a non-empty text. Got ''.",
        ),
        ({"methods": {"max_rows": 9}}, "max_rows must be a whole number from 10 to 1,000,000. Got 9."),
        ({"methods": {"max_rows": 1e4}}, "max_rows must be a whole number from 10 to 1,000,000. Got 10000.0."),
        ({"methods": {"redraws": 2_000_000_000}}, "redraws must be a whole number from 10 to 10,000. Got 2000000000."),
        ({"methods": {"width": 1e160}}, "width must be between 0.0001 and 10,000. Got 1e+160."),
        ({"methods": {"redraws": True}}, "redraws must be a whole number from 10 to 10,000. Got True."),
        ({"methods": {"width": 0}}, "width must be between 0.0001 and 10,000. Got 0."),
        ({"methods": {"learning_rate": 0}}, "learning_rate must be a number above 0. Got 0."),
        ({"methods": {"folds": 2}}, "folds must be a whole number from 3 to 100. Got 2."),
        ({"methods": {"epochs": 0}}, "epochs must be a whole number from 1 to 1,000. Got 0."),
        ({"methods": {"batch_size": 0.5}}, "batch_size must be a whole number from 1 to 10,000. Got 0.5."),
        ({"methods": {"texts": "text"}}, "texts must be a list of columns. Got 'text'. Did you mean ['text']?"),
        (
            {"methods": {"transformer": ""}},
            "The name of the folder of the transformer must be a non-empty text. Got ''.",
        ),
        ({"methods": {"box": "1000"}}, "box must be a number above 0. Got '1000'."),
        ({"methods": {"tolerance": -0.1}}, "tolerance must be a number, 0 or more. Got -0.1."),
        (
            {"methods": {"feature": ["age"]}},
            (
                "Unknown key 'feature' in [methods]. Expected: features, scores, max_rows, width, box, tolerance, "
                "redraws, transformer, texts, epochs, batch_size, learning_rate, folds. Did you mean 'features'?"
            ),
        ),
        ({"methods": 1}, "methods in p.toml must be a table. Got 1. Write [methods] on its own line."),
        ({"edges": "all"}, f"{EDGES} Got 'all'."),
        ({"edges": 3}, f"{EDGES} Got 3."),
        ({"edges": "inverse covariance"}, f"{EDGES} Got 'inverse covariance'. Did you mean 'inverse-covariance'?"),
        ({"edges": "inverse-covariance:0"}, f"{EDGES} Got 'inverse-covariance:0'. Did you mean 'inverse-covariance'?"),
        ({"edges": "auto:3"}, f"{EDGES} Got 'auto:3'. Did you mean 'auto'?"),
        ({"edges": [["a"]]}, "Edge 1 must be a pair of slice names. Got ['a']."),
        ({"edges": [["a", "b"], ["a", "a"]]}, "Edge 2 joins 'a' to itself. Name two different slices."),
        (
            {"edges": [["a", "b"], ["b", "a"]]},
            "Edges 1 and 2 both join 'b' and 'a'. Remove one of them.",
        ),
        (
            {"edges": [["a", "longg"]]},
            "Edge 1 names slice 'longg', which does not exist. Slices: a, b, long, says. Did you mean 'long'?",
        ),
        (
            {"edges": [["a", "says"]]},
            "Edge 1 names 'says', which is a family of slices. Name one of them, such as 'says_1'.",
        ),
    ],
)
def test_what_is_wrong_with_a_project_is_said_with_its_place(changes, message):
    """Expected words are written by hand; a mistake in them is a mistake of ours."""
    slices = [{"name": name, "kind": "missing", "column": name} for name in ("a", "b", "long")]
    content = {**SMALL, "slices": [*slices, {"name": "says", "kind": "prediction"}], **changes}
    content = {key: value for key, value in content.items() if value is not None}
    assert refusal(lambda: parse_project(content, ".", file="p.toml")) == message


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"kind": "missing", "column": "x"}, "[[slices]] number 2 has no name. Add name."),
        ({"name": "s", "column": "x"}, "[[slices]] number 2 ('s') has no kind. Add kind."),
        (
            {"name": "s", "kind": "keywords"},
            (
                "[[slices]] number 2 ('s') has an unknown kind 'keywords'. Kinds: keyword, regex, threshold, "
                "range, category, flag, missing, length, overlap, entropy, prediction, confidence, classifier, "
                "expression, all, any, not. Did you mean 'keyword'?"
            ),
        ),
        (
            {"name": "s", "kind": "keyword", "column": "x"},
            "[[slices]] number 2 ('s') has no words, which kind 'keyword' needs. Add words.",
        ),
        (
            {"name": "s", "kind": "missing", "colum": "x"},
            (
                "Unknown key 'colum' in [[slices]] number 2 ('s'). Expected: name, kind, column, noise, gold, audit, "
                "enabled, note. Did you mean 'column'?"
            ),
        ),
        ({"name": "s", "kind": "missing", "column": 3}, "Slice 's': column must be a non-empty text. Got 3."),
        (
            {"name": "s", "kind": "missing", "column": "x", "noise": 0.9},
            "noise in [[slices]] number 2 ('s') must be a table. Got 0.9. Write [slices.noise.source] below the slice.",
        ),
        (
            {"name": "s", "kind": "missing", "column": "x", "noise": {"sorce": {}}},
            (
                "Unknown key 'sorce' in the noise of [[slices]] number 2 ('s'). Expected: source, target, measured. "
                "Did you mean 'source'?"
            ),
        ),
        (
            {"name": "s", "kind": "missing", "column": "x", "noise": {"source": {"inside": 95}}},
            "[[slices]] number 2 ('s'): Correction 'inside' must be between 0 and 1. Got 95. Did you mean 0.95?",
        ),
        (
            {"name": "s", "kind": "missing", "column": "x", "noise": {"source": {"insde": 1}}},
            (
                "[[slices]] number 2 ('s'): Unknown key 'insde' in source of the noise. Expected: "
                "inside, outside, abstain. "
                "Did you mean 'inside'?"
            ),
        ),
        (
            {"name": "s", "kind": "missing", "column": "x", "noise": {"target": {"same": True, "inside": 0.9}}},
            (
                "[[slices]] number 2 ('s'): [slices.noise.target] takes either same or its own corrections. Got "
                "both. Remove one."
            ),
        ),
        (
            {"name": "s", "kind": "missing", "column": "x", "noise": {"measured": True}},
            "Slice 's' needs a gold column or an audit to measure its corrections. Set gold, or audit some rows.",
        ),
        (
            {"name": "first", "kind": "missing", "column": "x"},
            "Two slices are called 'first'. Give each slice its own name.",
        ),
        (
            {"name": "s", "kind": "all", "of": ["frist"]},
            "Slice 's' names slice 'frist', which does not exist. Slices: first, s. Did you mean 'first'?",
        ),
    ],
)
def test_what_is_wrong_with_a_slice_is_said_with_its_number(table, message):
    """Its number, and its name once it has one."""
    content = {**SMALL, "slices": [{"name": "first", "kind": "missing", "column": "x"}, table]}
    assert refusal(lambda: parse_project(content, ".")) == message


def test_same_false_is_as_if_left_out():
    """The target's corrections are then derived."""
    noise = {"source": {"inside": 0.9}, "target": {"same": False}}
    content = {**SMALL, "slices": [{"name": "s", "kind": "missing", "column": "x", "noise": noise}]}
    assert parse_project(content, ".").slices[0].noise == Noise(source=Correction(0.9))


def test_a_mean_needs_no_model_and_no_label():
    """Any column can be averaged."""
    content = {key: SMALL[key] for key in ("version", "source", "target")}
    project = parse_project({**content, "metric": {"name": "mean", "column": "x"}}, ".")
    assert (project.models, project.label) == ((), None)


def test_malformed_files_name_the_line(tmp_path):
    """A person goes straight to it."""
    file = tmp_path / "p.toml"
    file.write_text('version = 1\nname = "p\n')
    assert refusal(lambda: load_project(file)).startswith("p.toml is not valid TOML at line 2, column ")
    file.write_bytes(b"\xff\xfe\x00")
    assert refusal(lambda: load_project(file)) == "p.toml is not a text file. Expected a project file in TOML."
    other = tmp_path / "a.csv"
    other.write_text("x,y\n1,2\n")
    message = refusal(lambda: load_project(other))
    assert message.startswith("a.csv is not valid TOML at line 1, column ")
    assert message.endswith(" Expected a project file in TOML.")


def test_missing_files_are_named_with_what_is_near(tmp_path):
    """A typing mistake is one look away from its correction."""
    (tmp_path / "reviews.toml").write_text("")
    assert refusal(lambda: load_project(tmp_path / "review.toml")) == (
        f"Project file 'review.toml' is not in {tmp_path}. Did you mean 'reviews.toml'?"
    )
    assert refusal(lambda: load_project(tmp_path)) == (
        f"{tmp_path} is a folder. Expected a project file. Those in it: reviews.toml."
    )


def test_slices_of_a_project_are_slices():
    """Python users see the mistake at once."""
    with pytest.raises(ProjectError) as caught:
        small(slices=("negation",))
    assert str(caught.value) == "slices must be a list of slices, such as Keyword or Threshold. Got 'negation'."
