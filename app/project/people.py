"""Who the visitor is, where the server asks."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

_TRUST = "MANDOLINE_TRUST_EMAIL"  # set where addresses count that a provider does not say are verified
# One @ and nothing that another program could take for the end of an address or the start of the next one.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")
_SETTING = "MANDOLINE_SIGN_IN"  # nothing: nobody is asked; else who is let in, between commas, or * for all who sign in


@dataclass(frozen=True)
class Person:
    """Hold who has signed in.

    Parameters
    ----------
    id : str
        The provider and its mark for the person, which stays when a name or an address changes.
    name : str
        What to call them.
    email : str
        Their address; nothing where the provider says that it is not verified.
    """

    id: str
    name: str
    email: str


def asks() -> bool:
    """Tell whether visitors have to sign in."""
    if _SETTING in os.environ:
        return bool(os.environ[_SETTING])
    return "is_logged_in" in st.user  # started without the command, with settings for signing in


def person() -> Person | None:
    """Return who has signed in; None while nobody has, or where nobody is asked."""
    if not asks() or not st.user.get("is_logged_in"):
        return None
    return read_person(st.user)


def read_person(claims: Mapping[str, object]) -> Person | None:
    """Read what a provider says about a user; None if it does not say who that is.

    >>> read_person({"iss": "https://id.example", "sub": "7", "email": "ann@example.org", "email_verified": True})
    Person(id='https://id.example 7', name='ann@example.org', email='ann@example.org')
    >>> read_person({"iss": "https://id.example", "email": "ann@example.org"}) is None
    True
    >>> read_person({"iss": "https://id.example", "sub": "7", "email": "a@example.org"}).email
    ''
    """
    issuer, mark = claims.get("iss"), claims.get("sub")
    if not (isinstance(issuer, str) and isinstance(mark, str) and issuer and mark):
        return None
    # Some say nothing, some write it as a text.
    is_verified = claims.get("email_verified", bool(os.environ.get(_TRUST))) in (True, "true")
    email = str(claims.get("email") or "") if is_verified else ""
    return Person(f"{issuer} {mark}", str(claims.get("name") or email or mark), email)


def is_allowed(person: Person) -> bool:
    """Tell whether someone who has signed in may use this server."""
    return is_among(person.email, os.environ.get(_SETTING, "*").split(","))


def is_among(email: str, allowed: list[str]) -> bool:
    """Tell whether an address is one of those allowed.

    >>> is_among("ann@example.org", ["*@example.org"]), is_among("ann@evil-example.org", ["*@example.org"])
    (True, False)
    >>> is_among("x@evil.com@example.org", ["*@example.org"]), is_among("", ["*"])
    (False, True)
    """
    if "*" in allowed:
        return True
    if not _ADDRESS.fullmatch(email):
        return False
    domain = "*" + email[email.index("@") :]
    return any(one.lower() in (email.lower(), domain.lower()) for one in allowed)


def providers() -> list[str | None]:
    """List the providers to sign in with: None for the one that needs no name."""
    auth: Mapping[str, object] = st.secrets.get("auth", {})
    named = [name for name, one in auth.items() if isinstance(one, Mapping) and "client_id" in one]
    return [None, *named] if "client_id" in auth else list(named)


def visitor_id() -> str | None:
    """Return what the visitor's projects are kept under; None where nobody is asked."""
    found = person()
    return None if found is None else found.id
