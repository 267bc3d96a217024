"""What a dispatch leaves for the one that continues it: the session's id, its prompt, and what a
person is asked.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.agents.acp.client import Request
from podium.agents.reporting.server import put
from podium.agents.verdict_file import BadFile, read_verdict

NAME = "acp-session.json"
_LONGEST = 512


@dataclass(frozen=True)
class Kept:
    session: str
    prompt: str
    """Digest of the prompt that started the session."""
    waiting: Request | None = None


def keep(scratch: Path, kept: Kept) -> None:
    """Also called while the agent is working, which can write there too; little depends on what
    it could change.
    """
    data: dict[str, Any] = {"session": kept.session, "prompt": kept.prompt}
    if kept.waiting is not None:
        asked = kept.waiting
        data["waiting"] = {
            "kinds": list(asked.kinds),
            "paths": list(asked.paths),
            "words": asked.words,
        }
    put(os.fspath(scratch / NAME), json.dumps(data).encode())


def kept(scratch: Path) -> Kept | None:
    """What was kept; None if there is nothing usable."""
    try:
        data = read_verdict(scratch / NAME)
    except BadFile:
        return None
    if data is None or not _short(data.get("session")) or not _short(data.get("prompt")):
        return None
    return Kept(data["session"], data["prompt"], _request(data.get("waiting")))


def forget(scratch: Path) -> None:
    if os.path.lexists(scratch / NAME):
        os.unlink(scratch / NAME)


def _request(data: Any) -> Request | None:
    if not isinstance(data, dict):
        return None
    kinds, paths, words = _texts(data.get("kinds")), _texts(data.get("paths")), data.get("words")
    if kinds is None or paths is None or not isinstance(words, str):
        return None
    return Request(kinds, paths, words)


def _texts(value: Any) -> tuple[str, ...] | None:
    good = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return tuple(value) if good else None


def _short(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST
