"""A signed POST. Tried again only where the receiver cannot have taken it: no connection, or it said so."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

import podium
from podium.reach.channel import Undelivered
from podium.reach.notice import Notice
from podium.reach.signing import DELIVERY, SIGNATURE, TIMESTAMP, signature

TRIES = 3
PAUSES_S = (1.0, 4.0)
_REFUSED = frozenset({429, 500, 502, 503, 504})
"""Answers after which the same request may be accepted a moment later."""


@dataclass(frozen=True)
class Webhook:
    url: str
    secret_env: str
    """The variable that holds the secret; "" = unsigned."""
    timeout_s: float
    environ: Mapping[str, str]
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    name: str = "webhook"

    def send(self, notice: Notice) -> None:
        place = checked(self.url)
        body = json.dumps(notice.body(), ensure_ascii=False, sort_keys=True).encode(errors="backslashreplace")
        for number in range(TRIES):
            why = self._try(place, body, notice.id)
            if not why:
                return
            if number < TRIES - 1:
                self.sleep(PAUSES_S[number])
        raise Undelivered(f"{why} ({TRIES} times)")

    def _try(self, place: SplitResult, body: bytes, ident: str) -> str:
        """Why it was not taken and may be tried again; "" where it was taken."""
        connection = _connection(place, self.timeout_s)
        try:
            connection.connect()
        except (OSError, ValueError) as fault:
            connection.close()
            return f"no connection to {place.hostname}: {_said(fault)}"
        try:
            connection.request("POST", _target(place), body, self._headers(body, ident))
            answer = connection.getresponse()
            answer.read(1000)
        except (OSError, http.client.HTTPException) as fault:
            # It may have arrived: a second one would tell the same fact twice.
            raise Undelivered(f"{place.hostname} did not answer: {_said(fault)}") from None
        finally:
            connection.close()
        if answer.status in _REFUSED:
            return f"{place.hostname} answered {answer.status}"
        if not 200 <= answer.status < 300:
            hint = ", and redirects are not followed" if 300 <= answer.status < 400 else ""
            raise Undelivered(f"{place.hostname} answered {answer.status}{hint}")
        return ""

    def _headers(self, body: bytes, ident: str) -> dict[str, str]:
        stamp = str(int(self.clock()))
        found = {
            "Content-Type": "application/json",
            "User-Agent": f"podium/{podium.__version__}",
            TIMESTAMP: stamp,
            DELIVERY: ident,
        }
        if not self.secret_env:
            return found
        secret = self.environ.get(self.secret_env, "")
        if not secret:
            raise Undelivered(f"{self.secret_env} is not set, and nothing is sent unsigned")
        return {**found, SIGNATURE: signature(secret, stamp, body)}


def checked(url: str) -> SplitResult:
    """The parts of an address that can be posted to."""
    try:
        place = urlsplit(url)
        _ = place.port
    except ValueError:
        raise Undelivered("[notify] webhook is no address") from None
    if place.scheme not in {"http", "https"} or not place.hostname:
        raise Undelivered("[notify] webhook must begin with https:// or http:// and name a host")
    if place.username or place.password:
        raise Undelivered("[notify] webhook must not hold a password; sign with webhook_secret_env")
    if any(not "!" <= sign <= "~" for sign in url):
        raise Undelivered("[notify] webhook holds a sign that no address has")
    return place


def _connection(place: SplitResult, timeout_s: float) -> http.client.HTTPConnection:
    host = place.hostname or ""
    if place.scheme == "https":
        return http.client.HTTPSConnection(host, place.port, timeout=timeout_s, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, place.port, timeout=timeout_s)


def _target(place: SplitResult) -> str:
    return (place.path or "/") + (f"?{place.query}" if place.query else "")


def _said(fault: BaseException) -> str:
    if isinstance(fault, TimeoutError):
        return "timed out"
    if isinstance(fault, socket.gaierror):
        return "its name is not known"
    if isinstance(fault, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {fault.verify_message}"
    return getattr(fault, "strerror", None) or type(fault).__name__
