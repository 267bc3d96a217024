"""Messages for a run in PostgreSQL: the first one with a key wins, and nobody needs to own the
run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from podium.core.errors import Fault, InputError, UsageError
from podium.state.inbox import MAX_BYTES
from podium.state.json_file import parse_object

_MAX_KEY = 200


def written(key: str, message: Mapping[str, Any]) -> str:
    """The message as stored. One that is too large or has no name is refused."""
    if not key or len(key) > _MAX_KEY:
        raise UsageError(
            f"{key!r} cannot be the key of a message: 1 to {_MAX_KEY} characters are allowed"
        )
    body = json.dumps(message, indent=2, ensure_ascii=False).encode(errors="backslashreplace")
    if len(body) > MAX_BYTES:
        raise InputError(
            Fault(
                f"message {key}",
                f"the message has {len(body)} bytes, at most {MAX_BYTES} are allowed",
            )
        )
    return body.decode()


def post(connection: Any, run: str, key: str, body: str, token: str) -> bool:
    """`token` tells our own message, if its answer was lost, from somebody else's."""
    made = connection.execute(
        (
            "insert into podium_message (run, key, token, body) values (%s, %s, %s, %s) on "
            "conflict do nothing"
        ),
        (run, key, token, body),
    )
    if made.rowcount:
        return True
    query = "select token from podium_message where run = %s and key = %s"
    return bool(connection.execute(query, (run, key)).fetchone()[0] == token)


def all_of(connection: Any, run: str) -> dict[str, dict[str, Any]]:
    """All messages by key, in key order."""
    rows = connection.execute(
        "select key, body from podium_message where run = %s", (run,)
    ).fetchall()
    mend = "remove it from podium_message, and decide again"
    return {
        key: parse_object(body.encode(), f"message {key} of run {run}", mend)
        for key, body in sorted(rows)
    }


def withdraw(connection: Any, run: str, key: str) -> bool:
    return bool(
        connection.execute(
            "delete from podium_message where run = %s and key = %s", (run, key)
        ).rowcount
    )
