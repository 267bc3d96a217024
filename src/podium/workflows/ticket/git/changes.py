"""What git's reports mean: which changes are only documents, and which branch is the default."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Literal

from podium.core.globs import matches

DOCUMENT = r"^(docs/|.*\.md$|docs/docs_cache_state\.yaml$)"
Dirt = Literal["clean", "docs", "mixed"]
OWN = ("prompts/**", ".podium/**")
"""What the program itself writes; never a person's change."""
_DOCUMENT = re.compile(DOCUMENT, re.DOTALL)


def is_document(path: str) -> bool:
    return _DOCUMENT.match(path) is not None


def foreign(paths: Iterable[str], own: Collection[str] = ()) -> tuple[str, ...]:
    """Changes that the program did not make: `own` names files it wrote in this run, such as
    .gitignore.
    """
    return tuple(sorted({path for path in paths if path not in own and not matches(path, OWN)}))


def dirt(paths: Collection[str]) -> Dirt:
    """How dirty a tree with these changed paths is; a rename counts with both names."""
    if not paths:
        return "clean"
    return "docs" if all(map(is_document, paths)) else "mixed"
