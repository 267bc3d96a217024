"""A diff as git shows it, read for what it does to each file."""

from __future__ import annotations

import re

from podium.workflows.governed.phase.hazards import Change

_HEAD = re.compile(r'diff --git "?a/.*?"? "?b/(?P<path>.*?)"?')


def read_patch(text: str) -> tuple[Change, ...]:
    """Every file of the diff: whether it is new or deleted, and the lines that were added."""
    first, *blocks = re.split(r"(?m)^(?=diff --git )", text)
    found: list[Change] = []
    for block in blocks:
        head, _, rest = block.partition("\n")
        named = _HEAD.fullmatch(head.rstrip("\r"))
        about, _, body = rest.partition("\n@@")
        # Split only at git's line ends: splitting elsewhere would hide what follows such a
        # character.
        added = tuple(line[1:] for line in body.split("\n") if line.startswith("+"))
        deleted, unread = (
            _says(about, "deleted file"),
            _says(about, "GIT binary patch") or _says(about, "Binary files "),
        )
        path = named["path"] if named else head
        found.append(
            Change(path, deleted, _says(about, "new file"), added, unread=unread and not deleted)
        )
    if first.strip():  # git begins with a file, so this is a note about what was left out
        found.append(Change(first.strip().partition("\n")[0], unread=True))
    return tuple(found)


def _says(about: str, word: str) -> bool:
    return any(line.startswith(word) for line in about.split("\n"))
