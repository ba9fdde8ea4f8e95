"""Opening projects that name the folder of a model: one on this machine does, an upload does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.project.documents import document_of, project_of
from app.project.imports import read_project_upload, read_zip_upload
from mandoline_core import MethodSettings, Project, dump_project, load_project, pack_project
from tests.core.projects import REVIEWS


def with_folder(folder: str) -> Project:
    """Let the sample project name a model."""
    return replace(load_project(REVIEWS), methods=MethodSettings(transformer=folder, folds=3))


def test_an_upload_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    """Whoever can reach the server could look around on it; other settings stay."""
    project = with_folder(str(tmp_path))
    uploaded = read_project_upload("project.toml", dump_project(project).encode())
    packed = tmp_path / "packed.zip"
    packed.write_bytes(pack_project(project))
    unpacked, _ = read_zip_upload("project.zip", packed, tmp_path / "unpacked")
    for found in (uploaded, unpacked):
        assert found.methods == MethodSettings(folds=3)


def test_a_project_of_this_machine_keeps_its_folder() -> None:
    """By a path that leads there from anywhere, as those of its data do."""
    saved = project_of(document_of(with_folder("bert")))
    assert saved.methods.transformer == str(REVIEWS.parent.resolve() / "bert")
    assert saved.placed_methods == saved.methods
