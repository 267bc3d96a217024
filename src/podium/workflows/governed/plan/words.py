"""Texts of a plan as lines of Markdown and back, and the titles that both directions use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from podium.formats.field_lines import field_value, one_line
from podium.workflows.governed.plan.plan import Diagram, Expectation, Phase, Plan

NOT_STATED = "not stated"
"""Used where an older plan says nothing and a schema requires a text."""

HEADER: Mapping[str, str] = {
    "Status": "status",
    "Agent": "agent",
    "schema_version": "schema_version",
    "Complexity Tier": "complexity_tier",
    "Confidence": "confidence",
    "Summary": "summary",
    "Max Parallel Agents": "max_parallel_agents",
    "Iteration Budget": "iteration_budget",
    "Revision Mode": "revision_mode",
    "Revision Of": "revision_of",
    "Active Plan Path": "active_plan_path",
    "Existing Plan Path": "existing_plan_path",
    "Trace ID": "trace_id",
    "Resource Profile": "resource_profile",
    "Spec Path": "spec_path",
    "Research Brief Path": "research_brief_path",
    "Code Context Pack Path": "code_context_pack_path",
    "Context Packet Path": "context_packet_path",
}
"""Header lines to members of the planner's object."""

PHASE_FIELDS: Mapping[str, str] = {
    "Objective": "objective",
    "Executor Agent": "executor_agent",
    "Wave": "wave",
    "Dependencies": "dependencies",
    "Files": "files",
    "Tests": "tests",
    "Acceptance Criteria": "acceptance_criteria",
    "Quality Gates": "quality_gates",
    "Failure Expectations": "failure_expectations",
    "Steps": "steps",
    "Phase Type": "phase_type",
    "Skill References": "skill_references",
    "Phase Task Card": "phase_task_card_path",
}
"""Lines of a phase to members of its object."""

PHASES, CONTRACTS, QUESTIONS = "Implementation Phases", "Inter-Phase Contracts", "Open Questions"
RISKS, RISK_REVIEW, SUCCESS = "Risks", "Semantic Risk Review", "Success Criteria"
HANDOFF, DIAGRAMS, ABSTAIN_REASONS = "Handoff", "Architecture Visualization", "Abstain Reasons"
RISK_COLUMNS = ("category", "applicability", "impact", "evidence_source", "disposition")

_MISREAD = re.compile(
    r"[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$)|#{1,6}(?:\s|$)|[-*_=\s]+$|\[[ xX]\]\s|[>`~<|\\]", re.ASCII
)
_BREAK = re.compile(r"\r\n|\r|\n")


def flat(text: str) -> str:
    """Any text as one line without runs of white space."""
    return " ".join(one_line(text).split())


def escaped(text: str) -> str:
    """A flat text as the start of a list item; its first character must not be read as
    structure.
    """
    return f"\\{text}" if _MISREAD.match(text) else text


def unescaped(text: str) -> str:
    return text[1:] if text.startswith("\\") and _MISREAD.match(text[1:]) else text


def cell(text: str) -> str:
    return flat(text).replace("\\", "\\\\").replace("|", "\\|")


def cells(line: str) -> list[str]:
    """The cells of a table row."""
    found, current, at = [], "", 0
    row = line.strip().removeprefix("|")
    while at < len(row):
        if row[at] == "\\" and row[at + 1 : at + 2] in {"\\", "|"}:
            current, at = current + row[at + 1], at + 2
            continue
        if row[at] == "|":
            found.append(current.strip())
            current = ""
        else:
            current += row[at]
        at += 1
    return [*found, current.strip()] if current.strip() else found


def source_lines(source: str) -> list[str]:
    return _BREAK.split(source.strip("\r\n"))


def tidy(plan: Plan) -> Plan:
    """The plan with every text in the form that Markdown preserves."""
    members = {name: _tidied(value) for name, value in vars(plan).items()}
    members["task_title"] = _title(plan.task_title)
    for name in HEADER.values():
        if isinstance(members.get(name), str):
            members[name] = field_value(members[name])
    members["handoff_agent"] = field_value(members["handoff_agent"])
    members["handoff_prompt"] = field_value(members["handoff_prompt"])
    members["diagrams"] = tuple(
        Diagram(flat(each.type), _title(each.title), "\n".join(source_lines(each.mermaid_source)))
        for each in plan.diagrams
    )
    return Plan(**members)


def _tidied(value: Any) -> Any:
    if isinstance(value, str):
        return flat(value)
    if isinstance(value, tuple):
        return tuple(_tidied(each) for each in value)
    if isinstance(value, Phase):
        members = {name: _tidied(each) for name, each in vars(value).items()}
        lines = ("objective", "executor_agent", "phase_type", "phase_task_card_path")
        return Phase(
            **{
                **members,
                "title": _title(value.title),
                **{each: field_value(members[each]) for each in lines},
            }
        )
    if isinstance(value, Expectation):
        return Expectation(
            _without_keys(value.scenario),
            flat(value.classification),
            _without_keys(value.mitigation),
        )
    if hasattr(value, "__dataclass_fields__"):
        return type(value)(**{name: _tidied(each) for name, each in vars(value).items()})
    return value


def _title(text: str) -> str:
    return flat(text).strip("#").strip()


def _without_keys(text: str) -> str:
    """A text that cannot be mistaken for the next part of its own line."""
    return re.sub(
        r"\b(scenario|classification|mitigation):", r"\1 -", flat(text), flags=re.IGNORECASE
    )
