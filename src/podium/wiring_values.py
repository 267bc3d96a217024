"""What commands tell the composition root, and what it tells them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Seen = Mapping[str, str] | None


@dataclass(frozen=True)
class RunOptions:
    """The options of `run` and `resume`."""

    agent: str = ""
    """Agent for all roles (`--agent`); empty: as configured, or as the run was started with."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Agents by role (`--role ROLE=AGENT`)."""
    policy: Mapping[str, Any] = field(default_factory=dict)
    """Policy values from `--policy FILE` and `--set KEY=VALUE`, already parsed; they override
    settings.
    """
    until: str = ""
    approve_all: bool = False
    run_id: str = ""
    because: str = ""
    """Why a blocked run may continue (`resume --because`)."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Options of one workflow only, by name: harness `state` (another run-state file)."""
    by: str = ""
    """Who is at the keyboard."""
    record: str = ""
    """Where the run is recorded as a scenario (`--record`)."""


@dataclass(frozen=True)
class Planned:
    """One dispatch that would come first (`--dry-run`)."""

    key: str
    role: str
    agent: str
    contract: Mapping[str, Any]
    prompt: str


@dataclass(frozen=True)
class Summary:
    """One run in `podium list` and `podium status`."""

    run: str
    workflow: str
    title: str
    status: str
    step: str
    reason: str
    stop: str
    started: str
    updated: str
    gates: tuple[Mapping[str, Any], ...] = ()
    """Open gates: key, kind, prompt, choices, subject."""
    holder: Mapping[str, Any] | None = None
    """Who drives it now: pid, host, since."""
    advice: tuple[str, ...] = ()
    outcome: str = ""
    """For a complete run: `complete`, `completed_with_findings` or `complete_unproven`."""
    proof: str = ""
    """What a complete run rests on: `passed`, `failed_before` or `none`."""
    until: str = ""
    """For a sleeping run: when it can continue."""
    evidence: tuple[Mapping[str, Any], ...] = ()
    """For a complete run: what each command proved."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """For a complete run: every file of the code, with status and counts."""


def damaged(run: str, fault: str) -> Summary:
    """A run that cannot be read: one damaged run must not hide the others."""
    way_out = f"look at .podium/runs/{run}; move that folder away if the run is not needed"
    return Summary(run, "?", "", "damaged", "", fault, "damaged", "", "", advice=(way_out,))
