"""What a person asked for: one ticket's id and the words around it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from podium.core.errors import Fault, InputError

PATTERN = r"[A-Z]+-\d+"
"""A ticket's id, as the specification defines it and as messages show it."""
MAX_ID = 40
_ID = re.compile(rf"(?<![A-Za-z0-9_-]){PATTERN}(?![A-Za-z0-9]|-[A-Za-z0-9])", re.ASCII)
_LOWER = re.compile(r"(?<![\w-])[A-Za-z]+-\d+(?![\w-])", re.ASCII)
_STANDARDS = frozenset(
    {"AES", "COVID", "CVE", "CWE", "HTTP", "IEEE", "ISO", "PEP", "RFC", "RSA", "SHA", "UTF"}
)
"""Names of standards look like tickets: UTF-8, SHA-256, ISO-8601."""
_EDGE = re.compile(r"\A(?:[\s:;,—–|]|[.-]+(?=\s|$))+")
"""What may stand between an id and the first word; a dot or dash that belongs to the word is
kept.
"""
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Request:
    jira: str
    text: str
    """The request without the id, if the id is at the beginning or end; inside a sentence the id
    stays.
    """
    original: str
    """Every word as given."""


@dataclass(frozen=True)
class WhichTicket:
    """The words name several tickets; a person must say which one is meant."""

    ids: tuple[str, ...]
    original: str

    @property
    def question(self) -> str:
        return f"The request names {len(self.ids)} tickets. Which one is this run about?"


def find_ids(text: str) -> tuple[str, ...]:
    """The distinct tickets that the words name, in the order of the text.

    Something that looks like a standard counts only if there is no other id and the text begins
    with it.
    """
    found = tuple(dict.fromkeys(each for each in _ID.findall(text) if len(each) <= MAX_ID))
    tickets = tuple(each for each in found if each.partition("-")[0] not in _STANDARDS)
    return tickets or tuple(each for each in found[:1] if text.lstrip(" \t\r\n[(").startswith(each))


def read_request(text: str, where: str = "the request") -> Request | WhichTicket:
    """The ticket and its request; raises InputError if there is no id or nothing is asked."""
    ids = find_ids(text)
    if not ids:
        near = _LOWER.search(text)
        mend = (
            f"write {near[0].upper()}" if near else 'for example "PROJ-123 fix the login timeout"'
        )
        raise InputError(Fault(where, f"there is no ticket id in it (form: {PATTERN})", mend))
    if len(ids) > 1:
        return WhichTicket(ids, text)
    return about_ticket(text, ids[0], where)


def about_ticket(text: str, jira: str, where: str = "the request") -> Request:
    """The request once the ticket is known; other ids in it are mere mentions."""
    if not re.fullmatch(PATTERN, jira, re.ASCII) or len(jira) > MAX_ID:
        raise InputError(
            Fault(where, f"{jira!r} is not a ticket id", f"it must be of the form {PATTERN}")
        )
    asked = _without(text, jira)
    if not any(map(str.isalnum, asked)):
        raise InputError(
            Fault(where, f"names {jira} and asks for nothing", f'write "{jira} and what to do"')
        )
    return Request(jira, asked, text)


def _without(text: str, jira: str) -> str:
    """An id at the beginning or the end is a label; elsewhere it is part of a sentence."""
    before, after = _spot(text, jira, first=True)
    if not any(map(str.isalnum, before)):
        text = _EDGE.sub("", f" {before} {after}", count=1)
    before, after = _spot(text, jira, first=False)
    if jira in text and not any(map(str.isalnum, after)):
        text = f"{before}{after}".rstrip(" \t\r\n:;,—–-|(#")
    return text.strip()


def _spot(text: str, jira: str, *, first: bool) -> tuple[str, str]:
    places = [found.span() for found in _ID.finditer(text) if found[0] == jira]
    if not places:
        return text, ""
    start, end = places[0 if first else -1]
    before, after = text[:start], text[end:]
    opened, closed = before.rstrip(), after.lstrip()
    if opened and closed and _PAIRS.get(opened[-1]) == closed[0]:
        return opened[:-1], closed[1:]  # brackets around the id alone are removed with it
    return before, after
