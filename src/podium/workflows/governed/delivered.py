"""What a finished phase delivered, in the lines below its headline: what its commands proved, and
what its review found.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST = 10
"""Issues that are named; how many more there are is always said."""


def details(record: Mapping[str, Any]) -> list[str]:
    proof = " · ".join(map(str, record.get("proof", ())))
    issues = [
        each
        for each in (record.get("review") or {}).get("issues", ())
        if isinstance(each, Mapping) and each.get("description")
    ]
    rest = len(issues) - MOST
    return [
        *([f"  proof: {proof}"] if proof else []),
        *(f"  {_issue(each)}" for each in issues[:MOST]),
        *([f"  and {rest} more"] if rest > 0 else []),
    ]


def _issue(issue: Mapping[str, Any]) -> str:
    marked = issue.get("validation_status", "unvalidated")
    return f"{issue.get('severity', '')} ({marked}) {issue.get('file', '')}: {issue['description']}"
