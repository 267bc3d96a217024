"""What the agents of one run do: one of them tells the lie, the others do what they should."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podium.workflows.governed.payloads.good import good_answer

Acts = Mapping[str, Any]
"""The fields of one call of a scenario."""
WELL: Mapping[str, Any] = {"behave": "well"}


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


def touched(acts: Acts) -> list[str]:
    """The files that an agent changes: a plan that helps the lie allows them."""
    paths = [*acts.get("write", {}), *acts.get("delete", ()), *acts.get("symlink", {})]
    return list(dict.fromkeys(paths)) or ["CHANGES.md"]


def harness(acts: Acts, _: str, __: Collection[str]) -> Story:
    return Story(
        "harness",
        ("harness/tasks/T001-sample.md",),
        {"agents": {"build": [acts]}, "defaults": WELL},
    )


def roadmap(acts: Acts, test: str, _: Collection[str]) -> Story:
    item = {
        "id": "US-1",
        "title": "Improve one line",
        "priority": 1,
        "complexity": "simple",
        "status": "ready",
        "passes": False,
        "ownerAgent": "Implement",
        "dependencies": [],
        "acceptanceCriteria": ["the line is improved"],
        "verification": [test],
        "retryCount": 0,
        "planningResearch": None,
    }
    files = [{"path": path, "note": "improved"} for path in touched(acts)]
    built = {**acts, "verdict": {"status": "success", "files": files}}
    tested = {"verdict": {"status": "success", "tests": "pass", "failures": []}, "say": "pass"}
    return Story(
        "roadmap",
        (),
        {"agents": {"implement": [built], "testing": [tested]}, "defaults": WELL},
        files={"roadmap.json": json.dumps({"project": "matrix", "items": [item]}, indent=2)},
        policy={"retry_backoff_s": 0.0},
    )


_TASK = """\
# Task 01-change

**Task Goal:** One line is improved
**depends_on:** none

## In-scope

{files}

## Out-of-scope

- Everything else

## Acceptance Criteria

- [ ] The line is improved

## Estimated Effort

Low (1 line)

## Test Requirements

- The tests pass

## Implementation Steps

1. Change it

## Completion Checklist

- [ ] Done
"""
_PLAN = """\
# Plan

Planning Mode: initial

## Execution Waves

### Wave 1 (parallel)

- 01-change (depends_on: none)

## Dependency Graph

01

## Pre-Mortem

| What may go wrong | Likelihood | What prevents it |
|---|---|---|
| Nothing | Low | The tests |
"""


def feature(acts: Acts, _: str, __: Collection[str]) -> Story:
    listed = "\n".join(f"- `{path}`" for path in touched(acts))
    planned = {
        "write": {"@plan": _PLAN, "tasks/01-change.md": _TASK.format(files=listed)},
        "say": "DONE: 1 tasks created, 1 waves",
    }
    built = {**acts, "say": f"DONE: {acts['say']}"}
    return Story(
        "feature",
        ("Improve one line",),
        {
            "agents": {"planner": [planned]},
            "keys": {"wave/1/01-change": [built]},
            "defaults": WELL,
        },
        policy={"retry_backoff_s": 0.0},
    )


def ticket(acts: Acts, _: str, __: Collection[str]) -> Story:
    task = {
        "id": "TASK-1",
        "description": "Improve one line",
        "files_to_modify": touched(acts),
        "test_files": [],
        "success_criteria": ["the line is improved"],
        "status": "PENDING",
    }
    planned = {**WELL, "write": {"@tasks": {"template": "tasks", "tasks": [task]}}}
    built = {**acts, "verdict": {"status": "DONE"}}
    return Story(
        "ticket",
        ("MTX-1 improve one line",),
        {
            "agents": {"planner": [planned]},
            "keys": _tries("iteration/0/task/TASK-1/{}", built),
            "defaults": WELL,
        },
        policy={"retry_backoff_s": 0.0},
    )


def governed(acts: Acts, _: str, there: Collection[str]) -> Story:
    files = [
        {
            "path": path,
            "action": "modify" if path in there else "create",
            "reason": "is improved",
        }
        for path in touched(acts)
    ]
    phase = {
        "phase_id": 1,
        "title": "Improve one line",
        "objective": "One line is improved, and the tests pass.",
        "wave": 1,
        "files": files,
    }
    plan = {"complexity_tier": "SMALL", "summary": "One line is improved.", "phases": [phase]}
    built = {**acts, "verdict": good_answer("core-implementer")}
    return Story(
        "governed",
        ("Improve one line",),
        {
            "agents": {"planner": [{**WELL, "write": {"@plan": plan}}]},
            "keys": _tries("wave/1/phase/1/execute/{}", built),
            "defaults": WELL,
        },
        policy={"retry_backoff_s": 0.0},
    )


def _tries(key: str, call: Acts) -> dict[str, Sequence[Acts]]:
    """The same call however often the step is tried."""
    return {key.format(number): [call] for number in range(1, 10)}


STORIES: Mapping[str, Callable[[Acts, str, Collection[str]], Story]] = {
    "harness": harness,
    "roadmap": roadmap,
    "feature": feature,
    "ticket": ticket,
    "governed": governed,
}
"""From the lie, the project's test command, and the files that are there."""
SOME = frozenset(
    {"reviews", "adds-test", "fixes", "nothing", "notes", "breaks", "deletes", "weakens"}
    | {"deselects", "repairs-at-test", "flaky", "links", "ci-only", "asks-for-tests", "echoes"}
)
"""What is told in the workflows other than harness, which all run the same proof."""
