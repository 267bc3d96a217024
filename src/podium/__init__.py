"""Podium: an orchestrator for AI coding agents in which code holds the rules.

What is exported here is what a workflow of one's own is made of (docs/reference/api.md).
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # type checkers know this name
if TYPE_CHECKING:
    from typing import Any

    from podium.api.rules import Rule
    from podium.api.state import Policy, Run
    from podium.api.steps import agent, check, gate, parallel
    from podium.api.workflow import Workflow
    from podium.documents import Document

__all__ = ["Document", "Policy", "Rule", "Run", "Workflow", "agent", "check", "gate", "parallel"]

_WHERE = {
    "Document": "podium.documents",
    "Policy": "podium.api.state",
    "Rule": "podium.api.rules",
    "Run": "podium.api.state",
    "Workflow": "podium.api.workflow",
    "agent": "podium.api.steps",
    "check": "podium.api.steps",
    "gate": "podium.api.steps",
    "parallel": "podium.api.steps",
}


def __getattr__(name: str) -> Any:
    """Imported when asked for: `podium --version` needs none of it."""
    if name not in _WHERE:
        raise AttributeError(f"module 'podium' has no attribute {name!r}")
    import importlib  # noqa: PLC0415

    return getattr(importlib.import_module(_WHERE[name]), name)
