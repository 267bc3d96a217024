"""How wide lines may be, and sentences that fit: every message of the command line passes here
on its way to a terminal.
"""

from __future__ import annotations

import os
import re
import sys

TYPE_CHECKING = False  # as type checkers know it: `podium` alone imports next to nothing
if TYPE_CHECKING:
    from typing import TextIO

_LEAD = re.compile(r"( *)(?:-> |- |note: )?(?:\S.*? {2,}(?=\S))?")
"""What stands before the sentence of a line: its indent, and a name in a column of its own."""
CLOCK = len("12:03:04 ")
"""How far the lines of a log are set in."""
_WORD = re.compile(r" *\S+")


def fitted(text: str, stream: TextIO, hang: int | None = None) -> str:
    """Sentences broken between words at a terminal; to a pipe each line goes whole."""
    if not stream.isatty():
        return text
    width = columns()
    return "\n".join(part for line in text.split("\n") for part in broken(line, width, hang))


def broken(line: str, width: int, hang: int | None = None) -> list[str]:
    """A line in as many as it takes; what goes on is set in by `hang`, else to where the
    sentence began. A longer word stays whole.
    """
    if len(line) <= width:
        return [line]
    if hang is None:
        lead = _LEAD.match(line)
        indent, whole = (len(lead[1]), len(lead[0])) if lead is not None else (0, 0)
        hang = whole if whole <= width // 2 else indent + 2
    found = [""]
    for word in _WORD.findall(line):
        if found[-1].strip() and len(found[-1]) + len(word) > width:
            found.append(" " * hang + word.lstrip())
        else:
            found[-1] += word
    return found


def columns(otherwise: int = 80) -> int:
    """How wide the lines may be. As `shutil` has it, which brings compressors with it that no
    look at a run needs.
    """
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or otherwise  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return otherwise
