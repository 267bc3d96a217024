"""What the contracts of every explored run say: who reads, who writes, who touches code. Asked
once for all checks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from podium.core.contract import Contract
from podium.core.effects import Check, Cluster, FanOut, Stage
from podium.core.errors import MISTAKES
from podium.core.proofs import Exploration, Violation
from podium.core.run import Run, Status
from podium.core.workflow import Workflow


@dataclass(frozen=True)
class Writing:
    """One file that one agent writes."""

    path: str
    agent: str
    """`step`, or `step/member` in a cluster."""
    role: str
    obliged: bool
    many: bool
    revises: bool
    """Whether it reads the file too, and so makes a new version of it."""


@dataclass(frozen=True)
class Dealings:
    """What one explored run's step does with files and code."""

    writes: tuple[Writing, ...] = ()
    needs: tuple[tuple[str, str], ...] = ()
    """(agent, path) of what must exist before it begins."""
    looks: tuple[str, ...] = ()
    """What the program itself reads here and bases decisions on."""
    code: bool = False


NOTHING = Dealings()


def dealings(found: Exploration) -> tuple[tuple[Dealings, ...], tuple[Violation, ...]]:
    """The dealings of each state, and the contracts that raise an error."""
    told: list[Dealings] = []
    broken: dict[str, Violation] = {}
    writers: dict[str, bool] = {}
    for number, run in enumerate(found.states):
        if run.status is not Status.ACTIVE or run.step not in found.workflow.steps:
            told.append(NOTHING)
            continue
        try:
            told.append(_of(found.workflow, run, writers))
        except MISTAKES as fault:
            text = f"the contract of {run.step} raises {type(fault).__name__}: {fault}"
            broken.setdefault(
                run.step, Violation("broken contract", text, found.path(number), run.step)
            )
            told.append(NOTHING)
    return tuple(told), tuple(broken.values())


def _of(workflow: Workflow, run: Run, writers: dict[str, bool]) -> Dealings:
    effect = workflow.steps[run.step].effect
    if isinstance(effect, Check):
        return Dealings(looks=tuple(effect.reads(run)))
    if isinstance(effect, FanOut):
        if run.step not in writers:
            writers[run.step] = writes_code(effect.workflow())
        return Dealings(code=writers[run.step])
    asked = list(contracts(workflow, run))
    return Dealings(
        writes=tuple(each for agent, contract in asked for each in _writings(agent, contract)),
        needs=tuple(
            (agent, each.path)
            for agent, contract in asked
            for each in contract.inputs
            if each.required
        ),
        code=any(contract.code == "write" for _, contract in asked),
    )


def contracts(workflow: Workflow, run: Run) -> Iterator[tuple[str, Contract]]:
    """(agent, contract) of every agent that the run's step starts."""
    match workflow.steps[run.step].effect:
        case Stage(contract=contract):
            yield run.step, contract(run)
        case Cluster(members=members):
            for each in members(run):
                yield f"{run.step}/{each.name}", each.contract(run)


def _writings(agent: str, contract: Contract) -> Iterator[Writing]:
    read = {each.path for each in contract.inputs}
    for each in contract.outputs:
        yield Writing(
            each.path, agent, contract.role, not each.optional, each.many, each.path in read
        )


def writes_code(workflow: Workflow) -> bool:
    """Whether a step of the workflow or of its child runs may change code, judged from the runs
    it can begin with.
    """
    for run in workflow.variants():
        for name, each in workflow.steps.items():
            if isinstance(each.effect, FanOut) and writes_code(each.effect.workflow()):
                return True
            there = type(run)(**{**vars(run), "step": name})
            try:
                if any(contract.code == "write" for _, contract in contracts(workflow, there)):
                    return True
            except MISTAKES:
                continue  # a run cannot be at this step, so it says nothing about it
    return False
