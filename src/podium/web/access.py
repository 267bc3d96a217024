"""Who may come in, and as whom: a link that works once, a password, or a proxy's word."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

SESSIONS = 64
"""How many people can be signed in at once; beyond that, the oldest session ends."""
TRIES = 5
"""Wrong passwords in a row before everybody has to wait."""
PAUSE_S = 30.0
LONGEST_NAME = 80
SHORTEST_PASSWORD = 12


class TooOften(Exception):
    """Too many wrong passwords; nobody is let in for a while."""


@dataclass(frozen=True)
class Visitor:
    """Somebody who was let in."""

    who: str
    csrf: str
    """A token that each of their forms must send back."""
    cookie: str = ""


class Access:
    """One of three ways in: `who` by a link, anybody with the password, or whomever the proxy
    names in `header`.
    """

    def __init__(
        self,
        port: int,
        *,
        who: str = "",
        password: str = "",
        header: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.cookie = f"podium_{port}"
        """Cookies ignore ports, and two dashboards must not use each other's."""
        self.header = header.lower()
        self._who, self._password, self._clock = who, password, clock
        self._secret = secrets.token_bytes(32)
        self._token = ""
        self._sessions: dict[str, str] = {}
        self._failures = 0
        self._closed_until = 0.0

    @property
    def by_password(self) -> bool:
        return bool(self._password)

    @property
    def remote(self) -> bool:
        return bool(self._password or self.header)

    def new_token(self) -> str:
        """The token of the next link; it invalidates the one before."""
        self._token = secrets.token_urlsafe(32)
        return self._token

    def exchange(self, token: str) -> str | None:
        """A cookie's value in exchange for a link's token, once."""
        if self.remote or not self._token or not same(token, self._token):
            return None
        self._token = ""
        return self._admit(self._who)

    def sign_in(self, name: str, password: str) -> str | None:
        """A cookie's value for a name and the password; None if either is wrong."""
        if not self.by_password:
            return None
        if self._clock() < self._closed_until:
            raise TooOften
        right = same(password, self._password)
        if not right:
            self._failures += 1
            if self._failures >= TRIES:
                self._failures, self._closed_until = 0, self._clock() + PAUSE_S
            return None
        self._failures = 0
        return self._admit(name.strip()) if fit_name(name) else None

    def leave(self, cookie: str) -> None:
        self._sessions.pop(cookie, None)

    def visitor(self, cookies: Mapping[str, str], named: Sequence[str] = ()) -> Visitor | None:
        """Who makes the request; `named` are all values of the proxy's header in it."""
        if self.header:
            # A header that is given twice did not come from the proxy alone.
            if len(named) != 1 or not fit_name(named[0]):
                return None
            name = named[0].strip()
            return Visitor(name, self._csrf(f"name {name}"))
        cookie = cookies.get(self.cookie, "")
        who = next((name for known, name in self._sessions.items() if same(known, cookie)), None)
        return None if who is None else Visitor(who, self._csrf(cookie), cookie)

    def _admit(self, who: str) -> str:
        cookie = secrets.token_urlsafe(32)
        self._sessions[cookie] = who
        while len(self._sessions) > SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return cookie

    def _csrf(self, of: str) -> str:
        return hmac.new(self._secret, of.encode(errors="replace"), hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare in a time that does not reveal where they differ."""
    first, second = (
        hashlib.sha256(each.encode(errors="replace")).digest() for each in (one, other)
    )
    return hmac.compare_digest(first, second)


def fit_name(name: str) -> bool:
    """Whether the journal can use it as the name of who decided."""
    return 0 < len(name.strip()) <= LONGEST_NAME and name.isprintable()
