"""A link leads to one project: whoever has it works on the same, whoever has not sees nothing of it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Arrive
from tests.browser.visitor import Visitor


def rename(visitor: Visitor, name: str) -> None:
    """Give the project another name."""
    field = visitor.page.get_by_role("textbox", name="Project")
    field.fill(name)
    field.press("Enter")
    visitor.settle()


def test_a_second_tab_follows_at_its_next_step(arrive: Arrive) -> None:
    """Two tabs on one link: what one does, the other shows when it is next touched."""
    first = arrive()
    second = arrive(first.link, beside=first)
    rename(first, "shared work")
    expect(second.page.get_by_role("textbox", name="Project")).to_have_value("reviews")
    second.go("Slices")
    expect(second.page.get_by_role("textbox", name="Project")).to_have_value("shared work")
    second.button("Delete").click()
    second.expect_message("Deleted negation")
    first.go("Slices")
    expect(first.page.get_by_role("combobox", name="Edit slice")).to_have_value("short")


def test_without_the_link_nothing_is_shared(arrive: Arrive) -> None:
    """A visitor with a browser of their own starts on a project of their own."""
    first = arrive()
    rename(first, "private work")
    stranger = arrive()
    expect(stranger.page.get_by_role("textbox", name="Project")).to_have_value("reviews")
    assert stranger.link != first.link
    friend = arrive(first.link)
    expect(friend.page.get_by_role("textbox", name="Project")).to_have_value("private work")


def test_deleting_a_project_asks_once(visitor: Visitor) -> None:
    """Deleting asks; thinking better of it keeps everything; going on leaves nothing behind the link."""
    rename(visitor, "to be deleted")
    link = visitor.link
    question = visitor.page.get_by_role("dialog", name="Delete this project?")

    visitor.button("Save and share").click()
    visitor.button("Delete project and its data").click()
    expect(question).to_be_visible()
    question.get_by_role("button", name="Close").click()
    expect(question).to_be_hidden()
    visitor.open(link)
    expect(visitor.page.get_by_role("textbox", name="Project")).to_have_value("to be deleted")

    visitor.button("Save and share").click()
    visitor.button("Delete project and its data").click()
    question.get_by_role("button", name="Delete", exact=True).click()
    expect(visitor.page.get_by_role("textbox", name="Project")).to_have_value("reviews")
    visitor.settle()
    assert visitor.link != link
    visitor.open(link)
    expect(visitor.page.get_by_text("The link points to a project that is no longer here.")).to_be_visible()
