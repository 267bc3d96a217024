"""What the journal says about one step and about one gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

StepState = Literal["running", "finished", "interrupted", "stale"]


@dataclass
class Tried:
    """One recorded dispatch that did not settle its step."""

    attempt: int
    classification: str
    detail: tuple[str, ...] = ()
    delay_s: float = 0.0
    limit: int = 0
    """0 if the service refused the dispatch and said when to come back: that uses up no retry."""


@dataclass
class StepRecord:
    """One step, according to the journal."""

    key: str
    step: str
    kind: str
    role: str
    attempt: int
    inputs: Mapping[str, str]
    started: str
    repair: int = 0
    definition: Mapping[str, str] = field(default_factory=dict)
    """Where the role's definition came from (`from`), and its `digest`."""
    state: StepState = "running"
    finished: str = ""
    ending: int = 0
    """seq of its end. It tells which step ended first, even if the clock was set back."""
    outcome: str = ""
    verdict: str = ""
    classification: str = ""
    reason: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)
    evidence: tuple[Mapping[str, Any], ...] = ()
    usage: Mapping[str, Any] = field(default_factory=dict)
    assurance: Mapping[str, str] = field(default_factory=dict)
    sets: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)
    """Digests of what was at the outputs' paths before the step's work arrived."""
    facts: tuple[Mapping[str, Any], ...] = ()
    """The workflow's own events that follow its end."""
    commit: str = ""
    base: str = ""
    stop: str = ""
    conflicts: tuple[str, ...] = ()
    """Paths that kept its work out of the project, because they could not be merged with work
    done side by side.
    """
    held: bool = False
    """Whether its work is done but stays out of the project until a person has decided about
    their own files.
    """
    tried: list[Tried] = field(default_factory=list)
    spent: list[Mapping[str, Any]] = field(default_factory=list)
    """Usage reported by dispatches that did not settle the step."""
    rejected: list[tuple[str, str, str]] = field(default_factory=list)
    """(path, failure, detail) of every refused artifact."""
    violated: list[str] = field(default_factory=list)
    calls: int = 0
    """Dispatches recorded as done, whatever their result."""
    lost: int = 0
    """Dispatches found begun but not ended."""


@dataclass
class GateRecord:
    """One gate, according to the journal."""

    key: str
    step: str
    kind: str
    prompt: str
    choices: tuple[str, ...]
    subject: Mapping[str, str]
    opened: str
    opening: int
    """seq of the opening: a decision answers one opening only."""
    words: bool = False
    """Whether the gate accepts an answer in a person's own words, besides the choices."""
    evidence: tuple[Mapping[str, Any], ...] = ()
    """What commands proved about that code, if any did."""
    baseline: tuple[Mapping[str, Any], ...] = ()
    """What they proved before anything was changed, as long as that is all there is."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """The code that it is about: files with status and counts."""
    decision: str = ""
    by: str = ""
    note: str = ""
    decided: str = ""
    deciding: int = 0
    """seq of the decision."""
    decided_subject: Mapping[str, str] = field(default_factory=dict)
    stale: bool = False
    void: bool = False
    """Whether the run left the gate's step another way, so that nothing is left to decide."""

    @property
    def open(self) -> bool:
        return not self.decision and not self.void

    @property
    def message(self) -> str:
        """The name under which a decision is posted. It answers one opening: a gate that
        reopened needs a new decision.
        """
        return message_name(self.key, self.opening)


def message_name(gate: str, opening: int) -> str:
    return f"{gate}@{opening}"
