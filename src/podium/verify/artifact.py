"""Trust files, not narration: an artifact exists, is readable, has content and the promised
structure, or is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from podium.core.contract import Output
from podium.core.digest import digest

FailureClass = Literal["missing", "empty", "malformed", "unreadable"]

MAX_BYTES = 5_000_000
"""An artifact is a document for people; the largest we saw in real runs was 80 KB."""


@dataclass(frozen=True)
class Verified:
    name: str
    path: str
    text: str
    digest: str


@dataclass(frozen=True)
class Rejected:
    path: str
    failure: FailureClass
    detail: str


def verify(output: Output, text: str | Rejected, template: str) -> Verified | Rejected:
    """Verify one output of a step; `text` is what was read, or why it cannot be."""
    if isinstance(text, Rejected):
        return text
    if not text.strip() and output.blank:
        return Verified(output.name, output.path, text, digest(text))
    if not text.strip():
        return Rejected(output.path, "empty", "the file holds nothing but white space")
    faults = output.check(text, template) if output.check else ()
    if faults:
        return Rejected(output.path, "malformed", "; ".join(faults))
    return Verified(output.name, output.path, text, digest(text))


def decode(path: str, data: bytes) -> str | Rejected:
    try:
        return data.decode()
    except UnicodeDecodeError as fault:
        return Rejected(path, "unreadable", f"it is not UTF-8 (byte {fault.start})")
