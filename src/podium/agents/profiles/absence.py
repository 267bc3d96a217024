"""What to do if there is no agent: texts for `run`, `init` and `doctor`."""

from __future__ import annotations

from collections.abc import Sequence

from podium.agents.profiles.catalog import PROFILES, Found, discover

_SUGGESTED = ("claude", "codex", "opencode")


def ways(found: Sequence[Found] | None = None, *, indent: str = "  ") -> list[str]:
    """A line for each way to continue; agents installed here come first."""
    here = discover() if found is None else found
    lines = [
        (f"--agent {each.name}", f'or agent = "{each.name}" in podium.toml; it is at {each.path}')
        for each in here[:3]
    ]
    lines += [
        ("podium demo", "shows a whole run"),
        ("--agent human", "you do the work yourself"),
    ]
    if not here:
        lines += [
            (PROFILES[name].install, f"installs {PROFILES[name].title}") for name in _SUGGESTED
        ]
        lines.append(("podium agents", "lists all known ones"))
    width = max(len(what) for what, _ in lines)
    return [f"{indent}{what:<{width}}  {why}" for what, why in lines]


def no_agent(role: str, found: Sequence[Found] | None = None) -> str:
    """The whole message for a role that has no agent."""
    here = discover() if found is None else found
    what = "" if here else " and none was found on PATH"
    return "\n".join([f"no agent is set for the role {role}{what}. What you can do:", *ways(here)])
