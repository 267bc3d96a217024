"""What commands tell the composition root, and what it tells them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from podium.core.dataclass import dataclass

if TYPE_CHECKING:
    from podium.settings.values import Settings

Seen = Mapping[str, str] | None


@dataclass(frozen=True)
class RunOptions:
    """What `run` and `resume` may be told."""

    agent: str = ""
    """Agent for all roles (`--agent`); empty = as configured, or as the run was started with."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role to agent (`--role ROLE=AGENT`)."""
    policy: Mapping[str, Any] = field(default_factory=dict)
    """Policy values from `--policy FILE` and `--set KEY=VALUE`, already parsed; they win over settings."""
    until: str = ""
    approve_all: bool = False
    run_id: str = ""
    because: str = ""
    """Why a blocked run may go on (`resume --because`)."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Options of one workflow only, by name: harness `state` (another run-state file)."""
    by: str = ""
    """Who is at the keyboard."""
    record: str = ""
    """Where the run is written as a scenario (`--record`)."""


def agent_name(role: str, settings: Settings, request: Mapping[str, Any]) -> str:
    """Which agent plays a role: as told for the role, for all roles, by settings; "" if nobody says."""
    # What the environment said at the start holds for the run; what it says now is told anew.
    kept = settings.told_agent(role) or request.get("kept", {}).get(role)
    return str(request["roles"].get(role) or request["agent"] or kept or settings.agent_for(role))


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
    """Of a complete run: `complete` or `completed_with_findings`."""
    until: str = ""
    """Of a run that sleeps: when it can go on."""
