"""A plan written as Markdown, with the headings and lines of the plan template."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from podium.workflows.governed.plan import words
from podium.workflows.governed.plan.plan import SCHEMA_VERSION, Diagram, Phase, Plan

_RUN = re.compile(r"`{3,}")


def write_plan(plan: Plan) -> str:
    """The plan's document; `reading.read_plan` reads the same plan back."""
    plan = words.tidy(plan)
    lines = [f"## Plan: {plan.task_title}", "", *_header(plan)]
    lines += ["", f"### {words.PHASES}"]
    for phase in plan.phases:
        lines += ["", *_phase(phase)]
    for title, body in (
        (words.ABSTAIN_REASONS, _bullets(plan.abstain_reasons)),
        (words.CONTRACTS, list(_contracts(plan))),
        (words.QUESTIONS, list(_questions(plan))),
        (words.RISKS, list(_risks(plan))),
        (words.RISK_REVIEW, _risk_review(plan)),
        (words.SUCCESS, _bullets(plan.success_criteria)),
        (
            words.HANDOFF,
            [
                f"- **Target Agent:** {plan.handoff_agent}",
                f"- **Prompt:** {plan.handoff_prompt}".rstrip(),
            ],
        ),
        (words.DIAGRAMS, [line for each in plan.diagrams for line in _diagram(each)]),
    ):
        if body:
            lines += ["", f"### {title}", "", *body]
    return "\n".join(lines).rstrip("\n") + "\n"


def _header(plan: Plan) -> list[str]:
    fixed = {
        "agent": "Planner",
        "schema_version": SCHEMA_VERSION,
        "confidence": f"{plan.confidence!r}",
    }
    found = []
    for title, name in words.HEADER.items():
        value = fixed.get(name) or getattr(plan, name, None)
        if value:
            found.append(f"**{title}:** {value}  ")
        if name == "confidence":
            found.append(f"**Abstain:** is_abstaining: {str(plan.abstaining).lower()}  ")
    return found


def _phase(phase: Phase) -> list[str]:
    waits = ", ".join(f"Phase {each}" for each in phase.dependencies) or "None"
    lines = [
        f"#### Phase {phase.phase_id} — {phase.title}",
        "",
        f"- **Objective:** {phase.objective}",
        f"- **Executor Agent:** {phase.executor_agent}".rstrip(),
        f"- **Wave:** {phase.wave}",
        f"- **Dependencies:** {waits}",
        *_field("Files", (f"`{each.path}` — {each.action}: {each.reason}" for each in phase.files)),
        *_field("Tests", phase.tests),
        *_field("Acceptance Criteria", phase.acceptance_criteria),
        *_field("Quality Gates", phase.quality_gates),
        *_field(
            "Failure Expectations",
            (
                (
                    f"Scenario: {each.scenario}. Classification: {each.classification}. "
                    f"Mitigation: {each.mitigation}"
                )
                for each in phase.failure_expectations
            ),
        ),
    ]
    if phase.phase_type:
        lines.append(f"- **Phase Type:** {phase.phase_type}")
    if phase.skill_references:
        lines += _field("Skill References", phase.skill_references)
    if phase.phase_task_card_path:
        lines.append(f"- **Phase Task Card:** {phase.phase_task_card_path}")
    lines.append("- **Steps:**")
    return lines + [
        f"  {number}. {words.escaped(each)}" for number, each in enumerate(phase.steps, 1)
    ]


def _field(title: str, items: Iterable[str]) -> list[str]:
    listed = [f"  - {words.escaped(each) if not each.startswith('`') else each}" for each in items]
    return [f"- **{title}:**", *listed] if listed else [f"- **{title}:** None"]


def _bullets(items: Iterable[str]) -> list[str]:
    return [f"- {words.escaped(each)}" for each in items]


def _contracts(plan: Plan) -> Iterator[str]:
    for each in plan.contracts:
        yield f"- **From Phase {each.from_phase} → Phase {each.to_phase}:** {each.interface}"
        yield f"  - Format: {each.format}"


def _questions(plan: Plan) -> Iterator[str]:
    for number, each in enumerate(plan.open_questions, 1):
        yield f"- **Q{number}:** {each.question}"
        yield from (f"  - Option: {option}" for option in each.options)
        yield f"  - Recommendation: {each.recommendation}"


def _risks(plan: Plan) -> Iterator[str]:
    for each in plan.risks:
        yield f"- **Risk:** {each.risk}"
        yield f"  - Mitigation: {each.mitigation}"


def _risk_review(plan: Plan) -> list[str]:
    if not plan.risk_review:
        return []
    rows = [
        "| " + " | ".join(words.cell(getattr(each, name)) for name in words.RISK_COLUMNS) + " |"
        for each in plan.risk_review
    ]
    return [
        "| Category | Applicability | Impact | Evidence Source | Disposition |",
        "|---|---|---|---|---|",
        *rows,
    ]


def _diagram(diagram: Diagram) -> list[str]:
    lines = words.source_lines(diagram.mermaid_source)
    longest = max((len(run) for line in lines for run in _RUN.findall(line)), default=2)
    fence = "`" * max(3, longest + 1)
    return [f"#### {diagram.type}: {diagram.title}", "", f"{fence}mermaid", *lines, fence, ""]
