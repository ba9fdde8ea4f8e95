"""The experiments by name: to add one, write a file in `experiments/` and a line here."""

from __future__ import annotations

from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.paper.experiment import Experiment
from mandoline_core.paper.experiments import (
    blurry,
    high_dimension,
    identity_groups,
    independent_slices,
    nli_shift,
    noisy_slices,
    overlap_ablation,
    runtime,
    sentiment,
    support_shift,
    theorem,
)

_ALL = (
    support_shift.EXPERIMENT,
    noisy_slices.EXPERIMENT,
    high_dimension.EXPERIMENT,
    independent_slices.EXPERIMENT,
    blurry.EXPERIMENT,
    identity_groups.EXPERIMENT,
    overlap_ablation.EXPERIMENT,
    nli_shift.EXPERIMENT,
    sentiment.EXPERIMENT,
    theorem.EXPERIMENT,
    runtime.EXPERIMENT,
)
EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in _ALL}


def get_experiment(name: str) -> Experiment:
    """Find an experiment by its name.

    Examples
    --------
    >>> get_experiment("support-shift").place
    'Figure 2, left'
    """
    if name not in EXPERIMENTS:
        raise MandolineError(
            f"Unknown experiment {name!r}. Experiments: {listed(EXPERIMENTS)}.{did_you_mean(name, EXPERIMENTS)}"
        )
    return EXPERIMENTS[name]
