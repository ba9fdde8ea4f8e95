"""A project with its data as one zip: the same bytes every time, and no trust in what others packed."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest

from mandoline_core import ProjectError, estimate, load_project, pack_project
from mandoline_core.project import storage
from tests.core.projects import refused, run, run_json, write_project


def packed(folder: Path, entries: dict[str, bytes | str]) -> Path:
    """Write a zip with these entries."""
    path = folder / "given.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return path


def whole(folder: Path) -> dict[str, bytes | str]:
    """Return what a sound zip holds."""
    names = ("project.toml", "source.csv", "target.csv", "target_labels.csv")
    write_project(folder)
    return {name: (folder / name).read_bytes() for name in names}


def test_a_zip_is_the_project_for_every_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same digits as from the project file, with the truth too; each pack of it has the same bytes."""
    path = write_project(tmp_path)
    project = load_project(path)
    (tmp_path / "small.zip").write_bytes(pack_project(project, {"source": "C:\\mine\\last year.csv"}))
    assert pack_project(project) == pack_project(load_project(path))
    assert run_json(capsys, "estimate", tmp_path / "small.zip", "--reveal") == run_json(
        capsys, "estimate", path, "--reveal"
    )
    for command in ("slices", "ablation"):
        assert run(capsys, command, tmp_path / "small.zip")[0] == 0
    again = load_project(tmp_path / "small.zip")
    assert again.source_path.name == "last year.csv"
    assert estimate(again).estimate == estimate(project).estimate
    assert load_project(tmp_path / "small.zip").base == again.base


def test_files_of_one_name_are_packed_under_two(tmp_path: Path) -> None:
    project = load_project(write_project(tmp_path))
    names = {"source": "data.csv", "target": "data.csv", "labels": "project.toml"}
    found = zipfile.ZipFile(io.BytesIO(pack_project(project, names))).namelist()
    assert found == ["project.toml", "source_data.csv", "target_data.csv", "labels_project.toml"]


def test_a_project_in_a_folder_of_the_zip_is_found(tmp_path: Path) -> None:
    entries = {f"small/{name}": content for name, content in whole(tmp_path).items()}
    assert load_project(packed(tmp_path, entries)).read()[0].n_rows == 400


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../evil.csv", "contains a path outside its folder: '../evil.csv'"),
        ("/evil.csv", "contains a path outside its folder"),
        ("a/../../evil.csv", "contains a path outside its folder"),
        ("..\\evil.csv", "contains a path outside its folder"),
        ("C:evil.csv", "contains a path outside its folder"),
        ("SOURCE.csv", "contains 'SOURCE.csv' twice"),
        ("second.toml", "must contain one project file (.toml). It contains project.toml, second.toml"),
    ],
)
def test_a_zip_that_reaches_out_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    """Nothing is written outside of the folder it is unpacked to."""
    path = packed(tmp_path, {**whole(tmp_path), name: b"x"})
    assert message in refused(capsys, path)
    assert not list(tmp_path.rglob("evil.csv"))
    assert not Path("/evil.csv").exists()


def test_links_in_a_zip_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = packed(tmp_path, whole(tmp_path))
    link = zipfile.ZipInfo("passwords.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(link, "/etc/passwd")
    assert "given.zip contains a link, 'passwords.csv'." in refused(capsys, path)


@pytest.mark.parametrize("reaches", ["/etc/passwd", "../../../../etc/passwd"])
def test_a_project_in_a_zip_names_only_what_came_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reaches: str
) -> None:
    entries = whole(tmp_path)
    text = bytes(entries["project.toml"]).decode().replace('path = "source.csv"', f'path = "{reaches}"')  # type: ignore[arg-type]
    said = refused(capsys, packed(tmp_path, {**entries, "project.toml": text}))
    assert said == f"The project in given.zip uses {reaches}, which is not in the zip. Save the project with its data."


def test_a_zip_that_is_too_large_is_refused_whatever_it_says_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What counts is what comes out: a bomb lies about its size."""
    monkeypatch.setattr(storage, "MAX_BYTES", 1 << 20)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.csv", b"0" * (1 << 22))
    lying = bomb.getvalue().replace((1 << 22).to_bytes(4, "little"), (9).to_bytes(4, "little"))
    for content in (bomb.getvalue(), lying):
        with pytest.raises(ProjectError, match=r"unpacks to more than 1,048,576 bytes|cannot be unpacked"):
            storage.unpack_project(io.BytesIO(content), tmp_path)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*")) <= 1 << 20
    many = packed(tmp_path, {f"{i}.csv": b"" for i in range(storage.MAX_FILES + 1)})
    with pytest.raises(ProjectError, match=r"contains 51 files\. The limit is 50"):
        load_project(many)


@pytest.mark.parametrize("content", [b"", b"PK no", b"not at all", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_zip_is_said_to_be_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes) -> None:
    path = tmp_path / "given.zip"
    path.write_bytes(content)
    assert refused(capsys, path).startswith(("given.zip cannot be unpacked", "given.zip must contain one project file"))


def test_a_damaged_zip_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A byte of the data turned over."""
    path = tmp_path / "given.zip"
    content = bytearray(pack_project(load_project(write_project(tmp_path))))
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    assert "given.zip cannot be unpacked: it is damaged or not a zip file." in refused(capsys, path)


def test_an_unpacked_zip_goes_when_there_is_no_room_for_it(tmp_path: Path) -> None:
    """It is unpacked once while it does not change, and anew when it is asked for again."""
    path = tmp_path / "small.zip"
    path.write_bytes(pack_project(load_project(write_project(tmp_path))))
    base = load_project(path).base
    assert load_project(path).base == base
    storage._UNPACKED.clear()
    assert not base.exists()
    assert load_project(path).read()[0].n_rows > 0
