"""The method end to end: near the truth, the same from the library and the command line, and it can be stopped."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.comparison import run_estimator
from mandoline_core.data import SAMPLE_CACHE
from tests.finetune.tiny import TUNING, entry, methods, samples, truth, world

CHATTY = [md.Flag("chatty", column="chatty")]


class Enough(BaseException):
    """Raised to stop, as the app does; no error."""


def write_project(folder: Path, model: Path, method: str = "mandoline") -> Path:
    """Write a project on a small world, with the model's folder relative to it."""
    source, target = world(3, 200)
    source.to_csv(folder / "source.csv", index=False)
    target.drop(columns="label").to_csv(folder / "target.csv", index=False)
    project = md.Project(
        name="chat",
        source_path="source.csv",
        target_path="target.csv",
        label="label",
        models=[md.Model("model", "pred")],
        slices=CHATTY,
        estimator=md.EstimatorSettings(name=method),
        methods=methods(Path(os.path.relpath(model, folder))),
        base=folder,
    )
    md.save_project(project, folder / "project.toml")
    return folder / "project.toml"


def mandoline(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own, as a person would."""
    command = [sys.executable, "-W", "error", "-m", "mandoline_core.cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_estimate_is_near_the_truth(folder: Path) -> None:
    """Three worlds: closer than the source's score in each, and as close as the slice that explains the change."""
    for seed in range(3):
        source, target = world(seed, 1000)
        names = ["source", "mandoline", "cbiw_finetuned"]
        found = md.compare(*samples(source, target), CHATTY, estimators=names, methods=methods(folder, texts=["text"]))
        plain, weighted, tuned = (found.models["model"].entries[name] for name in names)
        assert abs(tuned.estimate - truth()) < abs(plain.estimate - truth()) / 3
        assert abs(tuned.estimate - weighted.estimate) < weighted.standard_error
        assert tuned.interval[0] < truth() < tuned.interval[1]
        assert tuned.direction == "down"
        assert tuned.standard_error == pytest.approx(weighted.standard_error, rel=0.2)


def test_it_is_the_method_on_scores_with_its_own_scores(folder: Path) -> None:
    """The same number and interval as if the probabilities had been in a column."""
    frames = world(4, 150)
    source, target = samples(*frames)
    settings = methods(folder, epochs=1)
    tuned = md.compare(source, target, [], estimators=["cbiw_finetuned"], methods=settings)
    keys = SAMPLE_CACHE.keys()
    (key,) = (key for key in keys if key[0]() is source and key[-1][0] == "cbiw_finetuned")
    learned = SAMPLE_CACHE.get(key)
    scored, _ = samples(frames[0].assign(new=learned[0]), frames[1])
    given = md.compare(scored, target, [], estimators=["cbiw_scores"], methods=md.MethodSettings(scores="new"))
    one = tuned.models["model"].entries["cbiw_finetuned"]
    other = given.models["model"].entries["cbiw_scores"]
    assert one.estimate == pytest.approx(other.estimate, rel=1e-12)
    assert one.interval == pytest.approx(other.interval, rel=1e-9)


def test_all_models_share_one_fit(folder: Path) -> None:
    """Models rank by the same weights, for the time of one."""
    source, target = world(5, 100)
    both = [md.Model("one", "pred"), md.Model("two", "other")]
    frames = [frame.assign(other=1) for frame in (source, target)]
    known = md.Sample(frames[0], label="label", models=both)
    after = md.Sample(frames[1].drop(columns="label"), models=both)
    said: list[str] = []
    found = md.compare(
        known,
        after,
        [],
        estimators=["cbiw_finetuned"],
        methods=methods(folder, epochs=1),
        progress=lambda what, _: said.append(what),
    )
    assert found.models["two"].entries["cbiw_finetuned"].estimate == pytest.approx(1)
    assert any("for one, fold" in what for what in said)
    assert not any("for two, fold" in what for what in said)


def test_rows_without_a_score_or_a_text_do_no_harm(folder: Path) -> None:
    """Unscored rows are not learned from; a missing text is an empty one."""
    source, target = world(6, 120)
    source.loc[:9, "label"] = None
    source["text"] = source["text"].where(np.arange(120) % 10 > 0, None)
    found = entry(folder, (source, target))
    assert found.available, found.reason
    few = entry(folder, (source, target), max_rows=50)
    (drawn,) = [one for one in few.findings if one.code == "rows_drawn"]
    assert drawn.numbers["target"] == 50
    assert drawn.numbers["source"] <= 50


def test_the_command_line_says_the_same(folder: Path, tmp_path: Path) -> None:
    """`compare` and `estimate`, with a folder relative to the project file; nothing on standard error."""
    ended = mandoline("compare", write_project(tmp_path, folder), "--json")
    assert ended.returncode == 0, ended.stderr
    said = json.loads(ended.stdout)["models"]["model"]["estimators"]["cbiw_finetuned"]
    here = md.compare(md.load_project(tmp_path / "project.toml"), estimators=["cbiw_finetuned"])
    expected = here.models["model"].entries["cbiw_finetuned"]
    assert said["available"] is True
    assert (said["estimate"], tuple(said["interval"])) == (expected.estimate, expected.interval)
    assert ended.stderr == ""  # progress is for terminals
    ended = mandoline("estimate", write_project(tmp_path, folder, "cbiw_finetuned"), "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["estimate"] == expected.estimate


def test_it_stops_in_the_middle_and_starts_anew(folder: Path) -> None:
    """At the step that asks; the next run is as if there had been none."""
    frames, settings = world(7, 100), md.EstimatorSettings(name="cbiw_finetuned")
    expected = entry(folder, frames)
    source, target = samples(*frames)
    fit = md.prepare(source, target, [], model=source.models[0], methods=methods(folder), need_slices=False)
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps == 10:
            raise Enough

    with pytest.raises(Enough):
        run_estimator(fit, "cbiw_finetuned", settings, step)
    assert steps == 10
    again = run_estimator(fit, "cbiw_finetuned", settings)
    assert again.estimate == expected.estimate


def test_progress_rises_and_may_stop(folder: Path) -> None:
    """Every batch of every fold is told, as a share of the whole comparison."""
    told: list[float] = []

    def tell(_what: str, share: float) -> None:
        told.append(share)
        if share > 0.6:
            raise Enough

    with pytest.raises(Enough):
        md.compare(*samples(*world(8, 80)), [], estimators=["cbiw_finetuned"], methods=methods(folder), progress=tell)
    assert told == sorted(told)
    n_batches = TUNING["epochs"] * -(-80 // TUNING["batch_size"])  # two samples, of which half is learned from
    assert len(told) > 2 * n_batches


def test_nothing_is_asked_of_the_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a connection nor a name."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("It asked the network.")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert entry(folder, world(9, 40), epochs=1).available


def test_pytorch_is_met_only_when_it_learns(folder: Path) -> None:
    """Importing the package, the methods and asking whether one applies leaves it where it is."""
    program = (
        "import sys, pandas as pd, mandoline_core as md;"
        "from mandoline_core.estimators import get_estimator;"
        "frame = pd.DataFrame({'text': ['a b c', 'd e f'] * 20, 'y': 1, 'p': 1});"
        "source = md.Sample(frame, label='y', prediction='p');"
        f"methods = md.MethodSettings(transformer={str(folder)!r}, texts=['text']);"
        "prepared = md.prepare(source, md.Sample(frame), [], model=source.models[0], methods=methods,"
        " need_slices=False);"
        "assert get_estimator('cbiw_finetuned').reason(prepared.problem) is None;"
        "assert not {'torch', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize(
    ("change", "settings", "said"),
    [
        ({"text": "a"}, {}, "No column contains text in both labelled and new data. Columns: chatty."),
        ({}, {"texts": ["chatty"]}, "Column 'chatty' contains numbers. Set texts in [methods] to text columns."),
        ({}, {"texts": ["txt"]}, "Column 'txt' is not in source.csv. Columns: text, chatty, label, pred. Did you mean"),
        ({}, {"folds": 30}, "Fine-tuning with 30 folds needs at least 60 labelled rows. Got 40."),
    ],
    ids=["no text", "numbers", "no column", "many folds"],
)
def test_what_cannot_be_read_is_a_sentence(
    folder: Path, change: dict[str, Any], settings: dict[str, Any], said: str
) -> None:
    """With what to do."""
    source, target = (frame.assign(**change) for frame in world(10, 40))
    found = entry(folder, (pd.DataFrame(source), pd.DataFrame(target)), **settings)
    assert not found.available
    assert found.reason.startswith(said)
    assert found.reason.endswith(".") or "Did you mean" in said
