"""Reproducing: the name of one of the paper's experiments goes in; our numbers, with the paper's beside them, come out.

An experiment is a file in `experiments/` and a line in `registry.py`. What a full run found is kept in `results/`.
"""

from __future__ import annotations

from mandoline_core.reproducing.drawing import draw, figures_page
from mandoline_core.reproducing.experiment import (
    ERROR,
    MEASURE,
    METHOD,
    VALUE,
    Experiment,
    Figure,
    Plan,
    Row,
    over_seeds,
    relative_error,
)
from mandoline_core.reproducing.registry import EXPERIMENTS, get_experiment
from mandoline_core.reproducing.reproduction import Reproduction
from mandoline_core.reproducing.running import open_project, reproduce
from mandoline_core.reproducing.stored import stored
from mandoline_core.reproducing.text import beside_ours, fields, made_words, paper_alone, shown
