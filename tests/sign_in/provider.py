"""Canaille, an OpenID provider, in a process of its own on this machine, with people whom it knows."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from urllib.error import URLError

from tests.browser.server import STARTS_WITHIN, free_port

PEOPLE = {"ann": "ann@example.org", "bob": "bob@example.org", "eve": "eve@elsewhere.example"}
SECRET = "known to the app and its provider"  # noqa: S105  of a provider that lives for a test


class Provider:
    """Run the provider for as long as the `with` block lasts.

    Parameters
    ----------
    folder : Path
        Where it keeps what it knows, and its log.
    app : str
        Address of the app that people come from, and go back to.
    """

    def __init__(self, folder: Path, app: str) -> None:
        self._folder, self._app = folder, app
        self._port = free_port()
        self._environment = {
            **os.environ,
            "SECRET_KEY": "of a provider that lives for a test",
            "SERVER_NAME": f"127.0.0.1:{self._port}",
            "PREFERRED_URL_SCHEME": "http",
            "CANAILLE__DATABASE": "sql",
            "CANAILLE_SQL__DATABASE_URI": f"sqlite:///{folder / 'people.sqlite'}",
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the provider is."""
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Provider:
        key = json.loads(self._run("jwk", "create", "rsa"))
        self._environment["CANAILLE_OIDC__ACTIVE_JWKS"] = json.dumps([key])
        self._run("install")
        for name, email in PEOPLE.items():
            known = ["--formatted-name", name.title(), "--family-name", "Example", "--emails", email]
            self._run("create", "user", "--user-name", name, "--password", password(name), *known)
        back = f"{self._app}/oauth2callback"
        client = ["--client-id", "mandoline", "--client-secret", SECRET, "--client-name", "Mandoline"]
        client += ["--redirect-uris", back, "--post-logout-redirect-uris", back]
        client += ["--grant-types", "authorization_code", "--response-types", "code"]
        client += ["--token-endpoint-auth-method", "client_secret_basic"]
        self._run("create", "client", *client, "--scope", "openid", "--scope", "email", "--scope", "profile")
        self._run("set", "client", "mandoline", "--audience", "mandoline")
        with (self._folder / "provider.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._command, "run", "--bind", f"127.0.0.1:{self._port}"],
                env=self._environment,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + STARTS_WITHIN
        while not self._answers():
            assert self._process.poll() is None, "The provider ended."
            assert time.monotonic() < deadline, "The provider did not answer."
            time.sleep(0.1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait(20)

    def settings(self, path: Path) -> Path:
        """Write down how the app reaches the provider."""
        path.write_text(
            f"""
            [auth]
            redirect_uri = "{self._app}/oauth2callback"
            cookie_secret = "{"0123456789abcdef" * 4}"
            client_id = "mandoline"
            client_secret = "{SECRET}"
            server_metadata_url = "{self.url}/.well-known/openid-configuration"
            client_kwargs = {{ prompt = "consent" }}
            """,
            encoding="utf-8",
        )
        return path

    @property
    def _command(self) -> str:
        return os.environ["PROVIDER"]

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [self._command, *arguments], env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/.well-known/openid-configuration", timeout=5) as answer:  # noqa: S310
                return answer.status == 200
        except (URLError, OSError):
            return False


def password(name: str) -> str:
    """Return a person's password, which the provider finds long enough."""
    return f"correct horse battery {name}"
