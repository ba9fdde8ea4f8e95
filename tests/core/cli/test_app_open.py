"""Who is let in to the app: this machine only, or those who sign in, unless someone says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from mandoline_core.cli import main

GOOD = {
    "redirect_uri": "https://models.example.org/oauth2callback",
    "cookie_secret": "0123456789abcdef" * 4,
    "client_id": "mandoline",
    "client_secret": "secret",
    "server_metadata_url": "https://id.example.org/.well-known/openid-configuration",
}
Handed = list[tuple[list[str], dict[str, str]]]


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Handed:
    """Note what the server would be started with, in a folder and a home that hold nothing."""
    found: Handed = []

    def start(command: list[str], environment: dict[str, str]) -> int:
        found.append((command, environment))
        return 0

    monkeypatch.setattr("mandoline_core.cli.app._serve", start)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("STREAMLIT_SERVER_ADDRESS", raising=False)
    monkeypatch.chdir(tmp_path)
    return found


def write(path: Path, **changed: object) -> Path:
    """Write settings for signing in; None leaves one out."""
    values = {name: value for name, value in {**GOOD, **changed}.items() if value is not None}
    path.write_text("[auth]\n" + "".join(f"{name} = {value!r}\n" for name, value in values.items()), encoding="utf-8")
    return path


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.7.7", "models.example.org"])  # noqa: S104  refused here
def test_listening_elsewhere_without_sign_in_has_to_be_said(
    handed: Handed, capsys: pytest.CaptureFixture[str], host: str
) -> None:
    """It is refused in a sentence with both ways out; and done when told to."""
    assert main(["app", "--host", host]) == 2
    said = capsys.readouterr().err
    assert f"On {host}, anyone who can reach this machine could use the app." in said
    assert "--auth" in said
    assert "--no-auth" in said
    assert not handed
    assert main(["app", "--host", host, "--no-auth"]) == 0
    assert handed[0][1]["MANDOLINE_SIGN_IN"] == ""
    assert host in handed[0][1]["MANDOLINE_ALLOW_HOSTS"].split(",")


def test_an_address_in_streamlits_settings_is_held_to_the_same(
    handed: Handed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However one says it."""
    monkeypatch.setenv("STREAMLIT_SERVER_ADDRESS", "0.0.0.0")  # noqa: S104  refused here
    assert main(["app"]) == 2
    assert "On 0.0.0.0, anyone" in capsys.readouterr().err
    assert not handed


@pytest.mark.parametrize("host", [None, "127.0.0.1", "::1", "localhost"])
def test_this_machine_needs_no_sign_in(handed: Handed, host: str | None) -> None:
    """Only who has the token reaches it, which is on no command line; nor does the framework open a browser itself."""
    assert main(["app", *([] if host is None else ["--host", host])]) == 0
    ((command, environment),) = handed
    assert command[command.index("--server.address") + 1] == (host or "127.0.0.1")
    assert environment["MANDOLINE_SIGN_IN"] == ""
    token = environment["MANDOLINE_TOKEN"]
    assert len(token) >= 32
    assert not any(token in part for part in command)
    assert command[command.index("--server.headless") + 1] == "true"


def test_a_proxy_on_this_machine_does_not_do_without(handed: Handed, capsys: pytest.CaptureFixture[str]) -> None:
    """A name to be reached by keeps the token; without it, everyone who reaches the proxy is let in, which is said."""
    assert main(["app", "--allow-host", "models.example.org"]) == 0
    assert handed.pop()[1]["MANDOLINE_TOKEN"]
    assert main(["app", "--allow-host", "models.example.org", "--no-token"]) == 2
    assert "everyone who reaches models.example.org could use the app" in capsys.readouterr().err
    assert not handed
    for open_to_all in (["--no-token"], ["--allow-host", "models.example.org", "--no-auth"]):
        assert main(["app", *open_to_all]) == 0
        command, environment = handed.pop()
        assert environment["MANDOLINE_TOKEN"] == ""
        assert "--server.headless" not in command


@pytest.mark.parametrize("given", [True, False])
def test_sign_in_opens_the_server_to_others(handed: Handed, tmp_path: Path, *, given: bool) -> None:
    """Its settings are named, or lie where Streamlit looks; the name of the way back is one of the server's."""
    (tmp_path / ".streamlit").mkdir()
    path = write(tmp_path / "auth.toml" if given else tmp_path / ".streamlit" / "secrets.toml")
    more = ["--auth", str(path)] if given else []
    assert main(["app", "--host", "192.168.7.7", *more, "--allow-host", "models", "--allow-user", "*@example.org"]) == 0
    ((command, environment),) = handed
    assert command[command.index("--secrets.files") + 1] == str(path)
    assert environment["MANDOLINE_SIGN_IN"] == "*@example.org"
    assert {"models", "models.example.org", "192.168.7.7"} <= set(environment["MANDOLINE_ALLOW_HOSTS"].split(","))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"redirect_uri": None}, "redirect_uri must be a URL such as https://example.org/... Got None."),
        ({"redirect_uri": "https://models.example.org/"}, "redirect_uri must end with /oauth2callback."),
        ({"redirect_uri": "http://models.example.org/oauth2callback"}, "redirect_uri must start with https://"),
        ({"server_metadata_url": "ftp://id.example.org"}, "server_metadata_url must be a URL"),
        ({"server_metadata_url": "http://id.example.org"}, "server_metadata_url must start with https://"),
        ({"cookie_secret": "secret"}, "cookie_secret must be a random text of at least 32 characters"),
        ({"cookie_secret": 7}, "cookie_secret must be a random text of at least 32 characters"),
        ({"client_id": ""}, "[auth] needs client_id"),
        ({"client_secret": None}, "[auth] needs client_secret"),
        (dict.fromkeys(("client_id", "client_secret", "server_metadata_url")), "[auth] has no provider."),
    ],
)
def test_settings_that_would_not_work_or_not_protect_are_said(
    handed: Handed, tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, object], said: str
) -> None:
    """In one sentence, with the file, before anything starts."""
    path = write(tmp_path / "auth.toml", **changed)
    assert main(["app", "--auth", str(path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert str(path) in error
    assert not handed


@pytest.mark.parametrize(
    ("text", "said"), [("[auth", "is not valid TOML"), ("auth = 1", "auth must be a table"), (None, "Cannot read")]
)
def test_a_file_that_holds_no_settings_is_said(
    handed: Handed, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, said: str
) -> None:
    """Nor is the app started without them."""
    path = tmp_path / "auth.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert main(["app", "--auth", str(path)]) == 2
    assert said in capsys.readouterr().err
    assert not handed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--allow-user", "ann@example.org"], "--allow-user needs sign-in."),
        (["--allow-user", "ann"], "must be an email address, or *@ and a domain. Got 'ann'."),
        (
            ["--allow-host", "models.example.org:8501"],
            "must be a host name such as models.example.org, no port.",
        ),
        (["--auth", "a.toml", "--no-auth"], "not allowed with argument"),
    ],
)
def test_options_that_say_nothing_are_refused(
    handed: Handed, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    """Rather than taken for protection."""
    try:
        code = main(["app", *arguments])
    except SystemExit as stopped:
        code = int(str(stopped.code))
    assert code == 2
    assert said in capsys.readouterr().err
    assert not handed
