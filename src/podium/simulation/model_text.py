"""A model as the TOML that people edit; reading it gives the same model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from podium.simulation.model import AgentModel, Model, Spread

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def written(model: Model, head: str = "") -> str:
    """`head`: comment lines above it."""
    parts = ["\n".join(f"# {line}".rstrip() for line in head.splitlines())] if head else []
    parts.append("\n".join(["[agent]", *_agent(model.agent)]))
    parts += [
        "\n".join([f"[role.{_key(name)}]", *_agent(each)])
        for name, each in sorted(model.roles.items())
    ]
    parts += [
        f"[person]\nseconds = {_spread(model.person)}",
        f"[check]\nseconds = {_spread(model.check)}",
    ]
    for workflow, members in sorted(model.begin.items()):
        parts.append("\n".join([f"[begin.{_key(workflow)}]", *_weighed(members)]))
    for name, each in model.steps.items():
        lines = [f"[step.{_key(name)}]"]
        if each.outcomes:
            lines.append(f"outcomes = {_weights(each.outcomes)}")
        lines += [
            f"after.{_key(before)} = {_weights(found)}" for before, found in each.after.items()
        ]
        lines += [f"sets.{_key(member)} = {_weights(found)}" for member, found in each.sets.items()]
        if each.words:
            lines.append(f"words = {_weights(each.words)}")
        if each.seconds is not None:
            lines.append(f"seconds = {_spread(each.seconds)}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _agent(each: AgentModel) -> Iterator[str]:
    for name in ("seconds", "tokens", "cost_usd", "reset_s"):
        yield f"{name} = {_spread(getattr(each, name))}"
    yield f"failures = {_weights(each.failures)}"


def _weighed(members: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    for member, likely in members.items():
        yield f"{_key(member)} = {_weights(likely)}"


def _weights(likely: Mapping[str, float]) -> str:
    return (
        "{ "
        + ", ".join(f"{_key(name)} = {_number(value)}" for name, value in likely.items())
        + " }"
    )


def _spread(each: Spread) -> str:
    if each.p90 <= each.median:
        return _number(each.median)
    return f"{{ median = {_number(each.median)}, p90 = {_number(each.p90)} }}"


def _number(value: float) -> str:
    return f"{value:.6g}" if "e" not in f"{value:.6g}" else f"{value:.1f}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
