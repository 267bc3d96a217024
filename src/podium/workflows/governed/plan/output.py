"""The plan as a file that the planner must write: how it is checked, composed and described."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from podium.core.contract import Output
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.plan.checks import check_plan
from podium.workflows.governed.plan.markdown import write_plan
from podium.workflows.governed.plan.plan import Plan, to_data
from podium.workflows.governed.plan.reading import read_object, read_plan

NAME = "plan"


def plan_output(path: str) -> Output:
    """The output `@plan` at that path; a path that ends with `.json` contains the object itself."""
    return Output(
        name=NAME,
        path=path,
        check=check_document,
        compose=partial(compose_plan, as_json=path.endswith(".json")),
        structure=required_structure,
        spelled=spelled_plan,
    )


# every check has this shape
def check_document(text: str, template: str = "") -> tuple[str, ...]:  # noqa: ARG001
    """Every fault that keeps the document from being a plan; whether it is a good plan is judged
    later.
    """
    return read_plan(text).faults


def compose_plan(
    members: Mapping[str, Any],
    template: str = "",  # noqa: ARG001 - every composer has this shape
    facts: Mapping[str, str] | None = None,
    *,
    as_json: bool = False,
) -> str:
    """The shortest good plan with these members of the planner's object; ValueError names what
    is wrong.
    """
    known = facts or {}
    title = known.get("Title") or known.get("Task") or ""
    given = (
        {"task_title": f"Task {title}" if len(title) < 3 else title, **members}
        if title
        else dict(members)
    )
    found = read_object(good_plan(**given))
    if found.plan is None:
        raise ValueError("; ".join(found.faults))
    return plan_json(found.plan) if as_json else write_plan(found.plan)


def spelled_plan(sent: Mapping[str, Any]) -> str:
    """The document of a planner that sends its object but writes nothing; empty if there is no
    object.
    """
    found = read_object(sent).plan if sent else None
    return "" if found is None else write_plan(found)


def plan_json(plan: Plan) -> str:
    return json.dumps(to_data(plan), indent=2, ensure_ascii=False) + "\n"


# every structure has this shape
def required_structure(template: str = "") -> tuple[str, ...]:  # noqa: ARG001
    """What the document must contain, in words for the brief."""
    return (
        (
            "heading `## Plan: <title>`, then lines `**Status:**`, `**Complexity Tier:**`, "
            "`**Confidence:**`, "
            "`**Abstain:** is_abstaining: false`, `**Summary:**`, `**Revision Mode:**`"
        ),
        (
            "`### Implementation Phases` with `#### Phase N — <title>` for each phase, each "
            "with the lines "
            "`- **Objective:**`, `- **Executor Agent:**`, `- **Wave:**`, `- "
            "**Dependencies:**`, `- **Files:**`, `- **Tests:**`, "
            "`- **Acceptance Criteria:**`, `- **Quality Gates:**`, `- **Failure "
            "Expectations:**`, `- **Steps:**`"
        ),
        "each file as `  - \\`path\\` — create|modify|review|reference: reason`",
        (
            "`### Semantic Risk Review` as a table of Category, Applicability, Impact, "
            "Evidence Source, Disposition: "
            "every category once"
        ),
        (
            "`### Success Criteria` as a list; `### Handoff` with `- **Target Agent:** "
            "Orchestrator` and `- **Prompt:**`"
        ),
        (
            "`### Open Questions`, `### Risks`, `### Inter-Phase Contracts` where there are "
            "any; for LARGE plans "
            "`### Architecture Visualization` with a mermaid flowchart and a sequenceDiagram"
        ),
        "no other code blocks, no tests by hand, at most 10 phases",
    )


@dataclass(frozen=True)
class SettledPlan:
    """The result of a planner's work: its document, which the object it sent cannot improve."""

    plan: Plan | None
    faults: tuple[str, ...] = ()
    replan: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()


def settle_plan(document: str, sent: Mapping[str, Any] | None = None) -> SettledPlan:
    """The plan of a document, checked; an object sent along counts if it is the worse of the
    two.
    """
    found = read_plan(document)
    if found.plan is None:
        return SettledPlan(None, found.faults, found.replan)
    checked = check_plan(found.plan)
    replan = list(dict.fromkeys([*found.replan, *checked.replan]))
    contradictions: list[str] = []
    other = read_object(sent).plan if sent else None
    if other is not None and other.status != found.plan.status:
        contradictions.append(f"the document says {found.plan.status}, the object {other.status}")
        if other.status != "READY_FOR_EXECUTION":
            replan.append(f"the planner itself says {other.status}")
    return SettledPlan(found.plan, (), tuple(replan), checked.remarks, tuple(contradictions))
