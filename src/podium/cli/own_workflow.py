"""A workflow from a file named on the command line: a Python file with a Workflow class, or a
stage list.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podium.core.errors import Fault, InputError
from podium.core.workflow import Workflow
from podium.settings.text_file import text_of
from podium.workflow_sources import class_in, named_after, split


def is_file(name: str) -> bool:
    """Whether the word names a file rather than a workflow."""
    return split(name)[0].endswith((".py", ".toml"))


def family(name: str) -> str:
    """Whose policy applies to a file: its own, if it has settings, or that of `harness`."""
    if split(name)[0].endswith(".py"):
        from podium.api.workflow import Workflow as Own  # noqa: PLC0415

        kind = _class(name)
        return named_after(kind, split(name)[0]) if issubclass(kind, Own) else "harness"
    return "harness"


def _class(name: str) -> type[Workflow]:
    path, wanted = split(name)
    return class_in(_text(path), path, wanted)


def _text(path: str) -> str:
    if not Path(path).is_file():
        raise InputError(Fault(path, "there is no such file"))
    return text_of(Path(path), path)


def load(name: str, policy: Mapping[str, Any]) -> Workflow:
    """`FILE.py`, `FILE.py:Class`, or a `stages.toml`. InputError says what is wrong with it."""
    path = split(name)[0]
    if path.endswith(".toml"):
        from podium.workflows.harness.stages import parse_stages  # noqa: PLC0415
        from podium.workflows.harness.workflow import Harness  # noqa: PLC0415

        return Harness(parse_stages(_text(path), path), policy["max_remediations"])
    from podium.api.entry import own_values  # noqa: PLC0415
    from podium.api.workflow import Workflow as Own  # noqa: PLC0415

    kind = _class(name)
    if issubclass(kind, Own):
        named_after(kind, path)
        return kind(own_values(policy, kind))
    return _made(kind, path)


def _made(kind: type[Workflow], path: str) -> Workflow:
    try:
        found = kind()
    except TypeError as fault:
        raise InputError(
            Fault(
                path,
                f"{kind.__name__} cannot be made without arguments: {fault}",
                "give them defaults",
            )
        ) from None
    if not found.steps:
        raise InputError(Fault(path, f"{kind.__name__} has no steps", "write methods with @step"))
    if getattr(found, "start", "") not in found.steps:
        said = getattr(found, "start", "")
        raise InputError(
            Fault(
                path,
                f"{kind.__name__} starts at {said!r}, which is none of its steps",
                f"one of {', '.join(found.steps)}",
            )
        )
    return found
