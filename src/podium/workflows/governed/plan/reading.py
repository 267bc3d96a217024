"""A plan as an agent or a person left it: JSON or Markdown, of either generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from podium.formats import strict_json
from podium.workflows.governed.payloads.payloads import accepted, measured, payload_faults
from podium.workflows.governed.payloads.schema_store import PLAN
from podium.workflows.governed.plan.markdown_reader import plan_object
from podium.workflows.governed.plan.plan import Plan, from_data
from podium.workflows.governed.roster import EXECUTORS, executor_fault
from podium.workflows.governed.terms import Generation

LARGEST = 1_000_000


@dataclass(frozen=True)
class PlanReading:
    """The result of reading a document."""

    plan: Plan | None
    """None if its object is not valid."""
    generation: Generation | None = None
    """The generation whose schema accepted it."""
    faults: tuple[str, ...] = ()
    """Why it is not a plan."""
    replan: tuple[str, ...] = ()
    """Executors that are missing or unknown: the plan can be read, but must go back to the
    planner.
    """


def read_plan(text: str) -> PlanReading:
    """The plan in a document: JSON if the text begins with a brace, else Markdown."""
    if len(text) > LARGEST:
        return PlanReading(
            None, faults=(f"the plan has {len(text)} characters, {LARGEST} at most",)
        )
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return read_object(plan_object(text))
    try:
        data = strict_json.parse(text)
    except ValueError as fault:
        return PlanReading(None, faults=(f"the plan is not valid JSON: {fault}",))
    return read_object(data)


def read_object(data: Mapping[str, Any], wanted: Generation | None = None) -> PlanReading:
    """The plan in an object, of either generation if none is wanted; executors are judged
    separately.
    """
    if oversized := tuple(measured(data)):
        return PlanReading(None, faults=tuple(map(str, oversized)))
    replan, named, complete = _executors(data)
    generation, faults = (
        accepted(PLAN, complete)
        if wanted is None
        else (wanted, payload_faults(PLAN, complete, wanted))
    )
    if faults:
        return PlanReading(None, faults=tuple(map(str, faults)), replan=replan)
    plan = from_data(complete)
    phases = tuple(
        replace(each, executor_agent=name) for each, name in zip(plan.phases, named, strict=True)
    )
    return PlanReading(replace(plan, phases=phases), generation, replan=replan)


def _executors(data: Mapping[str, Any]) -> tuple[tuple[str, ...], list[str], dict[str, Any]]:
    """Faults of executors, the executors as written, and the object with stand-ins for the
    faulty ones.
    """
    phases = data.get("phases")
    if not isinstance(phases, list) or not all(isinstance(each, Mapping) for each in phases):
        return (), [], dict(data)
    named, wrong, whole = [], [], []
    for each in phases:
        said = each.get("executor_agent", "")
        fault = executor_fault(said) if isinstance(said, str) else ""
        named.append(said if isinstance(said, str) else "")
        if fault:
            wrong.append(f"phase {str(each.get('phase_id', '?'))[:10]}: {fault}")
        whole.append({**each, "executor_agent": EXECUTORS[0]} if fault else each)
    return tuple(wrong), named, {**data, "phases": whole}
