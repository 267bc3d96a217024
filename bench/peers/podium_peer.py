"""Podium itself: in `steps` a function of the program, else a document stage with an agent that
costs almost nothing.
"""

from __future__ import annotations

from bench.hundred import Chain, Decisions, Fan, Watch, Writer, project, services
from telling import Told

from podium.agents.protocol import Answer, Job
from podium.core.run import Status
from podium.core.workflow import Workflow
from podium.engine import runs
from podium.engine.collector import spare_what_is_loaded

told = Told(has_contracts=True)
size = 1 if told.mode == "one" else told.size


class Counted(Writer):
    """The agent; it leaves its line outside the engine, like every peer's step."""

    async def perform(self, job: Job) -> Answer:
        digits = "".join(each for each in job.brief.key if each.isdigit())
        told.executed(int(digits) - 1)
        answer = await super().perform(job)
        told.left()
        return answer


def chosen() -> Workflow:
    match told.mode:
        case "fan":
            return Fan(size)
        case "steps":
            return Decisions(size, told.executed)
        case _:
            return Chain(size)


workflow = chosen()
made = told.folder / "project"
if not made.exists():
    project(told.folder)
watch = Watch(Counted())
provided, request = services(made, workflow, watch)
if told.mode != "rest":
    assert runs.create(provided, workflow, "bench", workflow.first(), request)
spare_what_is_loaded()
told.begin()
ended = runs.go(provided, workflow, "bench")
told.end()
assert ended.status is Status.COMPLETE, ended
told.tell()
