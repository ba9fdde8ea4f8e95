"""Samples: a table from a file or an engine goes in; a frame with roles, classes and a fingerprint comes out.

Whatever is wrong with a file or a column is said here, in one sentence.
"""

from __future__ import annotations

from mandoline_core.data.cache import SAMPLE_CACHE, Cache, TemporaryFolder, memory_budget, n_bytes
from mandoline_core.data.classes import arrow_array, class_codes, class_name, find_classes, matching_values
from mandoline_core.data.doors import frame_of
from mandoline_core.data.predicting import Predictions, predict_columns
from mandoline_core.data.profile import few_classes, profile_column, text_kind
from mandoline_core.data.reading import read_table
from mandoline_core.data.row_keys import RowKeys
from mandoline_core.data.sample import FrozenMapping, Model, Sample, kind_of
from mandoline_core.data.stopping import asking, current_progress, take_step, telling
from mandoline_core.data.tables.files import PARQUET, Files, find_files, is_pattern
from mandoline_core.data.tables.opening import ENGINES, PACKED, columns_of, fits_in_memory, open_data
from mandoline_core.data.tables.table import Reduce, Table, add_up_tables
from mandoline_core.data.tables.thinning import add_up_within, check_cells, share_kept
from mandoline_core.data.tables.writing import write_batches
