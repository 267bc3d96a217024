"""The policy keys of every workflow, with their built-in values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.nearest import nearest
from podium.settings.kinds import Key

COMMON: dict[str, Key] = {
    "retry_backoff_s": Key("float", 2.0),
    "step_timeout_s": Key("seconds", 3600.0),
    "proof": Key("str", "required", ("required", "none")),
}
"""Known to every workflow: the first delay before a retry, the time limit for one step, and
whether commands must prove what is done (`none`: a run ends as unproven).
"""

WORKFLOWS: dict[str, dict[str, Key]] = {
    "harness": {
        "require_approval_before_build": Key("bool", True),
        "require_approval_before_complete": Key("bool", True),
        "max_remediations": Key("int", 2),
        "repair_attempts": Key("int", 1),
        "validation_fixes": Key("int", 3),
    },
    "roadmap": {
        "max_retries": Key("int", 2),
        "evidence": Key("str", "observe", ("observe", "trust")),
        "minor_fixes": Key("str", "fail", ("fail", "pass")),
        "keep_going": Key("bool", False),
        "max_items": Key("int", 0),
    },
    "feature": {
        "approval_mode": Key("bool", False),
        "max_parallel": Key("int", 4),
        "max_ct_loops": Key("int", 1),
        "max_v_loops": Key("int", 3),
        "max_r_loops": Key("int", 1),
        "structure": Key("str", "warn", ("warn", "require")),
        "review_full": Key("texts", ()),
        "review_lightweight": Key("texts", ()),
    },
    "ticket": {
        "max_iterations": Key("count", 5),
        "max_attempts": Key("count", 5),
        "max_parallel_tasks": Key("int", 0),
        "pull_request": Key("str", "off", ("off", "gh", "glab")),
    },
    "governed": {},
}

OPEN = frozenset({"governed"})
"""Workflows with a policy file of their own that defines the keys: any dotted name is accepted."""


FAMILIES: dict[str, tuple[str, Key]] = {"harness": ("require_approval_before_", Key("bool", True))}
"""A project's own stages have approval flags of their own: require_approval_before_<stage>."""


def key(workflow: str, name: str) -> Key | None:
    """The key of that name. A name of a family is refused if it looks like a misspelt known key."""
    table = known(workflow)
    if name in table or workflow not in FAMILIES:
        return table.get(name)
    start, kind = FAMILIES[workflow]
    if not name.startswith(start) or name == start:
        return None
    return None if nearest(name, table, 0.93) else kind


def is_open(workflow: str) -> bool:
    """Whether the workflow itself knows its keys: it has a policy file, or is one of a person's
    own. A name close to a built-in one's is a misspelt one.
    """
    return workflow in OPEN or (workflow not in WORKFLOWS and not nearest(workflow, WORKFLOWS))


def known(workflow: str) -> Mapping[str, Key]:
    return {**WORKFLOWS.get(workflow, {}), **COMMON}


def defaults(workflow: str) -> dict[str, Any]:
    return {name: key.default for name, key in known(workflow).items()}


def over(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """One layer over another. Names are compared without case, because an environment variable
    has none.
    """
    said = {name.casefold() for name in upper}
    return {
        **{name: value for name, value in lower.items() if name.casefold() not in said},
        **upper,
    }


def dotted(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables as one level of dotted names."""
    flat: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            flat.update(dotted(value, f"{prefix}{name}."))
        else:
            flat[f"{prefix}{name}"] = value
    return flat
