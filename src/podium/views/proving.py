"""What the commands that Podium ran say about the work, in words; journals may hold anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from podium.proof.evidence import STATES
from podium.proof.sentences import line_of

_WORDS = {
    "passed": "passed",
    "failed": "failed",
    "failed_before": "failed as before",
    "not_run": "did not run",
}


def proof_state(record: Mapping[str, Any]) -> str:
    """One of the four states; "" for a record that is about no proof."""
    state = record.get("state")
    return state if state in STATES else ""


def as_before(record: Mapping[str, Any]) -> bool:
    """Whether it failed but blocks nothing, because the same failed before the work."""
    return proof_state(record) == "failed_before"


def proved(record: Mapping[str, Any]) -> str:
    """The state in words; of something that was done, how it ended."""
    if waived := record.get("waived"):
        return f"did not run; waived by {waived}"
    if state := proof_state(record):
        return _WORDS[state]
    code = record.get("exit")
    return f"exit {code}" if code else "done"


def proof_sentence(record: Mapping[str, Any]) -> str:
    """One line, such as `test: 297 passed (12 new)`; "" if the record is no proof."""
    try:
        return line_of(record) if proof_state(record) else ""
    except (ValueError, TypeError):
        return ""


def proof_lines(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """A line for each command, the worst first."""
    proofs = [record for record in records if proof_state(record)]
    ranked = sorted(proofs, key=lambda record: -STATES.index(record["state"]))
    return [line for line in map(proof_sentence, ranked) if line]
