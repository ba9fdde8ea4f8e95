"""`mandoline app`: start the app in the browser."""

from __future__ import annotations

import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

from mandoline_core.cli.command import PROJECT, take
from mandoline_core.cli.sign_in import SignInError, find_sign_in, is_loopback

_PATIENCE = 10.0  # seconds that a server gets to end
HELP = "Start the app in the browser, on the sample project when none is given."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, and where to listen and to keep things."""
    take(parser, PROJECT, nargs="?")
    take(parser, {"--port N": "port to listen on (8501 unless Streamlit is told otherwise)"}, type=_port)
    take(parser, {"--data-dir D": "where projects and uploads are kept"})
    folders = "let visitors use files in this folder where they lie; may be given several times"
    take(parser, {"--allow-dir D...": folders}, type=_folder)
    take(parser, {"--host H": "address to listen on (this machine only, unless told otherwise)"})
    names = "a name under which people reach the server; may be given several times"
    take(parser, {"--allow-host NAME...": names}, type=_name)
    sign_in = {
        "--auth FILE.toml": "let people sign in with an OpenID provider, whose settings are in this file's table "
        "[auth] (.streamlit/secrets.toml, when it is there)",
        "--no-auth": "let everyone in who reaches the server, also from elsewhere",
    }
    take(parser.add_mutually_exclusive_group(), sign_in)
    people = "let in only this person, or everyone at a domain (*@example.org); may be given several times"
    take(parser, {"--allow-user EMAIL...": people}, type=_user)


def run(options: argparse.Namespace) -> int:
    """Start Streamlit on the app, and wait for its end."""
    from mandoline_core.project import load_project

    root, address = bundle_root(), options.host or _address()
    sign_in = None if options.no_auth else find_sign_in(options.auth)
    if sign_in is None:
        _check_open(address, options)
    command = [sys.executable, "-m", "streamlit", "run", str(root / "app" / "server.py")]
    command += ["--server.address", address, "--server.showEmailPrompt", "false"]
    if sign_in is not None:  # only what was checked here is read there
        command += ["--secrets.files", str(sign_in[0].resolve())]
    if options.port is not None:
        command += ["--server.port", str(options.port)]
    if options.project is not None:
        load_project(options.project)  # say what is wrong here, not in the browser
        command += ["--", str(options.project.resolve())]
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    # Counting takes what processors it gets: one is left to the pages.
    environment.setdefault("POLARS_MAX_THREADS", str(max(1, (os.cpu_count() or 2) - 1)))
    if options.data_dir is not None:
        environment["MANDOLINE_DATA_DIR"] = str(options.data_dir.resolve())
    if options.allow_dir:
        environment["MANDOLINE_ALLOW_DIRS"] = os.pathsep.join(map(str, options.allow_dir))
    names = [*options.allow_host, *([] if is_loopback(address) else [address, socket.gethostname()])]
    environment["MANDOLINE_ALLOW_HOSTS"] = ",".join([*names, *([sign_in[1]] if sign_in else [])])
    environment["MANDOLINE_SIGN_IN"] = "" if sign_in is None else ",".join(options.allow_user) or "*"
    return _serve(command, environment)


def _check_open(address: str, options: argparse.Namespace) -> None:
    """Refuse to be open to everyone without having been told so."""
    if options.allow_user:
        raise SignInError("--allow-user needs sign-in. Name its settings with --auth FILE.toml.")
    if not is_loopback(address) and not options.no_auth:
        raise SignInError(
            f"On {address}, everyone who reaches this machine could open the app. Let people sign in "
            "(--auth FILE.toml), or say --no-auth if that is what you want."
        )


def _serve(command: list[str], environment: dict[str, str]) -> int:
    """Run the server until it ends; what asks us to end, asks it."""
    server, asked = subprocess.Popen(command, env=environment), []

    def pass_on(number: int, _frame: object) -> None:
        asked.append(number)
        if server.poll() is None:
            server.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        code = server.wait()
    except KeyboardInterrupt:  # the terminal sent it to the server, too
        code = _end(server)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if asked:
        print("mandoline: the app was asked to end, and has ended.", file=sys.stderr)
        return 0
    return code


def _end(server: subprocess.Popen[bytes]) -> int:
    """Wait a while for the server to end by itself, then end it."""
    try:
        return server.wait(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        server.terminate()
        return server.wait()


def _folder(text: str) -> Path:
    """Read a folder that is there; argparse says what is wrong with any other text."""
    folder = Path(text).expanduser().resolve()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"must be a folder that is there. Got {text!r}.")
    if os.pathsep in str(folder):
        raise argparse.ArgumentTypeError(f"must have no {os.pathsep!r} in its name. Got {text!r}.")
    return folder


def _name(text: str) -> str:
    """Read a host name, without a port; argparse says what is wrong with any other text."""
    if not re.fullmatch(r"[A-Za-z0-9_.:-]{1,253}", text) or re.fullmatch(r"[^:]*:\d+", text):
        raise argparse.ArgumentTypeError(f"must be a name such as models.example.org, without a port. Got {text!r}.")
    return text


def _user(text: str) -> str:
    """Read an email address, or `*@` and a domain; argparse says what is wrong with any other text."""
    if not re.fullmatch(r"(?:\*|[^\s@,*]+)@[^\s@,*]+", text):
        raise argparse.ArgumentTypeError(f"must be an email address, or *@ and a domain. Got {text!r}.")
    return text


def _port(text: str) -> int:
    """Read a port; argparse says what is wrong with any other text."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 65535. Got {text!r}.")
    return int(text)


def _address() -> str:
    """Find the address that Streamlit's own settings name; this machine only when they name none."""
    if "STREAMLIT_SERVER_ADDRESS" in os.environ:
        return os.environ["STREAMLIT_SERVER_ADDRESS"]
    for folder in (Path.cwd(), Path.home()):
        try:
            settings = tomllib.loads((folder / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
            return str(settings["server"]["address"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # absent or not for us to judge: Streamlit reads it again and complains itself
    return "127.0.0.1"


def bundle_root() -> Path:
    """Find the folder that holds the app and the samples: inside the installed package, or the checkout."""
    package = Path(__file__).resolve().parents[1]
    bundled = package / "_bundled"
    return bundled if bundled.is_dir() else package.parent
