"""What a visitor sees who has yet to sign in: the way to do so, and nothing else."""

from __future__ import annotations

import streamlit as st

from app import access
from app.project import people, visit
from app.words import wording


def is_done() -> bool:
    """Tell whether the visitor may go on: nobody is asked, or they have signed in and are let in."""
    if not people.asks():
        return True
    person = people.person()
    if person is None or not people.is_allowed(person):
        return False
    access.admit(visit.mark())
    return True


def show() -> None:
    """Ask who the visitor is, or say why that is not enough."""
    st.title("Mandoline")
    person = people.person()
    if person is not None:
        st.warning(
            f"{wording.plain(person.email or person.name)} is not among those who may use this server. "
            "Ask whoever runs it, or sign in as someone else.",
            icon=":material/lock:",
        )
        st.button("Sign out", icon=":material/logout:", on_click=st.logout)
        return
    st.write("Sign in to see your projects, and those shared with you by a link.")
    for provider in people.providers():
        label = "Sign in" if provider is None else f"Sign in with {wording.plain(provider)}"
        st.button(label, type="primary", icon=":material/login:", on_click=st.login, args=(provider,))
