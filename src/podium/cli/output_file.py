"""Writes a file where a person asked for it; if it cannot be written, that is for them to fix."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from podium.core.errors import UsageError


def write(path: str | Path, text: str, option: str) -> None:
    """`option`: the option that named the path."""
    with (
        written_to(path, option),
        open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file,
    ):
        file.write(text)


@contextmanager
def written_to(path: str | Path, option: str) -> Iterator[None]:
    """Report whatever prevents the block from writing, with the path that was asked for."""
    try:
        yield
    except OSError as fault:
        raise UsageError(f"{option}: {path} cannot be written: {fault.strerror or fault}") from None
