"""Cache keys: what is computed is computed again exactly when something that it depends on has changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from app import compute
from app.compute import data, keys
from app.project import Workspace, state
from app.project.store import Revision
from mandoline_core import (
    AuditAnswers,
    Classifier,
    Correction,
    EstimatorSettings,
    MandolineError,
    MetricSettings,
    Model,
    Noise,
    Project,
    Slice,
    SliceAudit,
    load_project,
)
from mandoline_core.project import DecisionSettings, MethodSettings, TrustSettings
from tests.core.projects import small_frame, small_frames, write_project

Change = Callable[[Workspace], Workspace]

ROWS = frozenset(
    f"{part}.{side}{what}"
    for side in ("source", "target")
    for part, what in (("project", "_path"), ("project", "_engine"), ("project", "_types"), ("names", ""))
)
ROLES = frozenset(
    f"project.{side}_{role}" for side in ("source", "target") for role in ("group", "weight")
) | frozenset({"project.label", "project.models", *(f"models.{item.name}" for item in fields(Model)), "models.another"})
METRIC = frozenset({"project.metric", *(f"metric.{item.name}" for item in fields(MetricSettings))})
ESTIMATOR = frozenset({f"estimator.{item.name}" for item in fields(EstimatorSettings)})
METHODS = frozenset({f"methods.{item.name}" for item in fields(MethodSettings)})
RULES = frozenset({"project.slices", "slices.name", "slices.gold", "slices.rule"})
CORRECTIONS = frozenset({"slices.noise", "slices.audit", *(f"noise.{item.name}" for item in fields(Noise))}) | {
    f"correction.{item.name}" for item in fields(Correction)
}
SHOWN = ROWS | ROLES | {"model"}
COUNT = SHOWN | METRIC | RULES | {"slices.enabled"}
STATED = COUNT | CORRECTIONS | METHODS | {"project.edges", "project.trust"}
TRUTH = frozenset({"revealed", "project.target_labels", "project.target_key", "labels file"})
TARGET = {
    "project.target_path",
    "project.target_engine",
    "project.target_types",
    "project.target_group",
    "project.target_weight",
    "names.target",
}


def step(name: str) -> Callable[[Workspace], keys.Key]:
    """Take the key of a step of the pipeline, as the app names it."""

    def key_of(shown: Workspace) -> keys.Key:
        key: tuple[Any, ...] = getattr(compute.estimates.request(shown), f"{name}_key")(data.model_of(shown))
        return keys.named(key)

    return key_of


# What each key must follow. Whatever is not listed cannot change the result, and must not change the key.
DEPENDS: dict[str, tuple[Callable[[Workspace], keys.Key], frozenset[str]]] = {
    "tables": (keys.tables, ROWS),
    "samples": (keys.samples, ROWS | ROLES),
    "answers": (keys.answers, SHOWN),
    "source score": (
        keys.source_score,
        (SHOWN | METRIC | {"estimator.confidence"}) - TARGET,
    ),
    "counted": (keys.counted, ROWS | ROLES | METRIC),
    "rules": (keys.rules, ROWS | ROLES | RULES | {"slices.enabled"}),
    "count": (keys.count, COUNT),
    "cells": (step("cells"), COUNT),
    "every slice": (keys.every_slice, (COUNT | {"estimator.confidence"}) - {"slices.enabled"}),
    "corrections": (keys.corrections, (COUNT | CORRECTIONS | {"estimator.confidence"}) - {"slices.enabled"}),
    "fit": (step("fit"), (STATED | ESTIMATOR) - {"estimator.name"}),
    "checked": (step("report"), STATED | ESTIMATOR),
    "solution": (keys.solution, STATED | ESTIMATOR),
    "report": (keys.report, STATED | ESTIMATOR | TRUTH),
    "written": (
        keys.written,
        STATED
        | ESTIMATOR
        | TRUTH
        | {"project.name", "project.note", "project.decision", "slices.note", "names.labels"},
    ),
    "some labels": (keys.some_labels, STATED | ESTIMATOR | (TRUTH - {"revealed"})),
    "labels": (keys.labels, ROWS | ROLES | METRIC | (TRUTH - {"revealed"})),
    "method on slices": (
        lambda shown: keys.methods(shown, ["mandoline"])["mandoline"],
        (STATED | ESTIMATOR) - {"estimator.name"},
    ),
    "method on columns": (
        lambda shown: keys.methods(shown, ["kmm_features"])["kmm_features"],
        (SHOWN | METRIC | ESTIMATOR | METHODS) - {"estimator.name", "methods.scores"},
    ),
}
# Small data are looked at whole, so that a draw of them is the same; tables and masters are for other engines.
NOTHING = {"id", "revision", "project.base", "project.path", "same rows elsewhere", "view_only"}
NOTHING |= {
    "server",
    "drawn",
    *(f"project.{side}_{what}" for side in ("source", "target") for what in ("table", "master")),
}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Look at the small project, with the truth revealed and a slice that is not taken at its word."""
    source, target = (frame.assign(p_good=0.5, truly=frame["text"].str.contains("not")) for frame in small_frames()[:2])
    document = state._document(load_project(write_project(tmp_path, source=source, target=target)))
    revision = Revision(0, "start", document, can_undo=False, can_redo=False)
    project = state._project(document)
    first, *others = project.slices
    noisy = replace(first, gold="truly", noise=Noise(source=Correction(0.9, 0.1, 0.5)))
    project = replace(project, slices=(noisy, *others))
    return Workspace("id", project, document["names"], "lr", revealed=True, revision=revision)


