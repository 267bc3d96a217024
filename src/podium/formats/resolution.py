"""Whether an entry of a review is marked as resolved, and so no longer open.

Only a closed set of words resolves an entry, at the places where people mark one. Whatever limits
such a mark (`partially fixed`, `fixed, but …`, `still to be resolved`) leaves the entry open.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_DONE = r"(?:resolved|fixed|closed|mended)"
_SAID = re.compile(
    rf"(?:(?:fully|completely|entirely|now|already|since|all|both|has|have|been|was|were|is|are) )*"
    rf"{_DONE}(?: (?:(?:in|by|since|with|at|during|after) (?:[\w#./-]+ ?){{1,4}}|"
    rf"this (?:round|iteration)|now))?",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\b(?:only|part|half|most|mostly|some|few|many|theory|principle|exceptions?|not|next|later|"
    r"future|follow-?up)\b",
    re.IGNORECASE,
)
"""Words that limit a mark where it stands: `fixed in part`."""
_TAKEN_BACK = re.compile(
    r"\b(?:but|however|except|although|though|partial\w*|partly|remain\w*|still|yet|unless|"
    r"almost|pending|re-?open\w*|regress\w*|incomplete\w*|unresolved|unfixed|needs?|todo|"
    r"only for|only in|only when|only partly|(?:to|will|should|would|must) be|"
    r"not (?:yet|fully|completely|entirely|verified|tested|fixed|resolved|everywhere|all))\b"
    r"|n't (?:yet|fully|been|fixed|resolved)\b",
    re.IGNORECASE,
)
"""Words that take a mark back where it is explained: `fixed, but …`."""
_MARKER = re.compile(
    rf"\[\s*(?P<said>(?:[\w-]+ )?{_DONE}\b[^\[\]]{{0,60}})\](?![(\[:])", re.IGNORECASE
)
_TRAILING = re.compile(
    rf"(?:\s[—–-]+\s*|\s*\(|[✅✔☑]\ufe0f?\s*)(?P<said>[^—–(\[]*?{_DONE}[^—–(\[]*?)\)?$",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"~~[^~]+~~[\s.:]*")
_HEADING = re.compile(
    rf"(?:(?:previously|already|now|fully) )?{_DONE}"
    r"(?: (?:findings?|issues?|problems?|items?|blockers?|entries|defects?))?"
    r"(?: (?:in|since|during) .{1,60}|\s?\(\d{1,4}\))?",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"\s*(?:[—–;]|\.(?=\s|$)|\s-\s|\s\((?=[^()]*\)$)|"
    r",\s+(?=(?:and\s+)?(?:but|however|except|verified|tested|confirmed|covered|see|by|in)\b))"
)
_LONGEST = 300
"""Only this many characters are searched."""


def is_resolved(value: str) -> bool:
    """Whether a value such as that of a `Status:` says that its entry is resolved."""
    head, *explained = _HEAD.split(_plain(value), maxsplit=1)
    return (
        _SAID.fullmatch(head.strip(" .!")) is not None
        and not _LIMITED.search(head)
        and not any(map(_TAKEN_BACK.search, (head, *explained)))
    )


def is_marked(title: str) -> bool:
    """Whether a title or a line marks its entry: `[Resolved] …`, `… — FIXED`, struck through."""
    title = title[:_LONGEST].strip()
    if _STRUCK.fullmatch(title.strip("*_ ")):
        return True
    found = _MARKER.search(title) or _TRAILING.search(title.rstrip("*_ .✅✔☑\ufe0f"))
    return found is not None and is_resolved(found["said"])


def is_entry_resolved(title: str, statuses: Sequence[str]) -> bool:
    """Whether an entry is resolved: its own statuses count before its title."""
    return all(map(is_resolved, statuses)) if statuses else is_marked(title)


def is_heading(title: str) -> bool:
    """Whether a heading stands over entries that are all resolved."""
    return _HEADING.fullmatch(_plain(title).rstrip(":").strip()) is not None


def _plain(text: str) -> str:
    """The text without emphasis and signs, each run of white space as one space."""
    kept = (
        " " if unicodedata.category(sign) in ("So", "Mn", "Cf") or sign in "*_`~" else sign
        for sign in text[:_LONGEST].partition("<!--")[0]
    )
    return " ".join("".join(kept).split())
