"""What the journal knows of one step and of one gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from podium.core.dataclass import dataclass

StepState = Literal["running", "finished", "interrupted", "stale"]


@dataclass
class Tried:
    """One recorded dispatch that did not settle its step."""

    attempt: int
    classification: str
    detail: tuple[str, ...] = ()
    delay_s: float = 0.0
    limit: int = 0
    """0 where the dispatch was refused with a time to come back: then it used up nothing."""


@dataclass
class StepRecord:
    """One step as the journal knows it."""

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
    """seq of its end: what was first is told by this, since a clock may be set back."""
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
    """Digests of the outputs' places before the step's work arrived there."""
    facts: tuple[Mapping[str, Any], ...] = ()
    """Events of the workflow's own that were to follow its end."""
    commit: str = ""
    base: str = ""
    stop: str = ""
    conflicts: tuple[str, ...] = ()
    """Paths that kept its work out of the project, where it could not be merged with work made beside it."""
    held: bool = False
    """Whether its work is done and stays out of the project until a person has decided about files of their own."""
    tried: list[Tried] = field(default_factory=list)
    spent: list[Mapping[str, Any]] = field(default_factory=list)
    """What dispatches that did not settle the step said they used."""
    rejected: list[tuple[str, str, str]] = field(default_factory=list)
    """(path, failure, detail) of every refused artifact."""
    violated: list[str] = field(default_factory=list)
    calls: int = 0
    """Dispatches recorded as done, whatever came of them."""
    lost: int = 0
    """Dispatches found begun and not ended."""


@dataclass
class GateRecord:
    """One gate as the journal knows it."""

    key: str
    step: str
    kind: str
    prompt: str
    choices: tuple[str, ...]
    subject: Mapping[str, str]
    opened: str
    opening: int
    """seq of the opening: a decision answers one opening."""
    words: bool = False
    """Whether an answer in a person's own words is one, beside the choices."""
    decision: str = ""
    by: str = ""
    note: str = ""
    decided: str = ""
    deciding: int = 0
    """seq of the decision."""
    decided_subject: Mapping[str, str] = field(default_factory=dict)
    stale: bool = False
    void: bool = False
    """Whether the run left the gate's step by another way, so that there is nothing to decide any more."""

    @property
    def open(self) -> bool:
        return not self.decision and not self.void

    @property
    def message(self) -> str:
        """Under what name a decision is posted. It answers one opening: a gate that reopened needs a new one."""
        return message_name(self.key, self.opening)


def message_name(gate: str, opening: int) -> str:
    return f"{gate}@{opening}"
