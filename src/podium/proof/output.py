"""A command's output as plain lines, however long it is and whatever it prints for terminals."""

from __future__ import annotations

import re
from collections.abc import Iterator

HEAD, TAIL = 1500, 500
"""Characters kept of a longer line. Its end counts too: what a program printed without a line break
stands before what the runner printed next.
"""
_CHUNK = 1 << 20

_MOVES = re.compile(r"\x1b\[[0-9;]{0,20}[ABCDGHJ]")
"""Instructions to write somewhere else: what follows is a line of its own."""
_STYLES = re.compile(
    r"\x1b\[[0-9;:?]{0,40}[mKhlsu]|\x1b\(B|\x1b\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)"
)
"""Only these: a longer list would let `ESC [` swallow the first letter of FAILED."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def plain(output: str) -> str:
    """The output without colours; a carriage return and a jump of the cursor begin a new line."""
    if "\x1b" in output:
        output = _STYLES.sub("", _MOVES.sub("\n", output))
    if "\r" in output:
        output = output.replace("\r\n", "\n").replace("\r", "\n")
    return output


def lines(text: str) -> Iterator[str]:
    """The lines of a plain output, each at most HEAD + TAIL characters: of a longer one its head
    and its tail, as two lines.
    """
    start, length = 0, len(text)
    while start < length:
        end = start + _CHUNK
        if end < length:
            stop = text.rfind("\n", start, end)
            end = stop if stop >= 0 else text.find("\n", end)
            end = length if end < 0 else end
        for line in text[start:end].split("\n"):
            if len(line) > HEAD + TAIL:
                yield line[:HEAD]
                yield line[-TAIL:]
            else:
                yield line
        start = end + 1


def printable(text: str) -> str:
    """A name from an output as one line that a terminal does not act on."""
    return _CONTROL.sub(" ", text).strip()
