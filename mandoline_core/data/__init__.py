"""Samples: a table from a file or an engine goes in; a frame with roles, classes and a fingerprint comes out.

Whatever is wrong with a file or a column is said here, in one sentence.
"""

from __future__ import annotations

from mandoline_core.data.cache import SAMPLE_CACHE, Cache, TemporaryFolder, memory_budget, n_bytes
from mandoline_core.data.classes import arrow_array, class_codes, class_name, find_classes, matching_values
from mandoline_core.data.engines import (
    ENGINES,
    Engine,
    Reduce,
    Table,
    add_up_tables,
    add_up_within,
    check_cells,
    choose_engine,
    open_data,
    read_table,
    share_kept,
)
from mandoline_core.data.files import PARQUET, Files, find_files, fits_in_memory, is_pattern, write_batches
from mandoline_core.data.frames import to_pandas
from mandoline_core.data.profile import few_classes, profile_column, text_kind
from mandoline_core.data.progress import cancelled_by, current_progress, progress_to, take_step
from mandoline_core.data.sample import FrozenMapping, Model, Predictions, Sample, kind_of, predict_columns
