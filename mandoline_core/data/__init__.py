"""Samples: a table from a file or an engine goes in; a frame with roles, classes and a fingerprint comes out.

Problems with a file or a column are reported here, in one clear message.
"""

from __future__ import annotations

from mandoline_core.data.arrays import add_columns, as_frame
from mandoline_core.data.cache import SAMPLE_CACHE, Cache, TemporaryFolder, memory_budget, n_bytes
from mandoline_core.data.classes import arrow_array, class_codes, class_name, find_classes, kind_of, matching_values
from mandoline_core.data.column_types import (
    PLURALS,
    TYPES,
    ColumnType,
    Reading,
    check_types,
    declare_type,
    guess_types,
    guess_types_of,
    quoted_examples,
)
from mandoline_core.data.dates import from_milliseconds, is_date, milliseconds, moment, read_date
from mandoline_core.data.derived import complete_models, take_derived
from mandoline_core.data.engines import (
    ENGINES,
    SQUARE_SUM,
    WEIGHT_SUM,
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
from mandoline_core.data.files import PARQUET, Files, find_files, is_pattern, write_batches
from mandoline_core.data.frames import PANDAS_READS_RE2, to_pandas
from mandoline_core.data.joining import (
    CHECKSUM,
    PLAN_COLUMNS,
    ROW,
    WEIGHT,
    Match,
    key_column,
    label_columns,
    match_labels,
    prediction_checksums,
    read_plan,
)
from mandoline_core.data.matching import rows_by_key, with_labels
from mandoline_core.data.models import FrozenMapping, Model
from mandoline_core.data.predictions import Predictions, predict_columns
from mandoline_core.data.profile import few_classes, profile_column, text_kind
from mandoline_core.data.progress import cancelled_by, current_progress, progress_to, take_step
from mandoline_core.data.sample import Sample, number_groups
