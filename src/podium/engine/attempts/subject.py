"""The subject of a step's commit on the run's branch: what was done, as a person reads it in `git
log`.

The trailer `Podium-Step` names the step, for programs as well.
"""

from __future__ import annotations

import re

LONGEST = 72
_MARKS = " \t#*_`>-–—•|"
_STATUS = re.compile(
    r"^(?:status|verdict|result|summary|final (?:message|answer|report))\b[\s:*_=–—-]*"
    r"|^(?:done|complete[d]?|success(?:ful)?|ok|finished|accepted|fixed)\b\s*(?:[:–—!.,-]\s*|$)",
    re.IGNORECASE,
)
_CODE = re.compile(r"^(?:```|~~~|\{|\[|<)")


def subject(summary: str, key: str) -> str:
    """The first line that says something, without marks and status words, cut between words;
    otherwise the step's key.
    """
    for line in summary.splitlines():
        said = _said(line)
        if len(said.split()) > 1:
            return _cut(said)
    return f"Work of {key}"


def _said(line: str) -> str:
    if _CODE.match(line.strip()):
        return ""
    said = " ".join(line.split()).strip(_MARKS)
    while (shorter := _STATUS.sub("", said, count=1).strip(_MARKS)) != said:
        said = shorter
    # A line that ends with a colon introduces what follows.
    return "" if said.endswith(":") else said


def _cut(said: str) -> str:
    if len(said) <= LONGEST:
        return said.rstrip(" .;,:")
    return said[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(" .;,:–—-") + "…"
