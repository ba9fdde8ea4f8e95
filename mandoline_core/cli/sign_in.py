"""Sign-in to the app: the settings of an OpenID provider, checked before the server starts."""

from __future__ import annotations

import ipaddress
import tomllib
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from mandoline_core.errors import MandolineError

_CALLBACK = "/oauth2callback"
_PROVIDER = ("client_id", "client_secret", "server_metadata_url")
_SECRET_LENGTH = 32  # characters: 128 bits in hexadecimal digits


class SignInError(MandolineError):
    """Report sign-in settings that would not work, or would not protect the app."""


def find_sign_in(given: Path | None) -> tuple[Path, str] | None:
    """Read the sign-in settings from a file, or from where Streamlit looks; None if absent.

    Returns
    -------
    path : Path
        The file with the settings.
    host : str
        The host name that the provider sends users back to.

    Raises
    ------
    SignInError
        If the settings are not valid.
    """
    if given is not None:
        return _checked(given, _auth(given))
    for folder in (Path.cwd(), Path.home()):
        path = folder / ".streamlit" / "secrets.toml"
        if path.is_file() and (auth := _auth(path)):
            return _checked(path, auth)
    return None


def is_loopback(host: str) -> bool:
    """Tell whether an address or host name can be reached from this machine only."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _auth(path: Path) -> Mapping[str, Any]:
    if path.suffix != ".toml":
        raise SignInError(f"The file with the sign-in settings must be a .toml file. Got {path.name!r}.")
    try:
        auth = tomllib.loads(path.read_text(encoding="utf-8")).get("auth", {})
    except OSError as error:
        raise SignInError(f"Cannot read {path}: {error.strerror}.") from None
    except ValueError as error:  # not UTF-8, or not TOML
        raise SignInError(f"{path} is not valid TOML: {error}.") from None
    if not isinstance(auth, dict):
        raise SignInError(f"{path}: auth must be a table. Start it with the line [auth].")
    return auth


def _checked(path: Path, auth: Mapping[str, Any]) -> tuple[Path, str]:
    back = _url(path, auth, "redirect_uri")
    if not back.path.endswith(_CALLBACK):
        raise SignInError(f"{path}: redirect_uri must end with {_CALLBACK}. Got {auth['redirect_uri']!r}.")
    secret = auth.get("cookie_secret")
    if not isinstance(secret, str) or len(secret) < _SECRET_LENGTH:
        raise SignInError(
            f"{path}: cookie_secret must be a random text of at least {_SECRET_LENGTH} characters. "
            "Create one with: python -c 'import secrets; print(secrets.token_hex())'"
        )
    for name, provider in _providers(path, auth):
        for key in _PROVIDER[:2]:
            if not isinstance(provider.get(key), str) or not provider[key]:
                raise SignInError(f"{path}: {name} needs {key}. Your OpenID provider issues it.")
        _url(path, provider, "server_metadata_url")
    if find_spec("authlib") is None or find_spec("httpx") is None:
        raise SignInError("Sign-in needs Authlib. Install it with: pip install 'mandoline-estimator[auth]'")
    return path, str(back.hostname)


def _providers(path: Path, auth: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """List the providers: one in [auth], or one in each of its tables."""
    tables = {name: table for name, table in auth.items() if isinstance(table, dict)}
    named = {name: table for name, table in tables.items() if set(table) & set(_PROVIDER)}
    if set(auth) & set(_PROVIDER):
        yield "[auth]", auth
    elif not named:
        raise SignInError(f"{path}: [auth] has no provider. Add {', '.join(_PROVIDER)}.")
    for name, provider in named.items():
        yield f"[auth.{name}]", provider


def _url(path: Path, table: Mapping[str, Any], key: str) -> SplitResult:
    """Read a URL that is encrypted, or local."""
    text = table.get(key)
    try:
        url = urlsplit(text.replace("{port}", "1")) if isinstance(text, str) else None
    except ValueError:
        url = None
    if url is None or not url.hostname or url.scheme not in ("http", "https"):
        raise SignInError(f"{path}: {key} must be a URL such as https://example.org/... Got {text!r}.")
    if url.scheme == "http" and not is_loopback(url.hostname):
        raise SignInError(f"{path}: {key} must start with https://, to protect the sign-in. Got {text!r}.")
    return url
