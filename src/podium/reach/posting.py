"""One POST to an address that a person configured: no redirects, no proxies of its own choice,
one time limit.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

from podium.reach.channel import Undelivered

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class NoConnection(Undelivered):
    """Nothing was sent, so it can be tried again."""


def checked(url: str, setting: str, secret: str) -> SplitResult:
    """The parts of an address that can be posted to, with errors about `setting`; a password
    belongs in `secret`.
    """
    try:
        place = urlsplit(url)
        _ = place.port
    except ValueError:
        raise Undelivered(f"{setting} is not an address") from None
    if place.scheme not in {"http", "https"} or not place.hostname:
        raise Undelivered(f"{setting} must begin with https:// or http:// and name a host")
    if place.username or place.password:
        raise Undelivered(f"{setting} must not contain a password; {secret}")
    if any(not "!" <= sign <= "~" for sign in url):
        raise Undelivered(f"{setting} contains a character that no address has")
    return place


def post(place: SplitResult, body: bytes, headers: Mapping[str, str], timeout_s: float) -> int:
    """The status of the answer. Raises NoConnection if nothing was sent, Undelivered if that is
    unknown.
    """
    connection = _connection(place, timeout_s)
    try:
        connection.connect()
    except (OSError, ValueError) as fault:
        connection.close()
        raise NoConnection(f"no connection to {place.hostname}: {_said(fault)}") from None
    try:
        connection.request("POST", _target(place), body, dict(headers))
        answer = connection.getresponse()
        answer.read(1000)
    except (OSError, http.client.HTTPException) as fault:
        raise Undelivered(f"{place.hostname} did not answer: {_said(fault)}") from None
    finally:
        connection.close()
    return answer.status


def _connection(place: SplitResult, timeout_s: float) -> http.client.HTTPConnection:
    host = place.hostname or ""
    if place.scheme == "https":
        return http.client.HTTPSConnection(
            host, place.port, timeout=timeout_s, context=ssl.create_default_context()
        )
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
