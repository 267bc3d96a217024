"""A person's edit of state.json: the values that a run of this line cannot have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from podium.core.errors import Fault
from podium.core.nearest import nearest
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import StageSpec
from podium.workflows.harness.task import path_fault

_FIXED = ("task_id", "task_file", "report", "state_path")


def state_faults(
    stages: Sequence[StageSpec], gates: Collection[str], before: HarnessRun, after: HarnessRun
) -> list[Fault]:
    """Every fault at once. The task of a run cannot be edited: another task is another run."""
    found = [
        Fault(
            name,
            f"{getattr(after, name)!r}, this run is about {getattr(before, name)!r}",
            "put it back, or start another run",
        )
        for name in _FIXED
        if getattr(after, name) != getattr(before, name)
    ]
    found += _artifacts(stages, before, after.artifacts)
    reviews = [each.step for each in stages if each.kind == "review"]
    found += _unknown("completed", after.completed, [each.name for each in stages], "stage")
    found += _unknown("approvals", after.approvals, gates, "gate")
    found += _unknown("remediations", after.remediations, reviews, "review")
    found += _unknown("remediating", filter(None, [after.remediating]), reviews, "review")
    return found


def _artifacts(
    stages: Sequence[StageSpec], before: HarnessRun, said: Mapping[str, str]
) -> Iterator[Fault]:
    names = [each.output for each in stages if each.output]
    for name in names:
        if name not in said:
            yield Fault(
                "artifacts",
                f"{name!r} is missing",
                f'write "{name}": "{before.artifacts.get(name, "")}"',
            )
    yield from _unknown("artifacts", said, names, "artifact of this line")
    for name, path in said.items():
        if what := path_fault(path) or ("is empty" if not path.strip() else ""):
            yield Fault("artifacts", f"{name!r}: {path!r} {what}", "give a path in the project")


def _unknown(
    member: str, said: Collection[str] | Iterator[str], known: Collection[str], kind: str
) -> Iterator[Fault]:
    for name in said:
        if name not in known:
            near = nearest(name, known)
            yield Fault(
                member,
                f"{name!r} is not a {kind}",
                f"did you mean {near!r}?" if near else f"one of {', '.join(known)}",
            )
