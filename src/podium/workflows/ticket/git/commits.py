"""What the program commits: a conventional subject, a body, and trailers as data."""

from __future__ import annotations

import re
from collections.abc import Mapping

TYPES: Mapping[str, str] = {"feature": "feat", "fix": "fix", "chore": "chore"}
MAX_SUBJECT = 72
_SPACE = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]+")
_CONVENTIONAL = re.compile(
    r"^(?:feat|fix|chore|docs|refactor|test|build|ci|perf|style)(?:\([^)]*\))?!?:\s*", re.IGNORECASE
)


def subject(work_type: str, jira: str, summary: str) -> str:
    """`feat(PROJ-123): add a login button`, at most 72 characters, cut between words."""
    head = f"{TYPES[work_type]}({jira}): "
    said = _CONVENTIONAL.sub("", _one_line(summary)).removeprefix(jira).strip(" :—–-.")
    said = said or "complete the request"
    first = said.split(" ", 1)[0]
    if first[:1].isupper() and first[1:].islower():  # names and abbreviations keep their capitals
        said = said[0].lower() + said[1:]
    room = MAX_SUBJECT - len(head)
    if len(said) > room:
        cut = said[: room + 1].rsplit(" ", 1)[0] if " " in said[: room + 1] else said[:room]
        said = cut.rstrip(" ,;:—–-.")
    return head + said


def documents_subject(jira: str) -> str:
    return f"docs({jira}): refresh the documentation"


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
