"""What a schema cannot check in a plan: waves, dependencies, executors, and the rules of the
template.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from podium.core import waves
from podium.workflows.governed.plan.plan import Phase, Plan
from podium.workflows.governed.roster import READ_ONLY, executor_fault
from podium.workflows.governed.terms import TIERS, Tier

MOST_PHASES = 10
FEWEST_PHASES = 3
_MANUAL = re.compile(r"\bmanual(?:ly)?\b|\bby hand\b|\beyeball", re.IGNORECASE)
_CODE = re.compile(r"`{3,}|~{3,}")


@dataclass(frozen=True)
class PlanCheck:
    """What was found in a readable plan."""

    replan: tuple[str, ...] = ()
    """Why it must go back to the planner before anything else happens."""
    remarks: tuple[str, ...] = ()
    """What reviewers and people should know; nothing waits for it."""

    @property
    def sound(self) -> bool:
        return not self.replan


def check_plan(plan: Plan) -> PlanCheck:
    return PlanCheck(tuple(_reasons(plan)), tuple(_remarks(plan)))


def _reasons(plan: Plan) -> Iterator[str]:
    yield from _status(plan)
    yield from _numbers(plan)
    yield from _waits(plan)
    for each in plan.phases:
        if fault := executor_fault(each.executor_agent):
            yield f"phase {each.phase_id}: {fault}"
        yield from _template_rules(each)
    if len(plan.phases) > MOST_PHASES:
        yield f"{len(plan.phases)} phases are too many; {MOST_PHASES} at most, split the task"


def _status(plan: Plan) -> Iterator[str]:
    if plan.status == "READY_FOR_EXECUTION" and plan.abstaining:
        yield "the status says ready and abstain says not: " + "; ".join(plan.abstain_reasons)[:300]
    elif plan.status != "READY_FOR_EXECUTION":
        yield f"the planner itself says {plan.status}" + _because(plan)


def _because(plan: Plan) -> str:
    return ": " + "; ".join(plan.abstain_reasons)[:300] if plan.abstain_reasons else ""


def _numbers(plan: Plan) -> Iterator[str]:
    for number, times in sorted(Counter(each.phase_id for each in plan.phases).items()):
        if times > 1:
            yield f"phase {number} stands there {times} times"


def _waits(plan: Plan) -> Iterator[str]:
    by_id = {each.phase_id: each for each in plan.phases}
    graph: dict[str, list[str]] = {str(each): [] for each in by_id}
    for phase in plan.phases:
        for dep in phase.dependencies:
            if dep not in by_id:
                yield f"phase {phase.phase_id} waits for phase {dep}, which does not exist"
                continue
            graph[str(phase.phase_id)].append(str(dep))
            if dep != phase.phase_id and (late := by_id[dep].wave) >= phase.wave:
                yield (
                    f"phase {phase.phase_id} of wave {phase.wave} waits for phase {dep}, which is "
                    f"only in wave {late}"
                )
    found = waves.waves(graph)
    if isinstance(found, waves.Cycle):
        yield f"phase {found}"
    for contract in plan.contracts:
        for end in (contract.from_phase, contract.to_phase):
            if end not in by_id:
                yield f"a contract names phase {end}, which does not exist"


def _template_rules(phase: Phase) -> Iterator[str]:
    texts = (phase.objective, *phase.steps, *phase.tests, *phase.acceptance_criteria)
    if any(_CODE.search(text) for text in texts):
        yield f"phase {phase.phase_id} holds a code block; say in prose what changes"
    if manual := next((text for text in phase.tests if _MANUAL.search(text)), ""):
        yield (
            f"phase {phase.phase_id} asks for a test by hand: {manual[:120]!r}; name a command "
            "that checks it"
        )


def _remarks(plan: Plan) -> Iterator[str]:
    if len(plan.phases) < FEWEST_PHASES:
        yield f"only {len(plan.phases)} of the usual {FEWEST_PHASES} to {MOST_PHASES} phases"
    measured = tier_of(plan)
    if TIERS.index(measured) > TIERS.index(plan.complexity_tier):
        count = len(touched(plan))
        yield (
            f"the plan calls itself {plan.complexity_tier} and names {count} files, which is "
            f"{measured}"
        )
    numbers = [wave for wave, _ in plan.waves]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"waves are numbered {', '.join(map(str, numbers))}"
    for phase in plan.phases:
        if phase.writes and (phase.read_only or phase.executor_agent in READ_ONLY):
            who = (
                "is read-only"
                if phase.read_only
                else f"is for {phase.executor_agent}, which only reads"
            )
            yield f"phase {phase.phase_id} {who}: nobody will write {', '.join(phase.writes)[:200]}"
    for wave, phases in plan.waves:
        for one, other in waves.conflicts({str(each.phase_id): each.writes for each in phases}):
            yield (
                f"phases {one} and {other} of wave {wave} change the same files and will not run "
                "side by side"
            )


def touched(plan: Plan) -> tuple[str, ...]:
    """Every distinct file that the plan names."""
    return tuple(sorted({file.path for phase in plan.phases for file in phase.files}))


def tier_of(plan: Plan) -> Tier:
    """The tier by number of files. Two tiers claim 15 files; they are LARGE, which has the
    deeper review.
    """
    count = len(touched(plan))
    if count <= 2:
        return "TRIVIAL"
    if count <= 5:
        return "SMALL"
    return "MEDIUM" if count <= 14 else "LARGE"