def of_project(**values: Any) -> Change:
    return lambda shown: replace(shown, project=replace(shown.project, **values))


def of_settings(part: str, **values: Any) -> Change:
    return lambda shown: of_project(**{part: replace(getattr(shown.project, part), **values)})(shown)


def of_first(part: str, **values: Any) -> Change:
    def change(shown: Workspace) -> Workspace:
        first, *others = getattr(shown.project, part)
        return of_project(**{part: (replace(first, **values), *others)})(shown)

    return change


def of_names(**values: str) -> Change:
    return lambda shown: replace(shown, names={**shown.names, **values})


def rename_model(shown: Workspace) -> Workspace:
    return replace(of_first("models", name="logistic")(shown), model="logistic")


def add_model(shown: Workspace) -> Workspace:
    return of_project(models=(*shown.project.models, Model("third", "pred_nb")))(shown)


def more_labels(shown: Workspace) -> Workspace:
    """Put other labels into the file, where it is."""
    write_labels(Path(str(shown.project.target_labels)), 60)
    return shown


def other_rows(folder: Path, side: str) -> Change:
    frame = small_frame(300, share_negated=0.3, share_long=0.3, seed=3)
    frame.assign(p_good=0.5, truly=frame["text"].str.contains("not")).to_csv(folder / f"other_{side}.csv", index=False)
    return of_project(**{f"{side}_path": folder / f"other_{side}.csv"})


def elsewhere(folder: Path) -> Change:
    (folder / "copy.csv").write_bytes((folder / "source.csv").read_bytes())
    return of_project(source_path=folder / "copy.csv")


