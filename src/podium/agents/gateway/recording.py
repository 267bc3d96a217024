"""Records exchanges in a file and replays them: the same requests get the same answers, byte for
byte.

One line of JSON per exchange, in the order in which they ended. No keys are stored: request headers
are not kept, and texts go through the run's redactor.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.agents.gateway.difference import difference
from podium.core.errors import Fault, InputError

Redact = Callable[[str], str]
FORMAT = 1
_OWN = frozenset({"metadata", "prompt_cache_key", "client_metadata", "safety_identifier", "user"})
"""Request fields in which clients count sessions and machines; answers do not depend on them."""
_KEPT = frozenset({"content-type", "content-encoding", "retry-after", "request-id", "x-request-id"})


@dataclass(frozen=True)
class Exchange:
    """One request and its answer."""

    method: str
    path: str
    """With its query, without a key."""
    body: str
    status: int
    headers: tuple[tuple[str, str], ...]
    parts: tuple[bytes, ...]
    """In the parts in which they arrived."""
    cut: bool = False
    """Whether the provider broke off."""


class Recorder:
    """Appends to a file that only its owner can read."""

    def __init__(self, path: Path, redact: Redact) -> None:
        self._redact = redact
        self._path = path
        os.makedirs(path.parent, exist_ok=True)

    def add(self, exchange: Exchange) -> None:
        line = json.dumps(
            {
                "format": FORMAT,
                "method": exchange.method,
                "path": exchange.path,
                "body": self._redact(exchange.body),
                "status": exchange.status,
                "headers": [
                    each for each in exchange.headers if each[0] in _KEPT or "ratelimit" in each[0]
                ],
                "parts": [_stored(each) for each in self._clean(exchange.parts)],
                "cut": exchange.cut,
            },
            ensure_ascii=False,
        )
        descriptor = os.open(
            self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
        )
        with open(descriptor, "ab") as file:
            file.write(line.encode(errors="backslashreplace") + b"\n")

    def _clean(self, parts: Sequence[bytes]) -> Sequence[bytes]:
        """The parts unchanged, or joined into one if a secret had to be removed, since it may
        span two of them.
        """
        whole = b"".join(parts).decode(errors="surrogateescape")
        redacted = self._redact(whole)
        return parts if redacted == whole else [redacted.encode(errors="surrogateescape")]


class Replayer:
    """Answers from a recording. If the same request comes twice, it gets its first answer, then
    its second.
    """

    def __init__(self, exchanges: Iterable[Exchange], redact: Redact) -> None:
        self._redact = redact
        self._answers: dict[str, list[Exchange]] = {}
        self._asked: dict[str, int] = {}
        for each in exchanges:
            self._answers.setdefault(_ident(each.method, each.path, each.body), []).append(each)

    def answer(self, method: str, path: str, body: str) -> Exchange | str:
        """The recorded exchange, or a message that says why there is none."""
        body = self._redact(body)
        ident = _ident(method, path, body)
        known = self._answers.get(ident, [])
        number = self._asked.get(ident, 0)
        if number < len(known):
            self._asked[ident] = number + 1
            return known[number]
        if known:
            return f"replay: {method} {path} was recorded {len(known)} times and is asked once more"
        return f"replay: this request is not in the record: {self._nearest(method, path, body)}"

    def _nearest(self, method: str, path: str, body: str) -> str:
        same = [
            each[0]
            for each in self._answers.values()
            if (each[0].method, each[0].path) == (method, path)
        ]
        if not same:
            places = sorted({each[0].path for each in self._answers.values()})
            return (
                f"nothing was recorded for {method} {path}; recorded: "
                f"{', '.join(places) or 'nothing'}"
            )
        now = _members(body)
        found = [difference(_members(each.body), now) for each in same]
        return max(found, key=lambda each: each.same).words


def load(path: Path) -> list[Exchange]:
    """Every exchange of a recording. Raises InputError if the file is not one."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(Fault(str(path), f"cannot be read: {fault}")) from None
    found: list[Exchange] = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(_exchange(json.loads(line)))
        except (ValueError, KeyError, TypeError) as fault:
            raise InputError(
                Fault(
                    f"{path}:{number}",
                    f"is not a recorded exchange: {type(fault).__name__}: {fault}",
                )
            ) from None
    return found


def _exchange(data: Mapping[str, Any]) -> Exchange:
    if data["format"] != FORMAT:
        raise ValueError(f"format {data['format']!r} is not {FORMAT}")
    return Exchange(
        str(data["method"]),
        str(data["path"]),
        str(data["body"]),
        int(data["status"]),
        tuple((str(name), str(value)) for name, value in data["headers"]),
        tuple(_loaded(each) for each in data["parts"]),
        bool(data["cut"]),
    )


def _stored(part: bytes) -> str | dict[str, str]:
    try:
        return part.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(part).decode()}


def _loaded(part: str | Mapping[str, str]) -> bytes:
    return (
        part.encode() if isinstance(part, str) else base64.b64decode(part["base64"], validate=True)
    )


def _members(body: str) -> Any:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return body
    return (
        {name: value for name, value in data.items() if name not in _OWN}
        if isinstance(data, dict)
        else data
    )


def _ident(method: str, path: str, body: str) -> str:
    text = json.dumps([method, path, _members(body)], sort_keys=True)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
