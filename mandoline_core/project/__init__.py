"""The project: a file, a zip or settings go in; a checked, frozen project comes out, and goes back to a file.

It knows data, models, slices and settings by name, and reads no rows until asked.
"""

from __future__ import annotations

from mandoline_core.project.file import (
    PLACES,
    ProjectFile,
    dump_parts,
    dump_project,
    parse_project,
    rule_table,
)
from mandoline_core.project.hits import Hits, count_hits, project_hits, read_record, track_memory
from mandoline_core.project.project import Project
from mandoline_core.project.roles import RoleGuess, are_numbers, choose_models, guess_roles, score_model
from mandoline_core.project.settings import (
    EDGE_CHOICES,
    GRAPHICAL_LASSO,
    INVERSE_COVARIANCE,
    TESTS,
    DecisionSettings,
    EstimatorSettings,
    MethodSettings,
    MetricSettings,
    TrustSettings,
    fewest_replicates,
    read_edge_choice,
)
from mandoline_core.project.start import start_project
from mandoline_core.project.storage import (
    base_name,
    data_files,
    load_project,
    load_unpacked,
    name_files,
    pack_project,
    place_files,
    public_text,
    save_project,
    unpack_project,
    without_engines,
)
from mandoline_core.project.validation import Name
from mandoline_core.project.validation import settings as validated
