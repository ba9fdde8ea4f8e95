"""Samples: a table from a file or an engine goes in; a frame with roles, classes and a fingerprint comes out.

Whatever is wrong with a file or a column is said here, in one sentence.
"""

from __future__ import annotations

from mandoline_core.samples.classes import arrow_array, class_codes, class_name, find_classes, matching_values
from mandoline_core.samples.doors import frame_of
from mandoline_core.samples.memory import Memory
from mandoline_core.samples.predicting import Predictions, predict_columns
from mandoline_core.samples.profile import few_classes, profile_column, text_kind
from mandoline_core.samples.reading import read_table
from mandoline_core.samples.row_keys import RowKeys
from mandoline_core.samples.sample import FrozenMapping, Model, Sample, kind_of
from mandoline_core.samples.stopping import asking, take_step, telling
from mandoline_core.samples.tables.opening import ENGINES, columns_of, open_data
from mandoline_core.samples.tables.table import Reduce, Table, add_up_tables
from mandoline_core.samples.tables.thinning import add_up_within, check_cells, share_kept
from mandoline_core.samples.tables.writing import write_batches
