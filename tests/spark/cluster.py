"""A cluster of Spark's own: a master and workers as processes on this machine, started and ended one by one."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

_HOME = Path(pyspark.__file__).parent
_HOST = "127.0.0.1"
_PATIENCE = 60.0


def free_port() -> int:
    """Ask for a port that nobody uses."""
    with socket.socket() as asked:
        asked.bind((_HOST, 0))
        return int(asked.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex((_HOST, port)) == 0


@dataclass
class Cluster:
    """Hold the processes."""

    folder: Path
    port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def master(self) -> str:
        """Where the master listens."""
        return f"spark://{_HOST}:{self.port}"

    def start(self, n_workers: int) -> None:
        """Start the master, wait until it listens, and start the workers."""
        web = ["--host", _HOST, "--port", str(self.port), "--webui-port", str(free_port())]
        self._run("master", "org.apache.spark.deploy.master.Master", *web)
        until = time.monotonic() + _PATIENCE
        while not _listens(self.port):
            assert time.monotonic() < until, "The master does not listen."
            time.sleep(0.1)
        for number in range(n_workers):
            self.start_worker(f"worker{number}")

    def start_worker(self, name: str) -> None:
        """Start a worker with one core."""
        web = ["--host", _HOST, "--cores", "1", "--memory", "1500m", "--webui-port", str(free_port())]
        web += ["--work-dir", str(self.folder / name)]
        self._run(name, "org.apache.spark.deploy.worker.Worker", *web, self.master)

    def kill(self, name: str) -> None:
        """End a process and whatever it started, at once."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """End everything that was started."""
        for name in list(self.processes):
            self.kill(name)

    def _run(self, name: str, what: str, *arguments: str) -> None:
        environment = {
            **os.environ,
            "SPARK_HOME": str(_HOME),
            "SPARK_LOCAL_IP": _HOST,
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "PYSPARK_PYTHON": sys.executable,
        }
        command = [str(_HOME / "bin" / "spark-class"), what, *arguments]
        with (self.folder / f"{name}.log").open("wb") as log:
            # A group of its own: what a worker starts ends with it.
            self.processes[name] = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )
