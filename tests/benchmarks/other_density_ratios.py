"""What other packages make of the same two samples; run on its own, by a Python that has them and NumPy.

Usage: python other_density_ratios.py PACKAGE INPUT.npz OUTPUT.npz
"""

from __future__ import annotations

import sys
import time
from importlib.metadata import version

import numpy as np


def densratio(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Fit uLSIF over the same widths and ridges; 100 of the target's points are its centres too."""
    from densratio import densratio as fit

    np.random.seed(0)  # noqa: NPY002  (it draws its centres from here)
    start = time.process_time()
    found = fit(
        given["target"],
        given["source"],
        sigma_range=given["widths"].tolist(),
        lambda_range=given["ridges"].tolist(),
        kernel_num=100,
        verbose=False,
    )
    seconds = time.process_time() - start
    ratios = np.asarray(found.compute_density_ratio(given["fresh"])).ravel()
    centres = np.asarray(found.kernel_info.centers)
    return {"seconds": np.array(seconds), "fresh_ratios": ratios, "centres": centres}


def adapt(given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Match kernel means with the same width, box and tolerance: in its batches of 1,000 rows, and all at once."""
    from adapt.instance_based import KMM

    found = {}
    for name, size in (("batches", 1000), ("whole", len(given["source"]))):
        matcher = KMM(
            kernel="rbf", gamma=float(given["gamma"]), B=float(given["box"]), eps=float(given["tolerance"]),
            max_size=size, verbose=0, random_state=0,
        )  # fmt: skip
        start = time.process_time()
        found[f"{name}_ratios"] = matcher.fit_weights(given["source"], given["target"])
        found[f"{name}_seconds"] = np.array(time.process_time() - start)
    return found


if __name__ == "__main__":
    package, source, destination = sys.argv[1:]
    answer = {"densratio": densratio, "adapt": adapt}[package](dict(np.load(source)))
    np.savez(destination, version=np.array(version(package)), **answer)
