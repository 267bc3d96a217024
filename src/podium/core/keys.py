"""Keys: a stable path that identifies a step in events, folders and commands."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

_SAFE = re.compile(r"[A-Za-z0-9._-]+")


def base_of(step: str) -> str:
    """A step's name as people read and type it, and as its keys start."""
    return step.replace("_", "-")


def component(text: str) -> str:
    """Any text as one part of a key: characters that are unsafe in a folder name are
    percent-encoded.
    """
    if _SAFE.fullmatch(text) and text not in {".", ".."}:
        return text
    encoded = "".join(
        c if _SAFE.fullmatch(c) else "".join(f"%{b:02X}" for b in c.encode()) for c in text
    )
    return encoded.replace(".", "%2E") if encoded in {"", ".", ".."} else encoded


def path(text: str) -> str:
    """A text with slashes as several parts of a key."""
    return "/".join(map(component, text.split("/")))


def join(*parts: str | int) -> str:
    return "/".join(str(part) for part in parts if part != "")


def numbered(base: str, number: int, *, loops: bool) -> str:
    """A step that runs once by design leaves out its 1; a step of a loop always shows its round."""
    return base if number == 1 and not loops else f"{base}/{number}"


def matches(pattern: str, key: str) -> bool:
    """Whether a person's pattern means this key; `build` also means `build/1` and `build/1` also
    `build`.
    """
    return any(fnmatchcase(name, pattern) for name in spellings(key))


def spellings(key: str) -> tuple[str, ...]:
    base, _, number = key.rpartition("/")
    if number == "1" and base:
        return (key, base)
    return (key,) if number.isdigit() else (key, f"{key}/1")


def names(typed: str, key: str) -> bool:
    """Whether what a person typed names this key, in any of its rounds: `qa` names `qa/1` and
    `qa/3`.
    """
    base, _, number = key.rpartition("/")
    return matches(typed, key) or (number.isdigit() and typed == base)


def asked_within(gate: str) -> bool:
    """Whether a step that is still going on opened this gate: an agent's question, work for a
    person, changed files, changed tests.
    """
    return gate.rpartition("/")[2].startswith(("question-", "parked-", "drift-", "weakened-"))
