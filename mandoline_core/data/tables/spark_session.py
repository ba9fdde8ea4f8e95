"""Reaching Spark: a master that is named, or Spark on this machine."""

from __future__ import annotations

import os
import socket
import sys
import warnings
from typing import TYPE_CHECKING

from mandoline_core.data.tables.table import first_line, missing_engine
from mandoline_core.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TOGETHER = 100_000  # rows that a worker looks at together
_PATIENCE = 10.0  # seconds, until a master that does not answer is none


def connect(master: str | None) -> SparkSession:
    """Reach a cluster, or start Spark here where none is named."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise missing_engine("spark", "pyspark") from None
    master = master or "local[*]"
    running = SparkSession.getActiveSession()
    if running is not None and running.sparkContext.master != master:
        raise DataError(
            f"Spark runs at {running.sparkContext.master} in this program already, and a program has one. "
            f"Got {master}. Use one master, or hand a session in."
        )
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    _check_reachable(master)
    # No row goes through pandas there.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    builder = SparkSession.builder.appName("mandoline").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", str(TOGETHER))
    try:
        return builder.master(master).getOrCreate()
    except Exception as error:  # noqa: BLE001 - whatever the gateway to Java raises
        raise _unreachable(master, first_line(error)) from None


def _check_reachable(master: str) -> None:
    """Refuse a master where nobody listens: Spark itself would try for a minute."""
    scheme, _, rest = master.partition("://")
    if scheme != "spark":
        return
    reason = "the address is not like spark://host:7077"
    for place in rest.split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdigit():
            continue
        try:
            with socket.create_connection((host, int(port)), timeout=_PATIENCE):
                return
        except OSError as error:
            reason = error.strerror or str(error)
    raise _unreachable(master, reason)


def _unreachable(master: str, reason: str) -> DataError:
    return DataError(
        f"Spark could not be reached at {master}: {reason}. It needs Java 17 or newer and a running master."
    )
