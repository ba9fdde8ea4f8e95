"""Ratio fitting and kernel matching, against the packages densratio and adapt, on two shifted normal samples.

The packages are no dependency of ours: they live in an environment of their own, whose Python the variable
DENSITY_RATIO_PYTHON names (`make bench` sets it), or in the one that runs this. One that is missing is passed over.
Adapt takes minutes, and is compared with only when asked for: `python -m tests.benchmarks --others`.
Every side runs on one thread and is timed by the processor's clock.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from mandoline_core.estimators.kernel_matching import KernelMatcher, Matching
from mandoline_core.estimators.kernels import gaussian_kernel, median_width
from mandoline_core.estimators.ulsif import RIDGES, WIDTHS, RatioFit, fit_ratio
from tests.benchmarks.measuring import Bound, medians_in_turn

N_ROWS, N_FEATURES, SHIFT = 4_000, 10, 0.25
N_FRESH = 20_000
BOX = 1000.0
LEAST_SPEEDUP = 30.0
SCRIPT = Path(__file__).with_name("other_density_ratios.py")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
Arrays = dict[str, np.ndarray]


def run(*, others: bool = False) -> list[Bound]:
    """Measure, print what was measured, and return the bounds.

    Parameters
    ----------
    others : bool
        Compare with adapt, too.
    """
    given = _draw(np.random.default_rng(0))
    print(f"{N_ROWS:,} x {N_ROWS:,} rows, {N_FEATURES} features, two normal samples; seconds of one processor")
    with threadpool_limits(1), tempfile.TemporaryDirectory() as folder:
        return _fit(given, Path(folder)) + (_match(given, Path(folder)) if others else [])


def _draw(rng: np.random.Generator) -> Arrays:
    source, target, fresh = (rng.standard_normal((n, N_FEATURES)) for n in (N_ROWS, N_ROWS, N_FRESH))
    target += SHIFT
    ones = np.ones(N_ROWS)
    width = median_width(source, ones, target, ones, np.random.default_rng(0))
    return {
        "source": source,
        "target": target,
        "fresh": fresh,
        "widths": width * np.array(WIDTHS),
        "ridges": np.array(RIDGES),
        "gamma": np.array(0.5 / width**2),
        "box": np.array(BOX),
        "tolerance": np.array(1 - 1 / np.sqrt(N_ROWS)),
    }


def _fit(given: Arrays, folder: Path) -> list[Bound]:
    """Compare uLSIF: the time to choose among the same settings, and the error to the true ratio on fresh rows."""
    truth = np.exp(SHIFT * given["fresh"].sum(axis=1) - 0.5 * N_FEATURES * SHIFT**2)
    ((seconds, fit),) = medians_in_turn(lambda: _our_fit(given), rounds=3, clock=time.process_time)
    _print("ratio fitting", seconds, "mean squared error", _squared_error(fit, given, truth))
    theirs = _other("densratio", given, folder)
    if theirs is None:
        return []
    error = float(np.mean((theirs["fresh_ratios"] - truth) ** 2))
    _print(f"densratio {theirs['version']}", float(theirs["seconds"]), "mean squared error", error)
    # The draw of the centres moves the error more than the method does: compare at the same ones.
    same = _squared_error(_our_fit(given, theirs["centres"]), given, truth)
    print(f"  ratio fitting, at densratio's centres                    mean squared error {same:.6g}")
    return [
        Bound("densratio over ratio fitting, time", float(theirs["seconds"]) / seconds, at_least=LEAST_SPEEDUP),
        Bound("ratio fitting over densratio, squared error at the same centres", same / error, at_most=1.01),
    ]


def _our_fit(given: Arrays, centres: np.ndarray | None = None) -> RatioFit:
    ones = np.ones(N_ROWS)
    return fit_ratio(
        given["source"], ones, given["target"], ones, rng=np.random.default_rng(0), centres=centres
    )  # the default settings are those that the other is given


def _squared_error(fit: RatioFit, given: Arrays, truth: np.ndarray) -> float:
    return float(np.mean((gaussian_kernel(given["fresh"], fit.centres, fit.width) @ fit.alpha - truth) ** 2))


def _match(given: Arrays, folder: Path) -> list[Bound]:
    """Compare kernel mean matching: the time from rows to ratios, and the exact objective."""
    ((seconds, matching),) = medians_in_turn(lambda: _our_match(given), rounds=3, clock=time.process_time)
    ours = _objective(matching.ratios, given)
    _print("kernel matching", seconds, "objective", ours)
    print(f"  no ratios have an objective below {ours - matching.gap:.8g}")
    theirs = _other("adapt", given, folder)
    if theirs is None:
        return []
    bounds = []
    for name, words in (("batches", "in batches"), ("whole", "all at once")):
        objective, time_taken = _objective(theirs[f"{name}_ratios"], given), float(theirs[f"{name}_seconds"])
        _print(f"adapt {theirs['version']}, {words}", time_taken, "objective", objective)
        worse = (ours - objective) / abs(objective)
        bounds += [
            Bound(f"adapt {words} over kernel matching, time", time_taken / seconds, at_least=3.0),
            Bound(f"kernel matching over adapt {words}, objective, relative excess", worse, at_most=1e-6),
        ]
    return bounds


def _our_match(given: Arrays) -> Matching:
    ones = np.ones(N_ROWS)
    width = float(np.sqrt(0.5 / given["gamma"]))
    matcher = KernelMatcher(given["source"], given["target"], width=width)
    return matcher.solve(ones, ones, box=BOX, tolerance=float(given["tolerance"]))


def _objective(ratios: np.ndarray, given: Arrays) -> float:
    width = float(np.sqrt(0.5 / given["gamma"]))
    kernel, cross = (gaussian_kernel(given["source"], given[side], width) for side in ("source", "target"))
    return float(0.5 * ratios @ kernel @ ratios - ratios @ cross.mean(axis=1) * N_ROWS)


def _other(package: str, given: Arrays, folder: Path) -> Arrays | None:
    """Run another package on the same samples; None, with a line that says why, when that cannot be done."""
    python = os.environ.get("DENSITY_RATIO_PYTHON", sys.executable)
    np.savez(folder / "given.npz", **given)
    command = [python, str(SCRIPT), package, str(folder / "given.npz"), str(folder / "found.npz")]
    try:
        done = subprocess.run(command, env=os.environ | ONE_THREAD, capture_output=True, text=True, check=False)
    except OSError as error:
        done = subprocess.CompletedProcess(command, 1, "", str(error))
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it stopped without a word"])[-1]
        print(f"  {package} is not compared with: {reason}")
        return None
    return dict(np.load(folder / "found.npz"))


def _print(what: str, seconds: float, measure: str, value: float) -> None:
    print(f"  {what:<32} {seconds:9.3f} s             {measure} {value:.8g}")


if __name__ == "__main__":
    for bound in run():
        print(bound)
