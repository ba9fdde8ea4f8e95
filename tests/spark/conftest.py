"""One cluster for all tests, and one session on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from mandoline_core.data.engines.spark import Spark
from tests.spark.cluster import Cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable


def pytest_configure(config: pytest.Config) -> None:
    """Let PySpark warn of a pandas newer than it was tested with: no row goes through pandas there."""
    config.addinivalue_line("filterwarnings", "ignore:PySpark does not yet fully support pandas:FutureWarning")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a master and two workers, and end them after."""
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    found.start(2)
    yield found
    found.stop()


@pytest.fixture(scope="session")
def session(cluster: Cluster) -> Iterator[SparkSession]:
    """Reach the cluster as a project does."""
    found = Spark().connect(cluster.master)
    yield found
    found.stop()
