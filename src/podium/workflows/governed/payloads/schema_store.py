"""The JSON schemas this workflow ships, by name and generation.

They are part of the program, like its modules, and are read once, on first use. The later
generation's folder contains only what changed; the rest comes from the earlier generation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from podium.core.nearest import nearest
from podium.workflows.governed.roster import BY_NAME, ROSTER
from podium.workflows.governed.terms import GENERATIONS, LATEST, Generation

PLAN = "planner.plan"
GATE_EVENT = "orchestrator.gate-event"
CLARIFICATION = "clarification-request"
_DELEGATION = "orchestrator.delegation-protocol"
_LATER = ("research-brief", "code-context-pack", "spec-capture")
"""Documents that only the later generation has."""


def delegation(agent: str) -> str:
    """The name of the schema for this agent's payload."""
    return f"delegation/{agent}"


NAMES: tuple[str, ...] = (
    *(each.schema for each in ROSTER),
    GATE_EVENT,
    CLARIFICATION,
    *_LATER,
    *(delegation(each.name) for each in ROSTER),
)


@cache
def schema(name: str, generation: Generation = LATEST) -> Mapping[str, Any]:
    """The schema of that name; LookupError names the closest one if there is none."""
    kind, _, agent = name.partition("/")
    if kind == "delegation" and agent in BY_NAME:
        whole = _file(_DELEGATION, generation)
        part: Mapping[str, Any] = whole["properties"]["agents"]["properties"][agent]
        return {"$defs": whole.get("$defs", {}), **part}
    if name not in NAMES:
        near = nearest(name, NAMES)
        raise LookupError(
            f"there is no schema {name!r}" + (f"; did you mean {near!r}?" if near else "")
        )
    return _file(name, generation)


@cache
def _file(name: str, generation: Generation) -> Mapping[str, Any]:
    from importlib.resources import files  # noqa: PLC0415 - only where something is validated

    folder = files("podium.workflows.governed") / "schemas"
    at = GENERATIONS.index(generation)
    for each in (*reversed(GENERATIONS[: at + 1]), *GENERATIONS[at + 1 :]):
        path = folder / each / f"{name}.schema.json"
        if path.is_file():
            found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return found
    raise LookupError(f"the schema {name!r} is not shipped")
