"""What every request must satisfy before anything looks at it, and what every answer tells the
browser.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY = 256 * 1024
MOST_PATH = 2048
MOST_QUERY = 8192
BODY_S = 10.0
"""How long a form may take to arrive."""
FORM = "application/x-www-form-urlencoded"

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' "
    "data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not `no-referrer`: browsers would then send our own forms with `Origin: null`.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Refused(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Guard:
    """Wraps the whole site. `hosts`: names it answers to, as `host:port`; `schemes`: how people
    may reach it.
    """

    def __init__(
        self, app: ASGIApp, hosts: Iterable[str], schemes: Iterable[str] = ("http",)
    ) -> None:
        self._app = app
        self._hosts = frozenset(each.lower() for each in hosts)
        self._origins = frozenset(
            f"{scheme}://{host}" for scheme in schemes for host in self._hosts
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        nonce = secrets.token_urlsafe(16)
        answer = _with_headers(send, nonce)
        scope["podium.nonce"] = nonce
        try:
            self._check(scope)
            if scope["method"] == "POST":
                receive = await _whole_body(scope, receive)
        except Refused as refused:
            # The rest of the request is not read, so the connection cannot be reused.
            plain = PlainTextResponse(
                f"{refused}\n", refused.status, headers={"connection": "close"}
            )
            await plain(scope, receive, answer)
            return
        await self._app(scope, receive, answer)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise Refused(
                421,
                "This is not the name of this dashboard. Use the address that `podium ui` printed.",
            )
        if scope["method"] not in {"GET", "HEAD", "POST"}:
            raise Refused(405, "Only GET and POST are answered.")
        if (
            len(scope["raw_path"] or scope["path"]) > MOST_PATH
            or len(scope["query_string"]) > MOST_QUERY
        ):
            raise Refused(414, "The address is too long.")
        site, mode = headers.get("sec-fetch-site", ""), headers.get("sec-fetch-mode", "")
        if scope["method"] == "POST":
            self._check_origin(headers.getlist("origin"), site)
        elif site in {"cross-site", "same-site"} and mode != "navigate":
            raise Refused(403, "Another site may not read from here.")

    def _check_origin(self, origins: list[str], site: str) -> None:
        """A form from another site has that site's origin; a request that says nothing about
        itself is not ours.
        """
        own = [each.lower() in self._origins for each in origins]
        if not all(own) or len(own) > 1 or site not in {"", "same-origin"} or not (own or site):
            raise Refused(403, "This form was not sent from this dashboard.")


async def _whole_body(scope: Scope, receive: Receive) -> Receive:
    """Read the whole body within the limits; returns a `receive` that supplies it again."""
    headers = Headers(scope=scope)
    if headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise Refused(415, f"Forms are sent as {FORM}.")
    if (
        not headers.get("content-length", "0").isdigit()
        or int(headers.get("content-length", "0")) > MOST_BODY
    ):
        raise Refused(413, f"A form may have {MOST_BODY} bytes.")
    try:
        body = await asyncio.wait_for(_read(receive), BODY_S)
    except TimeoutError:
        raise Refused(408, "The form did not arrive in time.") from None
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _read(receive: Receive) -> bytes:
    body = b""
    while True:
        message: MutableMapping[str, Any] = await receive()
        if message["type"] != "http.request":
            raise Refused(400, "The form ended too early.")
        body += bytes(message.get("body", b""))
        if len(body) > MOST_BODY:
            raise Refused(413, f"A form may have {MOST_BODY} bytes.")
        if not message.get("more_body", False):
            return body


def _with_headers(send: Send, nonce: str) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers["content-security-policy"] = _POLICY.format(nonce=nonce)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return answer
