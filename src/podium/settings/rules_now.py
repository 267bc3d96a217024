"""What decides how a run goes, as it is when the run starts, and what of it is not as it was before
the last one: whoever starts a run is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from podium.settings import policies
from podium.settings.values import Settings

MOST = 20
"""Changes that are named; how many more there are is always said."""
_GATES = ("require_approval", "approval_mode")
_BUILT_IN = "built in"


def flattened(settings: Settings) -> dict[str, Any]:
    """Every value by its full name; agents' own tables, which may hold keys, are left out."""
    flat: dict[str, Any] = {"agent": settings.agent}
    for name in ("commands", "proof", "view", "budget", "isolation"):
        flat |= _members(name, getattr(settings, name))
    for role, told in settings.roles.items():
        flat |= _members(f"roles.{role}", told)
    for workflow in policies.WORKFLOWS:
        flat |= _members(f"policy.{workflow}", settings.policy_of(workflow))
    return flat


def _members(name: str, value: Any) -> dict[str, Any]:
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if not isinstance(value, Mapping):
        return {name: list(value) if isinstance(value, tuple) else value}
    flat: dict[str, Any] = {}
    for member, inner in value.items():
        flat |= _members(f"{name}.{member}", inner)
    return flat


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """In words, those first that take something away from a person."""
    old, new = before.get("settings", {}), now.get("settings", {})
    rows = [
        (_loosened(name, new.get(name)), f"{name}: {_said(old, name)} -> {_said(new, name)}")
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]
    lines = [f"{line} ({what})" for what, line in rows if what]
    lines += [line for what, line in rows if not what]
    was, files = before.get("files", {}), now.get("files", {})
    lines += [
        f"{path} was {'added' if path not in was else 'changed' if path in files else 'deleted'}"
        for path in sorted({*was, *files})
        if was.get(path) != files.get(path)
    ]
    rest = len(lines) - MOST
    return [*lines[:MOST], *([f"and {rest} more"] if rest > 0 else [])]


def _loosened(name: str, value: Any) -> str:
    last = name.rpartition(".")[2]
    if name.startswith("policy.") and last.startswith(_GATES) and value is False:
        return "switches a gate off"
    if name.startswith("policy.") and last == "proof" and value == "none":
        return "nothing has to be proven"
    if name.startswith("commands.") and not value:
        return "proves nothing any more"
    if name == "isolation.confine" and value == "off":
        return "agents are not confined"
    return ""


def _said(values: Mapping[str, Any], name: str) -> str:
    if name not in values:
        return _BUILT_IN
    value = values[name]
    return str(value).lower() if isinstance(value, bool) else repr(value)[:200]
