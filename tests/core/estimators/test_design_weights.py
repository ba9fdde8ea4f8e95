"""Design weights: a row of weight 3 counts like three equal rows, and the interval knows that it is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mandoline_core as md
from mandoline_core.comparison.backtests.pseudo_targets import pseudo_targets
from mandoline_core.data import open_data
from mandoline_core.estimators import ESTIMATORS, get_estimator
from mandoline_core.pipeline import prepare

SLICES = [md.Flag("night", column="night"), md.Threshold("far", column="km", above=0.5)]
MODEL = md.Model("m", "p", {"yes": "p_yes", "no": "p_no"})


def rides(seed: int, n: int, share: float) -> pd.DataFrame:
    """Draw rides, whose model errs more often at night and far away; `w` counts some of them up to four times."""
    rng = np.random.default_rng(seed)
    night, km = rng.random(n) < share, rng.random(n) + share / 4
    y = rng.choice(["yes", "no"], n)
    wrong = rng.random(n) < 0.1 + 0.25 * night + 0.1 * (km > 0.5)
    p = np.where(wrong, np.where(y == "yes", "no", "yes"), y)
    sure = rng.uniform(0.55, 0.99, n).round(2)
    p_yes = np.where(p == "yes", sure, 1 - sure)
    frame = pd.DataFrame({"night": night.astype(int), "km": km, "y": y, "p": p, "p_yes": p_yes, "p_no": 1 - p_yes})
    return frame.assign(w=rng.integers(1, 5, n), car=rng.choice(["a", "b"], n), wet=rng.random(n) < km / 2)


SOURCE, TARGET = rides(0, 600, 0.3), rides(1, 400, 0.6)


def samples(source: Any, target: Any, weight: str | None = "w", **roles: Any) -> tuple[md.Sample, md.Sample]:
    """Give both samples their roles."""
    shared = {"models": [MODEL], "weight": weight, **roles}
    return md.Sample(source, label="y", **shared), md.Sample(target, **shared)


def report_on(
    source: Any, target: Any, weight: str | None = "w", group: str | None = None, **options: Any
) -> md.Report:
    """Estimate with weights in both samples."""
    return md.estimate(*samples(source, target, weight, group=group), SLICES, **options)


def repeated(frame: pd.DataFrame) -> pd.DataFrame:
    """Write every row as often as it counts."""
    return frame.loc[frame.index.repeat(frame["w"])].reset_index(drop=True).drop(columns="w")


def numbers_of(report: md.Report) -> dict[str, Any]:
    """Take every number that does not depend on how many rows there are."""
    model = report.first
    slices = [(row.source, row.target, row.shift, row.inside.score, row.outside.score) for row in report.slices()]
    lines = {line.column: (line.source, line.weighted, line.target) for line in model.evidence.columns or ()}
    drift = [(one.source, one.weighted, one.target) for one in model.evidence.drift.predicted]
    return {
        "estimate": (report.estimate, report.source, model.largest_ratio, model.set_aside),
        "slices": np.array(slices),
        "delta": list(report.delta.values()),
        "columns": np.array(lines["car"] + lines["wet"]),
        "drift": np.array(drift),
        "ablation": [point.estimate for point in report.ablation().cumulative],
        "attribution": [part.value for part in report.attribution().parts],
        "groups": [one.estimate for _, one in sorted(report.by("car").reports.items())],
        "truth": report.truth,
    }


@pytest.mark.parametrize("options", [{}, {"metric": "f1", "edges": [("night", "far")]}])
def test_a_row_of_weight_3_counts_like_three_rows(options: dict[str, Any]) -> None:
    given = {**options, "reveal": True}
    labelled, _ = samples(SOURCE, TARGET)
    weighted = md.estimate(labelled, md.Sample(TARGET, label="y", models=[MODEL], weight="w"), SLICES, **given)
    copies, _ = samples(repeated(SOURCE), repeated(TARGET), None)
    plain = md.estimate(copies, md.Sample(repeated(TARGET), label="y", models=[MODEL]), SLICES, **given)
    assert (weighted.first.n_source, weighted.first.n_target) == (len(SOURCE), len(TARGET))
    found = numbers_of(weighted)
    for name, value in numbers_of(plain).items():
        assert np.asarray(found[name], float) == pytest.approx(np.asarray(value, float), abs=1e-9), name
    # Copies pretend to be independent; the weighted rows are as many as there are.
    assert np.diff(weighted.interval)[0] > 1.3 * np.diff(plain.interval)[0]


@pytest.mark.parametrize("metric", ["accuracy", "recall", "auroc", "log_loss"])
def test_metrics_take_weights_like_copies(metric: str) -> None:
    weighted = report_on(SOURCE, TARGET, metric=metric)
    plain = report_on(repeated(SOURCE), repeated(TARGET), None, metric=metric)
    assert weighted.estimate == pytest.approx(plain.estimate, abs=1e-9)
    assert weighted.source == pytest.approx(plain.source, abs=1e-9)


def test_confidence_methods_take_weights_like_copies() -> None:
    for name in ("average_confidence", "doc", "atc"):
        weighted = report_on(SOURCE, TARGET, estimator=name).estimate
        assert weighted == pytest.approx(report_on(repeated(SOURCE), repeated(TARGET), None, estimator=name).estimate)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"split": "crossfit"},
        {"metric": "auroc"},
        {"metric": "log_loss", "interval": "influence"},
        {"estimator": "doubly_robust"},
        {"estimator": "pape"},
        {"estimator": "atc"},
    ],
)
def test_equal_weights_change_nothing(options: dict[str, Any]) -> None:
    plain = report_on(SOURCE.drop(columns="w"), TARGET.drop(columns="w"), None, **options)
    weighted = report_on(SOURCE.assign(w=0.3), TARGET.assign(w=7), **options)
    before, after = plain.first, weighted.first
    assert [after.estimate, *after.interval, after.source, *after.source_interval] == pytest.approx(
        [before.estimate, *before.interval, before.source, *before.source_interval], abs=1e-9
    )
    assert after.prediction_interval == pytest.approx(before.prediction_interval, abs=1e-9)
    assert after.effective_sample_size == pytest.approx(before.effective_sample_size, rel=1e-9)
    assert weighted.verdict.level == plain.verdict.level


def test_only_ratios_of_weights_matter() -> None:
    scaled = report_on(SOURCE.assign(w=SOURCE["w"] * 1e6), TARGET.assign(w=TARGET["w"] / 1e6))
    found = report_on(SOURCE, TARGET)
    assert [scaled.estimate, *scaled.interval] == pytest.approx([found.estimate, *found.interval], abs=1e-12)


def test_a_row_of_weight_0_is_as_if_it_were_not_there() -> None:
    source, target = (frame.assign(w=np.where(np.arange(len(frame)) % 5, frame["w"], 0)) for frame in (SOURCE, TARGET))
    found = report_on(source, target)
    without = report_on(source[source["w"] > 0], target[target["w"] > 0])
    assert [found.estimate, *found.interval] == pytest.approx([without.estimate, *without.interval], abs=1e-12)
    assert found.first.prediction_interval == pytest.approx(without.first.prediction_interval, abs=1e-12)
    assert (found.first.n_source, found.first.n_patterns) == (without.first.n_source, without.first.n_patterns)
    assert not found.weights[source["w"].to_numpy() == 0].any()


def hajek(source: pd.DataFrame, target: pd.DataFrame) -> tuple[float, float]:
    """Post-stratify by hand on four strata, with the linearised variance of a weighted mean of ratios."""
    strata = [frame["night"].to_numpy() * 2 + (frame["km"] > 0.5).to_numpy() for frame in (source, target)]
    right = (source["y"] == source["p"]).to_numpy(float)
    w, v = source["w"].to_numpy(float), target["w"].to_numpy(float)
    shares = np.array([v[strata[1] == k].sum() for k in range(4)]) / v.sum()
    means = np.array([np.average(right[strata[0] == k], weights=w[strata[0] == k]) for k in range(4)])
    totals = np.array([w[strata[0] == k].sum() for k in range(4)])
    estimate = float(shares @ means)
    of_source = shares[strata[0]] * w / totals[strata[0]] * (right - means[strata[0]])
    of_target = v / v.sum() * (means[strata[1]] - estimate)
    return estimate, float(np.sqrt(of_source @ of_source + of_target @ of_target))


def test_estimate_and_standard_error_are_those_of_a_hajek_estimator_by_hand() -> None:
    estimate, error = hajek(SOURCE, TARGET)
    for method, options in (("simple", {}), ("mandoline", {"edges": [("night", "far")]})):
        found = report_on(SOURCE, TARGET, estimator=method, **options)
        assert found.estimate == pytest.approx(estimate, abs=1e-9)
        assert found.first.standard_error == pytest.approx(error, rel=1e-9)


def test_weights_of_the_report_give_the_estimate() -> None:
    report = report_on(SOURCE, TARGET)
    right = (SOURCE["y"] == SOURCE["p"]).to_numpy(float)
    assert report.weights.sum() == pytest.approx(1)
    assert report.weights @ right == pytest.approx(report.estimate, abs=1e-12)
    assert report.first.effective_sample_size == pytest.approx(1 / (report.weights @ report.weights))


@pytest.mark.parametrize("group", [None, "user"])
@pytest.mark.parametrize("split", ["none", "crossfit"])
def test_the_bootstrap_redraws_rows_with_their_weights(group: str | None, split: Any) -> None:
    source, target = (frame.assign(user=np.arange(len(frame)) // 2) for frame in (SOURCE, TARGET))
    drawn = report_on(source, target, group=group, split=split, interval="bootstrap", replicates=300)
    low, high = report_on(source, target, group=group, split=split).interval
    assert np.diff(drawn.interval)[0] == pytest.approx(high - low, rel=0.2)


@pytest.mark.parametrize("metric", ["accuracy", "recall", "log_loss"])
@pytest.mark.parametrize("group", [None, "user"])
def test_all_engines_give_the_same_numbers(tmp_path: Path, metric: str, group: str | None) -> None:
    frames = [frame.assign(user=np.arange(len(frame)) // 2) for frame in (SOURCE, TARGET)]
    frames[0].loc[:9, "w"] = 0
    paths = [tmp_path / name for name in ("source.parquet", "target.parquet")]
    for frame, path in zip(frames, paths, strict=True):
        frame.to_parquet(path)
    expected = report_on(*frames, group=group, metric=metric).first
    polars = report_on(*map(pl.read_parquet, paths), group=group, metric=metric).first
    assert polars.interval == pytest.approx(expected.interval, abs=1e-12)
    for engine in ("polars", "duckdb"):
        found = report_on(*(open_data(path, engine=engine) for path in paths), group=group, metric=metric).first
        assert found.fit.in_table
        assert (found.n_source, found.n_target) == (expected.n_source, expected.n_target)
        assert [found.estimate, found.source] == pytest.approx([expected.estimate, expected.source], abs=1e-12)
        assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-9)
        assert found.interval == pytest.approx(expected.interval, abs=1e-9)
        assert found.effective_sample_size == pytest.approx(expected.effective_sample_size, rel=1e-9)


def test_rows_that_are_looked_at_batch_by_batch_are_weighed_too(tmp_path: Path) -> None:
    @md.slicing_function(name="far")
    def far(frame: pd.DataFrame) -> pd.Series:
        return frame["km"] > 0.5

    paths = [tmp_path / name for name in ("source.parquet", "target.parquet")]
    for frame, path in zip((SOURCE, TARGET), paths, strict=True):
        frame.to_parquet(path)
    expected = md.estimate(*samples(SOURCE, TARGET), [far]).first
    found = md.estimate(*samples(*(open_data(path, engine="polars") for path in paths)), [far]).first
    assert found.fit.in_table
    assert [found.estimate, *found.interval] == pytest.approx([expected.estimate, *expected.interval], abs=1e-12)


def test_weights_of_rows_that_stay_in_a_table_are_those_in_memory(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("source.parquet", "target.parquet")]
    for frame, path in zip((SOURCE, TARGET), paths, strict=True):
        frame.to_parquet(path)
    md.write_weights(report_on(*(open_data(path, engine="polars") for path in paths)), tmp_path / "w.parquet")
    written = pd.read_parquet(tmp_path / "w.parquet")["m"].to_numpy()
    assert written == pytest.approx(report_on(SOURCE, TARGET).weights, abs=1e-12)


def test_labels_of_some_rows_count_by_weight() -> None:
    labels = np.where(np.arange(len(TARGET)) % 4 == 0, TARGET["y"], None)
    found = report_on(SOURCE, TARGET).use_labels(labels)
    some = TARGET[np.arange(len(TARGET)) % 4 == 0]
    expected = np.average(some["y"] == some["p"], weights=some["w"])
    assert found.labels_only.value == pytest.approx(expected)
    low, high = found.labels_only.interval
    assert low < expected < high


def test_methods_that_look_at_rows_take_weights_or_say_that_they_do_not() -> None:
    labelled, new = samples(SOURCE, TARGET)
    problem = prepare(labelled, new, SLICES, model=MODEL).problem
    for name in ("kmm_slices", "kmm_features", "ulsif_features", "cbiw_features", "bbse", "cot"):
        assert "does not support design weights" in str(get_estimator(name).why_not(problem))
    able = {name for name, method in ESTIMATORS.items() if method.why_not(problem) is None}
    assert {"source", "simple", "mandoline", "denoised", "doubly_robust", "cbpe", "pape", "doc", "atc"} <= able


def test_a_backtest_draws_rows_with_their_weights() -> None:
    labelled, new = samples(SOURCE, TARGET)
    made, _ = pseudo_targets(prepare(labelled, new, SLICES, model=MODEL), kinds=["slices"])
    assert made["slices"][0].truth == pytest.approx(report_on(SOURCE, TARGET).estimate, abs=1e-9)
    tested = md.backtest(labelled, new, SLICES, draws=20, estimators=["source", "mandoline"]).models["m"]
    assert (
        tested.kinds["slices"]["mandoline"].mean_absolute_error < tested.kinds["slices"]["source"].mean_absolute_error
    )


def test_what_weights_cost_is_said() -> None:
    found = next(one for one in report_on(SOURCE, TARGET).first.findings if one.code == "rows_weighted")
    w = SOURCE["w"].to_numpy(float)
    assert found.numbers["labelled"] == pytest.approx(w.sum() ** 2 / (w @ w))
    assert found.message.startswith("Design weights count 600 labelled rows by 'w' (worth ")
