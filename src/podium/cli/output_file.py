"""What a command writes where a person told it to: a place that takes nothing is theirs to mend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from podium.core.errors import UsageError


def write(path: str | Path, text: str, option: str) -> None:
    """`option`: what named the place."""
    with written_to(path, option), open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        file.write(text)


@contextmanager
def written_to(path: str | Path, option: str) -> Iterator[None]:
    """Whatever keeps the block from writing is told of the path that was asked for."""
    try:
        yield
    except OSError as fault:
        raise UsageError(f"{option}: {path} cannot be written: {fault.strerror or fault}") from None
