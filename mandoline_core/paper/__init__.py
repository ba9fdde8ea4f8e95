"""The paper's experiments: the name of one goes in; our numbers, next to the paper's, come out.

An experiment is a file in `experiments/` and a line in `registry.py`. The results of full runs are in `results/`.
"""

from __future__ import annotations

from mandoline_core.paper.experiment import (
    ERROR,
    MEASURE,
    METHOD,
    VALUE,
    Experiment,
    FigureSpec,
    Plan,
    Row,
    over_seeds,
    relative_error,
)
from mandoline_core.paper.output import beside_ours, draw, fields, figures_page, made_words, paper_alone, shown
from mandoline_core.paper.registry import EXPERIMENTS, get_experiment
from mandoline_core.paper.reproduction import Reproduction, open_project, reproduce, stored
