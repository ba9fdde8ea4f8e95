"""A server of the app in a process of its own, on a free port, with a data folder of its own."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from urllib.error import URLError

from app.project.state import _document
from app.project.store import Store
from mandoline_core import load_project

ROOT = Path(__file__).resolve().parents[2]
STARTS_WITHIN = 120.0  # seconds; machines that run tests are slow and shared
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Server:
    """Run a Streamlit script, the app unless told otherwise, for as long as the `with` block lasts.

    Parameters
    ----------
    folder : Path
        Where saved projects and the server's log go.
    project : Path, optional
        The project that new visitors start on; the reviews sample when left out.
    script : Path, optional
    options : dict of str, optional
        Further options of Streamlit, by name.
    arguments : sequence of str, optional
        Start the app with `mandoline app` and these.
    port : int, optional
    """

    def __init__(
        self,
        folder: Path,
        project: Path | None = None,
        script: Path | None = None,
        options: dict[str, str] | None = None,
        arguments: Sequence[str] | None = None,
        port: int | None = None,
    ) -> None:
        self.folder = folder
        self.port = port or free_port()
        self.log = folder / f"server-{self.port}.log"
        self._project = project
        self._script = script or ROOT / "app" / "server.py"
        self._options = options or {}
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the app is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def megabytes(self) -> float:
        """Memory that the server holds."""
        assert self._process is not None
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = {
            "server.headless": "true",
            "server.address": "127.0.0.1",
            "server.port": str(self.port),
            "server.fileWatcherType": "none",
            "browser.gatherUsageStats": "false",
            **self._options,
        }
        command = [sys.executable, "-m", "streamlit", "run", str(self._script)]
        command += [part for name, value in options.items() for part in (f"--{name}", value)]
        if self._project is not None:
            command += ["--", str(self._project)]
        if self._arguments is not None:
            command = [sys.executable, "-m", "mandoline_core.cli", "app", "--port", str(self.port), *self._arguments]
        environment = {
            **os.environ,
            "STREAMLIT_SERVER_HEADLESS": "true",
            "MANDOLINE_DATA_DIR": str(self.folder / "data"),
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",  # what went wrong is in the log at once
        }
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        deadline = time.monotonic() + STARTS_WITHIN
        while not self._answers():
            said = self.log.read_text(encoding="utf-8", errors="replace")
            assert self._process.poll() is None, f"The server ended:\n{said}"
            assert time.monotonic() < deadline, f"The server did not answer within {STARTS_WITHIN:.0f} s:\n{said}"
            time.sleep(0.1)

    def link_to(self, project: Path, page: str = "") -> str:
        """Save a project file beside the others, and return the link to it, on one of the pages."""
        document = _document(load_project(project))
        return f"{self.url}/{page}?project={Store(self.folder / 'data').create(document)}"

    def kill(self) -> None:
        """End the server without a chance to tidy up."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def errors(self) -> list[str]:
        """List what went wrong in the server and was caught by nobody.

        Streamlit logs an exception in colours where the package rich is installed, and plainly where it is not. What
        both forms share is the first line of the traceback, as has that of an exception in a thread.
        """
        text = COLOURS.sub("", self.log.read_text(encoding="utf-8", errors="replace"))
        return [part.strip() for part in text.split("Traceback (most recent call last)")[1:]]

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5) as answer:  # noqa: S310  our own
                return answer.status == 200
        except (URLError, OSError):
            return False


def free_port() -> int:
    """Ask the system for a port that nobody uses."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
