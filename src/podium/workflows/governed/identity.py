"""Whether an answer belongs to the question: the right task, the right plan, phases that exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from podium.workflows.governed.plan import Plan


def foreign(data: Mapping[str, Any], trace_id: str, plan: Plan | None = None) -> tuple[str, ...]:
    """Everything in an answer that speaks of another task, plan or phase."""
    return tuple(_foreign(data, trace_id, plan))


def _foreign(data: Mapping[str, Any], trace_id: str, plan: Plan | None) -> Iterator[str]:
    said = data.get("trace_id", trace_id)
    if str(said).casefold() != trace_id.casefold():
        yield f"trace_id: expected {trace_id}, got {str(said)[:60]}"
    if plan is None:
        return
    known = {each.phase_id for each in plan.phases}
    reference = data.get("plan_reference", {})
    for name, right in (("phase_count", len(plan.phases)), ("total_waves", len(plan.waves))):
        if reference.get(name, right) != right:
            yield f"plan_reference.{name}: expected {right}, got {reference[name]}"
    for at, finding in enumerate(data.get("findings", ())):
        if strange := sorted(set(finding.get("affected_phases", ())) - known):
            yield f"findings[{at}].affected_phases: phase {strange[0]} does not exist"
    for at, snapshot in enumerate(data.get("plan_phases_snapshot", ())):
        if snapshot["phase_id"] not in known:
            yield f"plan_phases_snapshot[{at}].phase_id: phase {snapshot['phase_id']} does not exist"