def changes(folder: Path) -> dict[str, Change]:
    """List one change of every part of a project and of the view."""
    other = {"name": "denoised", "split": "half", "overlap": "strict", "ridge": 0.1, "confidence": 0.9, "seed": 1}
    other |= {"interval": "bootstrap", "replicates": 500, "spread": False}
    tuned = {"features": ("text",), "scores": "n_words", "max_rows": 500, "width": 2.0, "box": 10.0, "tolerance": 0.1}
    tuned |= {"redraws": 20, "transformer": "/models/bert", "texts": ("text",), "epochs": 1, "batch_size": 8}
    tuned |= {"learning_rate": 0.001, "folds": 3}
    correction = {"inside": 0.8, "outside": 0.2, "abstain": 0.4}
    audit = SliceAudit(("text",), target=AuditAnswers(truly_in=("1f3a09bc44d2",)))
    noise: dict[str, Any] = {"source": Correction(0.7, 0.1, 0.5), "target": Correction(0.8, 0.1), "same": True}
    found: dict[str, Change] = {
        "id": lambda shown: replace(shown, id="another"),
        "revision": lambda shown: replace(shown, revision=replace(shown.revision, number=1)),
        "view_only": lambda shown: replace(shown, view_only=True),
        "model": lambda shown: replace(shown, model="nb"),
        "revealed": lambda shown: replace(shown, revealed=False),
        "same rows elsewhere": elsewhere(folder),
        "project.name": of_project(name="another"),
        "project.note": of_project(note="why"),
        "project.base": of_project(base=folder),
        "project.path": of_project(path=folder / "project.toml"),
        "project.source_path": other_rows(folder, "source"),
        "project.target_path": other_rows(folder, "target"),
        "project.source_engine": of_project(source_engine="polars"),
        "project.target_engine": of_project(target_engine="polars"),
        "project.source_table": of_project(source_table=None),
        "project.target_table": of_project(target_table=None),
        "project.source_master": of_project(source_master="spark://elsewhere:7077"),
        "project.target_master": of_project(target_master="spark://elsewhere:7077"),
        "server": lambda shown: replace(shown, server=()),
        "drawn": lambda shown: shown.on_draw,
        "project.target_labels": of_project(target_labels=write_labels(folder / "some.csv", 30)),
        "project.target_key": of_project(target_key="text"),
        "project.source_group": of_project(source_group="channel"),
        "project.target_group": of_project(target_group="channel"),
        "project.source_types": of_project(source_types={"channel": "number"}),
        "project.target_types": of_project(target_types={"channel": "number"}),
        "project.source_weight": of_project(source_weight="n_words"),
        "project.target_weight": of_project(target_weight="n_words"),
        "project.label": of_project(label="pred_nb"),
        "project.models": lambda shown: of_project(models=shown.project.models[:1])(shown),
        "project.metric": of_project(metric=MetricSettings("error")),
        "project.slices": lambda shown: of_project(slices=shown.project.slices[::-1])(shown),
        "project.edges": of_project(edges=(("negation", "long"),)),
        "project.trust": of_project(trust=TrustSettings(harmless=["text"])),
        "project.decision": of_project(decision=DecisionSettings(threshold=0.7)),
        "models.name": rename_model,
        "models.prediction": of_first("models", prediction="pred_nb"),
        "models.probabilities": of_first("models", probabilities={"good": "p_good"}),
        "models.another": add_model,
        "metric.name": of_settings("metric", name="error"),
        "metric.column": of_settings("metric", column="n_words"),
        "metric.positive": of_settings("metric", positive="good"),
        "metric.beta": of_settings("metric", beta=3.0),
        "metric.quantile": of_settings("metric", quantile=0.9),
        "metric.k": of_settings("metric", k=3),
        "metric.merge": of_settings("metric", merge={"any": ("good", "bad")}),
        "slices.name": of_first("slices", name="not"),
        "slices.rule": of_first("slices", words=("not",)),
        "slices.gold": of_first("slices", gold="channel"),
        "slices.audit": of_first("slices", audit=audit),
        "slices.enabled": of_first("slices", enabled=False),
        "slices.noise": of_first("slices", noise=None),
        "slices.note": of_first("slices", note="why"),
        "noise.measured": of_first("slices", noise=Noise(measured=True)),
        "noise.target_measured": of_first("slices", audit=audit, noise=Noise(target_measured=True)),
    }
    found |= {f"names.{side}": of_names(**{side: "another.csv"}) for side in ("source", "target", "labels")}
    found |= {f"estimator.{name}": of_settings("estimator", **{name: value}) for name, value in other.items()}
    found |= {f"methods.{name}": of_settings("methods", **{name: value}) for name, value in tuned.items()}
    for name, value in noise.items():
        stated = {"source": Correction(0.9, 0.1, 0.5), name: value}
        found[f"noise.{name}"] = of_first("slices", noise=Noise(**stated))
    for name, value in correction.items():
        moved = replace(Correction(0.9, 0.1, 0.5), **{name: value})
        found[f"correction.{name}"] = of_first("slices", noise=Noise(source=moved))
    return found | {"labels file": more_labels}  # last: the file stays changed


def write_labels(path: Path, n: int) -> Path:
    """Write the labels of the first new rows."""
    _, _, known = small_frames()
    known.loc[n:, "label"] = None
    known.to_csv(path, index=False)
    return path


