"""Names that are one name to some file system: `Podium.toml` is `podium.toml` on most Macs, and `.GIT` is `.git`.

Git bars look-alikes of `.git` everywhere, since what is committed here is checked out elsewhere. So it is with the
files that say what runs and who may: git's, Podium's, and definitions of agents. Other protected files have ordinary
names, and a file with another spelling of one is another file where the file system says so.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from podium.core.globs import matches
from podium.core.regex import regex

EVERYWHERE = ("**/.git", "**/.podium", "**/podium.toml", ".github/agents", ".claude/agents")
"""No look-alike of these is written by an agent, whatever the file system."""
_UNSEEN = regex(r"[\u200c-\u200f\u202a-\u202e\u2060\u206a-\u206f\ufeff]")
"""Signs that HFS+ leaves out when it compares names."""
_SHORT = regex(r"git~\d+\Z")
"""What `.git` is called on FAT and NTFS for programs that know eight letters."""


def folded(path: str) -> str:
    """The path as the most forgiving file system compares it."""
    return "/".join(map(_folded, path.replace("\\", "/").split("/")))


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    if name.isascii() and name.islower() and name[-1:] not in {".", " "} and ":" not in name and "~" not in name:
        return name
    # NTFS: what follows a colon is a stream of the file, and dots and spaces at the end are dropped.
    plain = _UNSEEN.sub("", name).partition(":")[0].rstrip(". ") or name
    told = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", plain).casefold())
    return ".git" if _SHORT.match(told) else told


def looks_like(path: str, patterns: Iterable[str]) -> bool:
    """Whether the path is one of these to a file system that folds names."""
    return matches(folded(path), map(_pattern, patterns))


@lru_cache(maxsize=1024)
def _pattern(pattern: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", pattern).casefold())
