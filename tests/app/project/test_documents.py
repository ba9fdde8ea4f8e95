"""Two editors at once: no edit is lost, and what cannot be brought together is refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

from app.project import edits
from app.project.documents import ConflictError, document_of, project_of, save_edit
from app.project.store import Store
from mandoline_core import Correction, Keyword, Noise, Project, SliceError, load_project
from tests.core.projects import REVIEWS

PROJECT = load_project(REVIEWS)
Edit = Callable[[Project], Project]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def add(name: str) -> Edit:
    return lambda project: edits.add_slice(project, Keyword(name, column="text", words=(name,)))


def words(name: str, *new: str) -> Edit:
    return lambda project: edits.put_slice(project, name, replace(edits.find_slice(project, name), words=new))


def correct(name: str, **moved: float) -> Edit:
    def edit(project: Project) -> Project:
        noise = edits.find_slice(project, name).noise or Noise()
        return edits.set_noise(project, name, replace(noise, source=replace(noise.source or Correction(), **moved)))

    return edit


def test_no_edit_of_two_editors_is_lost(store: Store, tmp_path: Path) -> None:
    """Eighty slices from two servers at once are all there, each a revision of its own."""
    project = store.create(document_of(replace(PROJECT, slices=())))
    together = Barrier(2)

    def edit_many(who: str) -> None:
        here, seen = Store(tmp_path), 0
        together.wait()
        for number in range(40):
            seen = save_edit(here, project, f"{who} {number}", add(f"{who}{number}"), seen=seen)

    with ThreadPoolExecutor(2) as editors:
        list(editors.map(edit_many, "ab"))
    head = store.head(project)
    assert {rule.name for rule in project_of(head.document).slices} == {f"{who}{n}" for who in "ab" for n in range(40)}
    assert head.number == 80


def both(store: Store, theirs: Edit, mine: Edit) -> Project:
    """Let someone save an edit after another person has looked, who then saves theirs; return what is there."""
    project = store.create(document_of(replace(PROJECT, edges=(("negation", "short"),))))
    save_edit(store, project, "theirs", theirs)
    try:
        save_edit(store, project, "mine", mine, seen=0)
    finally:
        found = project_of(store.head(project).document)
    return found


def test_edits_of_different_things_are_brought_together(store: Store) -> None:
    """Other slices, other settings of one slice, a rename around an edit, an order around a new slice."""
    found = both(store, correct("slang", inside=0.9), correct("slang", outside=0.1))
    assert edits.find_slice(found, "slang").noise == Noise(Correction(0.9, 0.1))
    found = both(store, words("slang", "lol"), lambda project: edits.rename_slice(project, "slang", "chat"))
    assert edits.find_slice(found, "chat").words == ("lol",)
    found = both(store, add("new"), lambda project: edits.move_slice(project, "slang", -1))
    assert [rule.name for rule in found.slices][1:3] == ["slang", "short"]
    found = both(store, words("slang", "lol"), lambda project: edits.switch_slice(project, "slang", on=False))
    assert (edits.find_slice(found, "slang").words, edits.find_slice(found, "slang").enabled) == (("lol",), False)
    found = both(store, words("slang", "lol"), words("slang", "lol"))
    assert edits.find_slice(found, "slang").words == ("lol",)


@pytest.mark.parametrize(
    ("theirs", "mine", "what"),
    [
        (words("slang", "lol"), words("slang", "omg"), "slice 'slang'"),
        (words("slang", "lol"), lambda project: edits.remove_slice(project, "slang"), "slice 'slang'"),
        (
            lambda project: edits.set_edges(project, [*project.edges, ("short", "slang")]),
            lambda project: edits.set_edges(project, [("negation", "slang")]),
            "pairs of slices",
        ),
        (
            lambda project: replace(project, models=project.models[:1]),
            lambda project: replace(project, models=PROJECT.models[::-1]),
            "model 'nb'",
        ),
        (lambda project: replace(project, note="a"), lambda project: replace(project, note="b"), "project note"),
        (correct("slang", inside=0.9), correct("slang", inside=0.8), "slice 'slang'"),
    ],
)
def test_an_edit_that_would_put_back_what_someone_changed_is_refused(
    store: Store, theirs: Edit, mine: Edit, what: str
) -> None:
    """Their change stays, and the sentence says what it was."""
    with pytest.raises(ConflictError, match=f"Someone else has just changed this: {what}. Your edit was not saved."):
        both(store, theirs, mine)
    ((project,),) = [[entry.id for entry in store.entries()]]
    assert store.head(project).label == "theirs"


@pytest.mark.parametrize(
    "theirs",
    [
        lambda project: edits.rename_slice(project, "slang", "chat"),
        lambda project: edits.remove_slice(project, "slang"),
    ],
)
@pytest.mark.parametrize(
    "mine",
    [
        words("slang", "omg"),
        correct("slang", inside=0.9),
        lambda project: edits.remove_slice(project, "slang"),
        lambda project: edits.move_slice(project, "slang", 1),
        lambda project: edits.duplicate_slice(project, "slang"),
        lambda project: edits.put_slice(project, "slang", Keyword("slang", column="text", words=("a",))),
    ],
)
def test_a_slice_that_went_under_ones_hands_is_named(store: Store, theirs: Edit, mine: Edit) -> None:
    with pytest.raises(SliceError, match="'slang' no longer exists: someone renamed or deleted it"):
        both(store, theirs, mine)
