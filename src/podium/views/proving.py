"""What a command that Podium ran says about the work: passed, failed, or no worse than before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NEVER_RAN = frozenset({126, 127})
"""A shell's exit codes if a command's program is missing or not executable."""


def as_before(evidence: Mapping[str, Any]) -> bool:
    """Whether it failed but blocks nothing, because it also failed before the work."""
    return bool(evidence.get("passed")) and evidence.get("exit") not in {0, None}


def proved(evidence: Mapping[str, Any]) -> str:
    if evidence.get("skipped"):
        return f"not run: {evidence['skipped']}"
    if as_before(evidence):
        return "could not run" if evidence.get("exit") in NEVER_RAN else "failed as before"
    return "passed" if evidence.get("passed") else "failed"


def doubt(command: str, code: int) -> str:
    """Why the command is no proof, for whoever reads how a run ended."""
    if code in NEVER_RAN:
        return f"`{command}` could not run (exit {code}), here and before the run: it proves nothing"
    return f"`{command}` fails (exit {code}) as it did before the run: only new failures were looked for"
