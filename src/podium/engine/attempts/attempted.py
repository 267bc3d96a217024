"""Everything that was seen of one dispatch, and what keeps it from being done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.agents.confine.confinement import AUDITED
from podium.agents.gateway.counting import Counted
from podium.agents.protocol import Answer
from podium.core import retry
from podium.core.verdict import Verdict
from podium.engine.attempts import view as views
from podium.project.findings import Finding
from podium.proof.evidence import broken
from podium.proof.sentences import failure_lines
from podium.verify.artifact import Rejected, Verified
from podium.verify.folder_audit import Stray
from podium.verify.guard import Tampered


@dataclass
class Attempted:
    """Everything that the engine saw of one dispatch."""

    answer: Answer
    verdict: Verdict
    verified: list[Verified] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    strays: tuple[Stray, ...] = ()
    tampered: list[Tampered] = field(default_factory=list)
    changed: tuple[str, ...] = ()
    commit: str = ""
    base: str = ""
    patch: bytes = b""
    commands: tuple[str, ...] = ()
    """What the agent was seen running."""
    branch: str = ""
    published: bool = False
    """The state of the person's checkout, if the contract asks for it."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """Changed path to the digest of what landing will write there."""
    evidence: tuple[Mapping[str, Any], ...] = ()
    weakened: tuple[Finding, ...] = ()
    """What it did to tests that a person has to see."""
    seconds: float = 0.0
    assurance: Mapping[str, str] = field(default_factory=lambda: dict(AUDITED))
    """How the agent was really held: reads, writes, network, and by what."""
    view: views.View | None = None
    """Still open if the work is good."""
    counted: Counted | None = None
    """What passed through the gateway; None if nothing did."""
    stopped: str = ""
    """Why its budget allowed no further call to its model."""
    mended: frozenset[str] = retry.MENDED
    """Unusable answers that the agent is asked to repair."""

    def parked(self) -> bool:
        return self.answer.failure is not None and self.answer.failure.kind == "parked"

    def failure(self) -> tuple[str, tuple[str, ...]] | None:
        """The first thing that keeps this dispatch from being done: its class, and what exactly
        is wrong.
        """
        said = self.answer.failure
        if said is not None and said.kind not in self.mended:
            return said.kind, (said.detail,)
        if self.strays or self.tampered:
            return "violation", tuple(
                [
                    f"{_named(each.path)} {_did(each.what)}, outside the contract"
                    for each in self.strays
                ]
                + [f"{each.path} {_did(each.what)}, and is protected" for each in self.tampered]
            )
        if self.answer.question is not None:
            return "needs_input", (self.answer.question.prompt,)
        if self.verdict.outcome == "fail":
            return None  # an agent that says it cannot do it is believed at once
        if self.rejected:
            return "artifact", tuple(
                f"{each.path} is {each.failure}: {each.detail}" for each in self.rejected
            )
        if failing := broken(self.evidence):
            return "validation", tuple("\n".join(failure_lines(entry)) for entry in failing)
        return None


_LONGEST_NAMED = 300
"""Characters of a path in a reason; the event has all of it."""
_ODD = {
    "mode": "has another mode",
    "symlink": "was made a symbolic link",
    "submodule": "was made a submodule",
    "oversize": "is too large",
    "special": "is not an ordinary file",
    "deep": "is too deep",
}


def _named(path: str) -> str:
    return (
        path
        if len(path) <= _LONGEST_NAMED
        else f"{path[: _LONGEST_NAMED // 2]}…{path[-_LONGEST_NAMED // 2 :]}"
    )


def _did(what: str) -> str:
    return _ODD.get(what, f"was {what}")
