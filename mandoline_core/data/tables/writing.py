"""Writing Parquet batch by batch: the whole file, or none of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mandoline_core.data.stopping import take_step
from mandoline_core.errors import DataError


def write_batches(path: Path, batches: Iterable[pa.Table]) -> None:
    """Write tables of one schema one after the other; a file that cannot be finished is not left behind.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "weights.parquet"
    >>> write_batches(path, [pa.table({"a": [1]}), pa.table({"a": [2]})])
    >>> pq.read_table(path)["a"].to_pylist(), [other.name for other in path.parent.iterdir()]
    ([1, 2], ['weights.parquet'])
    """
    draft = path.with_name(f".{path.name}.part")
    writer: pq.ParquetWriter | None = None
    try:
        try:
            for batch in batches:
                take_step()
                if writer is None:
                    writer = pq.ParquetWriter(draft, batch.schema)
                writer.write_table(batch)
        finally:
            if writer is not None:
                writer.close()
        if writer is not None:
            draft.replace(path)
    except OSError as error:
        raise DataError(
            f"{path} could not be written: {error.strerror or error}. Choose another place, or make room."
        ) from None
    finally:
        draft.unlink(missing_ok=True)
