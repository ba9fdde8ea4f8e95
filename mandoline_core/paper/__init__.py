"""Reproducing: the name of one of the paper's experiments goes in; our numbers, with the paper's beside them, come out.

An experiment is a file in `experiments/` and a line in `registry.py`. What a full run found is kept in `results/`.
"""

from __future__ import annotations

from mandoline_core.paper.drawing import draw, figures_page
from mandoline_core.paper.experiment import (
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
from mandoline_core.paper.registry import EXPERIMENTS, get_experiment
from mandoline_core.paper.reproduction import Reproduction
from mandoline_core.paper.running import open_project, reproduce
from mandoline_core.paper.stored import stored
from mandoline_core.paper.text import beside_ours, fields, made_words, paper_alone, shown
