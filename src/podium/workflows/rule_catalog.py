"""The rules of every workflow, by the workflow's name."""

from __future__ import annotations

from importlib import import_module

from podium.core.rules import Rule
from podium.workflows.engine_rules import RULES as ENGINE

CATALOGUES = ("harness", "roadmap", "feature", "ticket", "governed")
"""The workflows whose rules have names."""


def rules(name: str) -> tuple[Rule, ...]:
    """The rules of one workflow followed by those of the engine; without a name, only those of
    the engine.
    """
    if not name:
        return ENGINE
    own: tuple[Rule, ...] = import_module(f"podium.workflows.{name}.rules").RULES
    return (*own, *ENGINE)


def every() -> tuple[Rule, ...]:
    """All rules there are."""
    return tuple(dict.fromkeys(rule for name in CATALOGUES for rule in rules(name)))
