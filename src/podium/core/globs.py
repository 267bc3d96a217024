"""Path patterns as people write them in contracts: `*` stays in a folder, `**` crosses folders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    out: list[str] = []
    rest = pattern.rstrip("/")
    at = 0
    while at < len(rest):
        if rest.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
        elif rest.startswith("**", at):
            out.append(".*")
            at += 2
        elif rest[at] == "*":
            out.append("[^/]*")
            at += 1
        elif rest[at] == "?":
            out.append("[^/]")
            at += 1
        else:
            out.append(re.escape(rest[at]))
            at += 1
    # A pattern that names a folder also matches everything in it.
    return re.compile("".join(out) + r"(?:/.*)?\Z", re.DOTALL)


def matches(path: str, patterns: Iterable[str]) -> bool:
    return any(_compiled(pattern).match(path) for pattern in patterns)
