"""Ending the app: what asks the command to end, ends the server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest


def free_port() -> int:
    """Ask the system for a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    """Tell whether anyone listens."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.long)])
def test_a_signal_to_the_command_ends_the_server(tmp_path: Path, number: signal.Signals) -> None:
    """A service manager sends SIGTERM to the command alone: no server stays behind, and the command says so."""
    port = free_port()
    environment = {**os.environ, "STREAMLIT_SERVER_HEADLESS": "true"}
    command = [sys.executable, "-m", "mandoline_core.cli", "app", "--port", str(port), "--data-dir", str(tmp_path)]
    app = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while not answers(port) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert answers(port)
        app.send_signal(number)
        _, said = app.communicate(timeout=30)
        assert app.returncode == 0
        assert "the app has stopped" in said
        assert not answers(port)
    finally:
        if app.poll() is None:
            os.killpg(app.pid, signal.SIGKILL)
