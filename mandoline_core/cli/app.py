"""`mandoline app`: start the app in the browser."""

from __future__ import annotations

import argparse
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

from mandoline_core.cli.command import take
from mandoline_core.cli.sign_in import SignInError, find_sign_in, is_loopback
from mandoline_core.errors import MandolineError

_PATIENCE = 10.0  # seconds for the server to stop
HELP = "Open the app in your browser."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, the address and folders of the server, and who may use it."""
    take(parser, {"project [PROJECT.toml]": "project file or zip to open (default: a sample project)"})
    take(parser, {"--port N": "port of the server (default: 8501)"}, type=_port)
    take(parser, {"--data-dir D": "folder for projects and uploads"})
    folders = "let users open files in this folder without uploading them; repeatable"
    take(parser, {"--allow-dir D...": folders}, type=_folder)
    take(parser, {"--host H": "address of the server (default: this machine only)"})
    names = "host name in the server's URL; repeatable"
    take(parser, {"--allow-host NAME...": names}, type=_name)
    sign_in = {
        "--auth FILE.toml": "require sign-in with the OpenID provider in table [auth] of this file (default: "
        ".streamlit/secrets.toml, if it exists)",
        "--no-auth": "allow everyone who reaches the server, without sign-in or token",
    }
    take(parser.add_mutually_exclusive_group(), sign_in)
    everyone = "do not require the token in the address: any account on this machine can use the app"
    take(parser, {"--no-token": everyone})
    people = "allow only this email address, or a domain (*@example.org); repeatable"
    take(parser, {"--allow-user EMAIL...": people}, type=_user)
    trust = "with --allow-user: accept addresses that the provider does not say are verified"
    take(parser, {"--trust-email": trust})


def run(options: argparse.Namespace) -> int:
    """Start the server, and wait until it stops."""
    from mandoline_core.project import load_project

    if find_spec("streamlit") is None:
        raise MandolineError("The app needs Streamlit. Install it with: pip install 'mandoline-estimator[app]'")
    root, address = bundle_root(), options.host or _address()
    sign_in = None if options.no_auth else find_sign_in(options.auth)
    if sign_in is None:
        _check_open(address, options)
    command = [sys.executable, "-m", "streamlit", "run", str(root / "app" / "server.py")]
    command += ["--server.address", address, "--server.showEmailPrompt", "false"]
    if sign_in is not None:  # only what was checked here is read there
        command += ["--secrets.files", str(sign_in[0].resolve())]
    token = "" if sign_in or options.no_auth or options.no_token else secrets.token_urlsafe(24)
    if token:  # the server prints the address and opens the browser: the framework knows no token
        command += ["--server.headless", "true", "--logger.hideWelcomeMessage", "true"]
    if options.port is not None:
        command += ["--server.port", str(options.port)]
    if options.project is not None:
        load_project(options.project)  # so that errors show here, not in the browser
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
    # Not on the command line, which every account of the machine can see.
    environment["MANDOLINE_TOKEN"] = token
    environment["MANDOLINE_OPEN"] = "" if _is_headless() else "yes"
    environment["MANDOLINE_TRUST_EMAIL"] = "yes" if options.trust_email else ""
    return _serve(command, environment)


def _check_open(address: str, options: argparse.Namespace) -> None:
    """Refuse to be open to everyone unless the user asks for it."""
    if options.allow_user or options.trust_email:
        needs = "--allow-user" if options.allow_user else "--trust-email"
        raise SignInError(f"{needs} needs sign-in. Add --auth FILE.toml.")
    if not is_loopback(address) and not options.no_auth:
        raise SignInError(
            f"On {address}, anyone who can reach this machine could use the app. "
            "Require sign-in with --auth FILE.toml, or allow everyone with --no-auth."
        )
    if options.allow_host and options.no_token and not options.no_auth:
        raise SignInError(
            f"Without a token, everyone who reaches {options.allow_host[0]} could use the app. Leave out --no-token, "
            "require sign-in with --auth FILE.toml, or allow everyone with --no-auth."
        )


def _serve(command: list[str], environment: dict[str, str]) -> int:
    """Run the server until it stops, and pass signals on to it."""
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
        print("mandoline: the app has stopped.", file=sys.stderr)
        return 0
    return code


def _end(server: subprocess.Popen[bytes]) -> int:
    """Wait a while for the server to stop, then terminate it."""
    try:
        return server.wait(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        server.terminate()
        return server.wait()


def _folder(text: str) -> Path:
    """Read the path of an existing folder."""
    folder = Path(text).expanduser().resolve()
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"must be an existing folder. Got {text!r}.")
    if os.pathsep in str(folder):
        raise argparse.ArgumentTypeError(f"must not contain {os.pathsep!r}. Got {text!r}.")
    return folder


def _name(text: str) -> str:
    """Read a host name without a port."""
    if not re.fullmatch(r"[A-Za-z0-9_.:-]{1,253}", text) or re.fullmatch(r"[^:]*:\d+", text):
        raise argparse.ArgumentTypeError(f"must be a host name such as models.example.org, no port. Got {text!r}.")
    return text


def _user(text: str) -> str:
    """Read an email address, or `*@` and a domain."""
    if not text.isascii() or not re.fullmatch(r"(?:\*|[^\s@,*]+)@[^\s@,*]+", text):
        raise argparse.ArgumentTypeError(f"must be an email address, or *@ and a domain. Got {text!r}.")
    return text


def _port(text: str) -> int:
    """Read a port."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 65535. Got {text!r}.")
    return int(text)


def _address() -> str:
    """Find the address in Streamlit's own settings (default: this machine only)."""
    return str(_server_setting("address") or "127.0.0.1")


def _is_headless() -> bool:
    """Tell whether no browser is to be opened: by Streamlit's own settings, or for want of a screen."""
    given = _server_setting("headless")
    if given is None:
        return sys.platform.startswith("linux") and not {"DISPLAY", "WAYLAND_DISPLAY"} & {*os.environ}
    return str(given).lower() in ("true", "1", "yes", "on")


def _server_setting(name: str) -> object:
    """Read one of Streamlit's own settings of the server; None if it is not set."""
    variable = f"STREAMLIT_SERVER_{name.upper()}"
    if variable in os.environ:
        return os.environ[variable]
    for folder in (Path.cwd(), Path.home()):
        try:
            settings = tomllib.loads((folder / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
            return settings["server"][name]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # absent, or invalid: Streamlit reads it again and reports it
    return None


def bundle_root() -> Path:
    """Find the folder of the app and the samples: in the installed package, or the checkout."""
    package = Path(__file__).resolve().parents[1]
    bundled = package / "_bundled"
    return bundled if bundled.is_dir() else package.parent
