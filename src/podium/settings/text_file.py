"""A text file that a person wrote: its text, or a fault that they can correct."""

from __future__ import annotations

from pathlib import Path

from podium.core.errors import Fault, InputError


def text_of(path: Path, where: str) -> str:
    """`where`: the file's name for people. If it exists but is not text, that is a fault of the
    file, never of the program.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        line = fault.object.count(b"\n", 0, fault.start) + 1
        raise InputError(
            Fault(f"{where}:{line}", "is not UTF-8 text", "save it as UTF-8")
        ) from None
    except OSError as error:
        raise InputError(Fault(where, f"cannot be read: {error.strerror}")) from None
