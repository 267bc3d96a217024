"""A difference as git shows it, read for what it does to each file."""

from __future__ import annotations

import re

from podium.workflows.governed.phase.hazards import Change

_HEAD = re.compile(r'diff --git "?a/.*?"? "?b/(?P<path>.*?)"?')


def read_patch(text: str) -> tuple[Change, ...]:
    """Every file of the difference: whether it is new or gone, and the lines that were added."""
    found: list[Change] = []
    for block in re.split(r"(?m)^(?=diff --git )", text):
        head, _, rest = block.partition("\n")
        if (named := _HEAD.fullmatch(head.rstrip("\r"))) is None:
            continue
        about, _, body = rest.partition("\n@@")
        added = tuple(line[1:] for line in body.splitlines() if line.startswith("+"))
        found.append(Change(named["path"], _says(about, "deleted file"), _says(about, "new file"), added))
    return tuple(found)


def _says(about: str, word: str) -> bool:
    return any(line.startswith(word) for line in about.splitlines())
