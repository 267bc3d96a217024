"""The note with which an interrupted dispatch continues its agent's session. It is kept in the
scratch folder.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from podium.agents.prompt import digest_of
from podium.agents.reporting.server import put
from podium.agents.verdict_file import BadFile, read_verdict

NAME = "session.json"
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
"""It becomes an argument, and an agent may have written it."""


def keep(scratch: Path, session: str, prompt: str) -> None:
    if _SESSION.fullmatch(session):
        put(
            os.fspath(scratch / NAME),
            json.dumps({"session": session, "prompt": digest_of(prompt)}).encode(),
        )


def kept(scratch: Path, prompt: str) -> str:
    """The session that was started with this very prompt; empty if there is none to continue."""
    try:
        found = read_verdict(scratch / NAME) or {}
    except BadFile:
        return ""
    session = found.get("session")
    if not isinstance(session, str) or found.get("prompt") != digest_of(prompt):
        return ""
    return session if _SESSION.fullmatch(session) else ""


def forget(scratch: Path) -> None:
    if os.path.lexists(scratch / NAME):
        os.unlink(scratch / NAME)
