"""What the agents of one run do: one of them tells the lie, the others do what they should."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Acts = Mapping[str, Any]
"""The fields of one call of a scenario."""


@dataclass(frozen=True)
class Story:
    """One run: its workflow, its inputs, what is there before, and its scenario."""

    workflow: str
    inputs: tuple[str, ...]
    scenario: Mapping[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)
    """Files that the workflow reads."""
    policy: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)
    """Files of the project that are as somebody else left them."""


def harness(acts: Acts) -> Story:
    return Story(
        "harness",
        ("harness/tasks/T001-sample.md",),
        {"agents": {"build": [acts]}, "defaults": {"behave": "well"}},
    )


STORIES: Mapping[str, Callable[[Acts], Story]] = {"harness": harness}
