"""What a person does with a run that rests: look, decide, send it on, until it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.fakes.project import Project

from podium.core.run import ENDED, Status
from podium.engine.outcome import Ended

PATIENCE = 60
"""Commands a person gives at most."""


def decide(project: Project, gate: Mapping[str, Any]) -> None:
    """The first choice is the one that goes on."""
    if gate["kind"] not in {"question", "drift"}:
        project.approve(gate["key"], note="seen")
    elif len(gate["choices"]) > 1:
        project.answer(gate=gate["key"], choice=gate["choices"][0])
    else:
        project.answer(gate=gate["key"], text="All of them.")


def step_on(project: Project, **options: Any) -> Ended:
    """The one command that fits where the run stands."""
    summary = project.app.summary(project.run_id)
    for gate in summary.gates:
        decide(project, gate)
    if summary.status == Status.SLEEPING:
        project.clock.skip(7200)
    because = "it was looked at" if summary.status == Status.BLOCKED else ""
    return project.resume(because=because, **options)


def to_the_end(project: Project) -> Ended:
    for _ in range(PATIENCE):
        ended = step_on(project)
        if ended.status in ENDED:
            return ended
    raise AssertionError(f"after {PATIENCE} commands it still is {ended}")
