"""Where people sign in: who has not sees nothing; a project is its owner's; a link shares it until it is ended."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SAMPLE
from tests.browser.server import ROOT, Server
from tests.browser.visitor import Visitor
from tests.sign_in.conftest import Come, sign_in

PAGES = [path.stem for path in (ROOT / "app" / "views").glob("*/*.py") if path.stem == path.parent.name]
ASKED = "Sign in to see your projects"
GONE = "The project of this link no longer exists."


def name_project(visitor: Visitor, name: str) -> str:
    """Give the open project a name, and return its link."""
    field = visitor.page.get_by_role("textbox", name="Project")
    field.fill(name)
    field.press("Enter")
    visitor.settle()
    return visitor.link


def shared_link(visitor: Visitor, kind: str) -> str:
    """Share the open project, and return the link."""
    visitor.button("Save and share").click()
    visitor.page.get_by_text({"look": "View link", "edit": "Edit link"}[kind], exact=True).click()
    visitor.settle()
    word = {"look": "view", "edit": "edit"}[kind]
    code = visitor.page.get_by_test_id("stCode").filter(has_text=f"{word}=")
    expect(code).to_have_count(1)
    found = code.inner_text().strip()
    visitor.page.keyboard.press("Escape")
    return found


def test_a_signed_out_visitor_sees_nothing(come: Come, server: Server) -> None:
    """On no page, by no link: neither a project nor what pages there are."""
    private = server.link_to(SAMPLE).partition("?")[2]
    visitor = come()
    heard: list[str] = []
    visitor.page.on("websocket", lambda socket: socket.on("framereceived", lambda data: heard.append(str(data))))
    assert len(PAGES) >= 8
    for page in PAGES:
        visitor.open(f"{server.url}/{'' if page == 'result' else page}?{private}")  # the home page has no name
        expect(visitor.main).to_contain_text(ASKED)
        expect(visitor.page.get_by_role("navigation").get_by_role("link")).to_have_count(0)
    assert heard
    assert not [frame for frame in heard if "reviews" in frame or "labelled rows" in frame]


def test_only_who_has_signed_in_can_send_a_file(come: Come, server: Server) -> None:
    """The framework takes one from any visit; who is in can open a project file."""
    send = "async () => (await fetch('/_stcore/upload_file/visit/file', {method: 'PUT', body: 'a'})).text()"
    visitor = come()
    assert visitor.page.evaluate(send) == "Sign in first.\n"
    sign_in(visitor, "ann")
    visitor.go("Projects")
    visitor.page.get_by_role("tab", name="Open a project file").click()
    visitor.upload("Project file", SAMPLE)
    expect(visitor.main).to_contain_text("Data files: source.csv, target.csv, target_labels.csv.")


def test_a_project_is_its_owners_until_it_is_shared(come: Come) -> None:
    """Another who has signed in finds it neither in the list nor by its address; links to look and to edit can end."""
    ann = come("ann")
    hers = name_project(ann, "work of Ann")
    bob = come("bob", hers)
    expect(bob.page.get_by_text(GONE)).to_be_visible()
    expect(bob.page.get_by_role("heading", name="Projects", exact=True, level=1)).to_be_visible()
    expect(bob.main).not_to_contain_text("work of Ann")

    look = shared_link(ann, "look")
    bob.open(look)
    expect(bob.page.get_by_text("View only")).to_be_visible()
    expect(bob.page.get_by_text("work of Ann")).to_be_visible()
    bob.button("Save and share").click()
    expect(bob.page.get_by_text("Edit link")).to_have_count(0)
    expect(bob.page.get_by_test_id("stCode")).to_have_text(re.compile("view="))
    bob.page.keyboard.press("Escape")

    edit = shared_link(ann, "edit")
    assert hers.partition("project=")[2] not in edit
    bob.open(edit)
    field = bob.page.get_by_role("textbox", name="Project")
    expect(field).to_have_value("work of Ann")
    field.fill("work of both")
    field.press("Enter")
    bob.settle()
    ann.go("Slices")
    expect(ann.page.get_by_role("textbox", name="Project")).to_have_value("work of both")

    ann.button("Save and share").click()
    ann.page.get_by_text("Edit link").click()
    ann.settle()
    ann.page.keyboard.press("Escape")
    bob.go("Slices")
    expect(bob.page.get_by_role("textbox", name="Project")).to_have_value("reviews")
    bob.open(edit)
    expect(bob.page.get_by_text(GONE)).to_be_visible()
    expect(bob.main).not_to_contain_text("work of both")


def test_signing_in_leads_back_to_the_link_and_signing_out_ends_it(come: Come, server: Server) -> None:
    """Who comes with a link is there after signing in; signed out, the same browser sees nothing, and no project."""
    ann = come("ann")
    hers = name_project(ann, "work of Ann")
    look = shared_link(ann, "look").replace(server.url, f"{server.url}/slices", 1).replace("/slices/", "/slices")
    bob = come("bob", look)
    expect(bob.page).to_have_url(look)
    expect(bob.page.get_by_text("View only")).to_be_visible()
    expect(bob.page.get_by_role("heading", name="Slices", exact=True, level=1)).to_be_visible()

    ann.button("Sign out").click()
    expect(ann.main).to_contain_text(ASKED)  # by way of the provider, which signs out, too
    ann.settle()
    ann.open(hers)
    expect(ann.main).to_contain_text(ASKED)
    assert not [cookie for cookie in ann.context.cookies(server.url) if cookie["name"].startswith("_streamlit_user")]


def test_a_forged_cookie_is_no_sign_in(come: Come, server: Server) -> None:
    """What another browser was given is signed; changed by a letter, it opens nothing."""
    ann = come("ann")
    hers = name_project(ann, "work of Ann")
    cookies = ann.context.cookies(server.url)
    eve = come()
    for change in (lambda value: value[:-1] + ("A" if value[-1] != "A" else "B"), lambda value: value[::-1]):
        eve.context.add_cookies(
            [
                {"name": one["name"], "value": change(one["value"]), "url": server.url}
                for one in cookies
                if one["name"].startswith("_streamlit_user")
            ]
        )
        eve.open(hers)
        expect(eve.main).to_contain_text(ASKED)


@pytest.mark.parametrize("server", [("--allow-user", "*@example.org", "--trust-email")], indirect=True)
def test_only_those_allowed_are_let_in(come: Come) -> None:
    """Someone else may sign in, and is told that it is not enough."""
    ann, eve = come("ann"), come("eve")
    expect(ann.page.get_by_role("textbox", name="Project")).to_have_value("reviews")
    said = re.compile("eve@.?elsewhere.example has no access to this server.")  # no link is made of it
    expect(eve.main).to_contain_text(said)
    expect(eve.page.get_by_role("navigation").get_by_role("link")).to_have_count(0)
