"""A prompt as an argument of a program, and as a digest by which it is known again."""

from __future__ import annotations

import hashlib
from pathlib import Path

LONGEST_ARGUMENT = 120_000
"""Linux allows 131,072 bytes in one argument."""


def as_argument(prompt: str, file: Path) -> str:
    """The prompt, or for a long one the name of the file that holds it."""
    if len(prompt.encode(errors="replace")) <= LONGEST_ARGUMENT:
        return prompt
    return f"Your instructions are in the file {file}. Read all of it first, then do what it says."


def digest_of(prompt: str) -> str:
    return hashlib.sha256(prompt.encode(errors="replace")).hexdigest()
