"""Headers in both directions: the agent's keys never go up, and connection headers never pass to
the other side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, urlencode

Headers = list[tuple[str, str]]
_ONE_CONNECTION = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "trailers",
        "transfer-encoding",
        "upgrade",
        "content-length",
        "host",
        "expect",
        "http2-settings",
        "alt-svc",
        # A server that obeys these would do something other than what was judged here.
        "x-http-method-override",
        "x-http-method",
        "x-method-override",
    }
)
_SECRET = re.compile(
    r"auth|api-?key|token(?!s)|secret|cookie|password|credential|x-goog-user-project", re.IGNORECASE
)
_WHENCE = re.compile(
    (
        r"^(x-forwarded-|forwarded$|via$|x-real-ip$|cf-|true-client-ip$|openai-(organization|"
        r"project)$)"
    ),
    re.IGNORECASE,
)
KEY_HEADERS = ("x-api-key", "authorization", "x-goog-api-key", "api-key")
_PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*")
_HIDDEN = re.compile(r"%(2e|2f|5c|00|25|0a|0d)", re.IGNORECASE)


def token_of(headers: Mapping[str, str], query: str) -> str:
    """The key that a client sent, in whichever way its provider expects it."""
    for name in KEY_HEADERS:
        if value := headers.get(name, "").strip():
            return value[7:].strip() if value[:7].lower() == "bearer " else value
    return dict(parse_qsl(query)).get("key", "")


def upward(headers: Iterable[tuple[str, str]], key: tuple[str, str] | None) -> Headers:
    """What the provider gets: the agent's own headers, and the real key."""
    given = [(name.lower(), value) for name, value in headers]
    named = {
        each.strip().lower()
        for name, value in given
        if name == "connection"
        for each in value.split(",")
    }
    kept = [
        (name, value)
        for name, value in given
        if name not in _ONE_CONNECTION | named | {"accept-encoding"}
        and not _SECRET.search(name)
        and not _WHENCE.match(name)
    ]
    # Uncompressed, because we read it on the way.
    return [*kept, ("accept-encoding", "identity"), *([key] if key else [])]


def downward(headers: Iterable[tuple[str, str]], *, changed: bool = False) -> Headers:
    """What the agent gets. `changed`: the length differs from what was received."""
    left_out = _ONE_CONNECTION - ({"content-length"} if not changed else set()) | {
        "set-cookie",
        "strict-transport-security",
    }
    return [
        (name, value)
        for name, value in ((name.lower(), value) for name, value in headers)
        if name not in left_out
    ]


def without_key(query: str) -> str:
    """The query without the key that some clients put there."""
    if "key" not in query:
        return query
    return urlencode(
        [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != "key"]
    )


def plain_path(path: str) -> bool:
    """Whether a path means the same to every server: no climbing, no hidden slashes, no second
    host.
    """
    if not _PATH.fullmatch(path) or _HIDDEN.search(path) or "//" in path:
        return False
    return not any(part in {".", ".."} for part in path.split("/"))