def once_opened(make: Callable[[Workspace], keys.Key], shown: Workspace) -> keys.Key:
    """Make a key; tables are opened in the background."""
    while True:
        try:
            return make(shown)
        except compute.WorkingError as error:
            error.job.wait(60)


@pytest.mark.parametrize("key", list(DEPENDS))
def test_a_key_changes_exactly_when_the_result_can(workspace: Workspace, tmp_path: Path, key: str) -> None:
    make, depends = DEPENDS[key]
    before = make(workspace)
    found = {part for part, change in changes(tmp_path).items() if once_opened(make, change(workspace)) != before}
    assert found == depends


def test_every_part_of_a_project_and_of_the_view_is_tried(tmp_path: Path) -> None:
    """A field that is new must be put among the changes, and under the keys that it matters to."""
    nested = {
        "models": Model,
        "metric": MetricSettings,
        "estimator": EstimatorSettings,
        "methods": MethodSettings,
        "slices": Slice,
        "noise": Noise,
        "correction": Correction,
    }
    wanted = {f"{part}.{item.name}" for part, settings in nested.items() for item in fields(settings)}
    wanted |= {f"project.{item.name}" for item in fields(Project)} - {"project.estimator", "project.methods"}
    wanted |= {f"names.{name}" for name in ("source", "target", "labels")}
    wanted |= {item.name for item in fields(Workspace)} - {"project", "names"}
    wanted |= {"slices.rule", "models.another", "labels file", "same rows elsewhere"}
    (tmp_path / "source.csv").touch()
    assert set(changes(tmp_path)) == wanted
    assert frozenset().union(*(depends for _, depends in DEPENDS.values())) == wanted - NOTHING


def test_the_truth_follows_when_the_rest_of_the_labels_come(workspace: Workspace, tmp_path: Path) -> None:
    """Some labels were revealed; a file with all of them takes the place of the first, or is written over it."""
    some, more = write_labels(tmp_path / "some.csv", 60), write_labels(tmp_path / "all.csv", 300)

    def truth(path: Path) -> float | None:
        return compute.report(of_project(target_labels=path)(workspace)).truth

    _, target, known = small_frames()
    right = float((target["pred_lr"] == known["label"]).mean())
    assert truth(some) is None
    assert truth(more) == pytest.approx(right)
    write_labels(some, 300)
    assert truth(some) == pytest.approx(right)


def test_codes_of_a_classifier_follow_both_samples(workspace: Workspace, tmp_path: Path) -> None:
    """Other new rows change what it says of the same labelled rows; the same ones elsewhere do not."""
    shown = of_project(slices=(Classifier("new"),))(workspace)

    def codes(here: Workspace) -> list[int]:
        (rule,) = compute.report(here).cells.slices
        return compute.estimates.codes_of(compute.samples(here)[0], [rule])[:, 0].tolist()

    assert codes(other_rows(tmp_path, "target")(shown)) != codes(shown)
    assert codes(elsewhere(tmp_path)(shown)) == codes(shown)


def test_functions_do_not_share_their_answers_nor_keep_errors() -> None:
    calls = []

    @keys.kept(by=lambda subject: (subject,))
    def one(subject: str, more: int = 1) -> str:
        calls.append(subject)
        if subject == "wrong":
            raise MandolineError("Wrong.")
        return f"one {subject} {more}"

    @keys.kept(by=lambda subject: (subject,))
    def two(subject: str, more: int = 1) -> str:
        return f"two {subject} {more}"

    assert [one("a"), one("a", 1), one("a", more=1), one("a", 2)] == ["one a 1"] * 3 + ["one a 2"]
    assert calls == ["a", "a"]
    assert two("a") == "two a 1"
    for _ in range(2):
        with pytest.raises(MandolineError):
            one("wrong")
    assert calls == ["a", "a", "wrong", "wrong"]


def test_a_sample_is_called_what_its_visitor_calls_it(workspace: Workspace) -> None:
    """The same rows under another name are another visitor's: messages name the file."""
    named = of_names(source="mine.csv")(workspace)
    assert [compute.report(shown).cells.rows.source.name for shown in (workspace, named)] == [
        "source.csv",
        "mine.csv",
    ]
