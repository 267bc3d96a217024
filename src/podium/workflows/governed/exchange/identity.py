"""Whether an answer belongs to the question: it names existing phases and the task's own trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from podium.workflows.governed.plan.plan import Plan


def foreign(plan: Plan, data: Mapping[str, Any]) -> tuple[str, ...]:
    """Everything in an answer that refers to phases the plan does not have: the answer is
    refused with these words.
    """
    return tuple(_foreign(plan, data))


def doubtful(data: Mapping[str, Any], trace_id: str, scope: str = "") -> tuple[str, ...]:
    """An answer under another trace or scope: reported but not refused, since models invent such
    values.
    """
    found = []
    if (said := str(data.get("trace_id", trace_id))).casefold() != trace_id.casefold():
        found.append(f"trace_id is {said[:60]}, this task's is {trace_id}")
    if scope and (said := str(data.get("review_scope", scope))) != scope:
        found.append(f"review_scope is {said}, asked was {scope}")
    return tuple(found)


def _foreign(plan: Plan, data: Mapping[str, Any]) -> Iterator[str]:
    known = {each.phase_id for each in plan.phases}
    for at, finding in enumerate(data.get("findings", ())):
        if strange := sorted(set(finding.get("affected_phases", ())) - known):
            yield f"findings[{at}].affected_phases: phase {strange[0]} does not exist"
    for name in ("plan_phases_snapshot", "prior_phase_findings"):
        for at, each in enumerate(data.get(name, ())):
            if each["phase_id"] not in known:
                yield f"{name}[{at}].phase_id: phase {each['phase_id']} does not exist"
