"""The project's commands tried once outside any run: in a view, and where that fails in the
checkout too, so that a person sees what a run would see.
"""

from __future__ import annotations

import os
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from podium.engine.commands import Output, execute, execute_in_checkout
from podium.engine.services import Services
from podium.proof.evidence import preflight
from podium.state.port import Opened
from podium.state.removal import remove_all

_NAME = "trial"
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Tried:
    """One command as it ran in a view; and in the checkout, where that says more."""

    view: Output
    checkout: Output | None = None

    @property
    def is_fault_of_the_view(self) -> bool:
        """Whether it passes where the person works, and not where agents and proof run it."""
        return self.checkout is not None and preflight(self.checkout.execution).state == "passed"


class _Trial:
    """What a command needs of a run, without one."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.opened = Opened(_NAME, 0, [])

    def marker(self, key: str) -> str:
        return f"{self.services.project}//{_NAME}/{key}"

    async def beside(self, waiting: Coroutine[Any, Any, _Result]) -> _Result:
        return await waiting


async def trial(services: Services) -> list[Tried]:
    """Every configured command but the one that fetches dependencies, in order, in one view."""
    workspace, host = services.workspace(), _Trial(services)
    point = workspace.checkpoint("before a trial of the commands", services.now().isoformat())
    home = services.views / f"{_NAME}-{os.getpid()}"
    scratch = Path(f"{home}-scratch")
    code = workspace.open_view(home, point, hidden=(".podium/**",))
    names = [name for name in ("build", "test", "lint") if services.commands.get(name)]
    try:
        outputs = [
            await execute(host, _NAME, name, services.commands[name], code, scratch)
            for name in names
        ]
    finally:
        workspace.close_view(code)
        remove_all(scratch)
    return [await _tried(host, output) for output in outputs]


async def _tried(host: _Trial, output: Output) -> Tried:
    if preflight(output.execution).state == "passed":
        return Tried(output)
    execution = output.execution
    return Tried(output, await execute_in_checkout(host, _NAME, execution.name, execution.command))
