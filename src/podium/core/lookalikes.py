"""Names that some file systems treat as one: most Macs take `Podium.toml` for `podium.toml`, and
`.GIT` for `.git`.

Git refuses look-alikes of `.git` everywhere, since what is committed here is checked out elsewhere.
Podium does the same for the files that decide what runs and who may do what: git's, its own, and
definitions of agents. Other protected files have ordinary names; another spelling of one is another
file if the local file system says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from podium.core.globs import matches

EVERYWHERE = ("**/.git", "**/.podium", "**/podium.toml", ".github/agents", ".claude/agents")
"""No agent may write a look-alike of these, whatever the file system."""
_UNSEEN = re.compile(r"[\u200c-\u200f\u202a-\u202e\u2060\u206a-\u206f\ufeff]")
"""Characters that HFS+ ignores when it compares names."""
_SHORT = re.compile(r"git~\d+\Z")
"""The short name (8.3) of `.git` on FAT and NTFS."""


def folded(path: str) -> str:
    """The path as the most forgiving file system compares it."""
    return "/".join(map(_folded, path.replace("\\", "/").split("/")))


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    if (
        name.isascii()
        and name.islower()
        and name[-1:] not in {".", " "}
        and ":" not in name
        and "~" not in name
    ):
        return name
    # NTFS: a colon starts the name of a stream of the file; dots and spaces at the end are dropped.
    plain = _UNSEEN.sub("", name).partition(":")[0].rstrip(". ") or name
    told = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", plain).casefold())
    return ".git" if _SHORT.match(told) else told


def looks_like(path: str, patterns: Iterable[str]) -> bool:
    """Whether a file system that folds names takes the path for one of these."""
    return matches(folded(path), map(_pattern, patterns))


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", pattern).casefold())
