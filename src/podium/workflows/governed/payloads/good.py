"""The shortest valid answer of every agent: what a well-behaved scripted agent sends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.workflows.governed.payloads.vocabulary import LATER_MEMBERS, VERSIONS
from podium.workflows.governed.roster import BY_ROLE
from podium.workflows.governed.terms import LATEST, RISKS, Generation

_ABSTAIN = {"is_abstaining": False, "reasons": list[str]()}
_SCOPE = {"in_scope": ["the phase"], "out_of_scope": ["everything else"]}
_DONE = {"all_items_complete": True, "unchecked_items": list[str]()}
_PASS = {"state": "PASS"}
_TESTS = {"individual": "PASS", "full_suite": "PASS"}
_EXECUTED: dict[str, Any] = {
    "status": "COMPLETE",
    "confidence": 0.95,
    "abstain": _ABSTAIN,
    "scope": _SCOPE,
    "definition_of_done": _DONE,
    "next_steps": [],
}
_BUILT: dict[str, Any] = {
    **_EXECUTED,
    "tests": _TESTS,
    "build": _PASS,
    "lint": _PASS,
    "dependencies": [],
}
_SCORES = (
    "assumption_validity",
    "error_coverage",
    "integration_reality",
    "scope_fidelity",
    "dependency_accuracy",
)
_CHECKLIST = (
    *("what_clear", "where_clear", "how_clear", "inputs_defined", "outputs_defined"),
    *("dependencies_met", "verify_command_complete", "test_specifics_concrete"),
)
_REFERENCE = {"plan_path": "plans/plan.md", "phase_count": 1}


def good_phase(number: int = 1, **members: Any) -> dict[str, Any]:
    """A phase of the planner's object."""
    return {
        "phase_id": number,
        "title": f"Piece {number}",
        "objective": "Make the change that was asked for.",
        "wave": 1,
        "executor_agent": "CoreImplementer-subagent",
        "files": [
            {"path": f"work/piece-{number}.txt", "action": "create", "reason": "holds the result"}
        ],
        "tests": ["the project's test command passes"],
        "steps": ["Write the test, then the change."],
        "acceptance_criteria": ["The change is there and tested."],
        "quality_gates": ["tests_pass"],
        **members,
    }


def risk_review(**changed: Mapping[str, str]) -> list[dict[str, Any]]:
    """Every category once, not applicable unless given here."""
    nothing = {
        "applicability": "not_applicable",
        "impact": "LOW",
        "evidence_source": "the request",
        "disposition": "not_applicable",
    }
    return [{"category": name, **nothing, **changed.get(name, {})} for name in RISKS]


def good_plan(**members: Any) -> dict[str, Any]:
    """The planner's object; `phases` lists, for each phase, what differs from a good one."""
    phases: Sequence[Mapping[str, Any]] = members.pop("phases", ({},))
    plan: dict[str, Any] = {
        "schema_version": "1.2.0",
        "agent": "Planner",
        "status": "READY_FOR_EXECUTION",
        "task_title": "The request",
        "summary": "One piece of work, tested.",
        "confidence": 0.95,
        "abstain": dict(_ABSTAIN),
        "phases": [good_phase(number, **each) for number, each in enumerate(phases, 1)],
        "open_questions": [],
        "risks": [],
        "risk_review": risk_review(),
        "success_criteria": ["The tests pass."],
        "complexity_tier": "TRIVIAL",
        "handoff": {
            "target_agent": "Orchestrator",
            "prompt": "Review the plan, then start with its first wave.",
        },
        "revision_mode": "initial_create",
        **members,
    }
    if plan["complexity_tier"] == "LARGE" and "diagrams" not in members:
        plan["diagrams"] = [
            {
                "type": "flowchart",
                "title": "Phases",
                "mermaid_source": "flowchart TD\n  P1 --> Done",
            },
            {
                "type": "sequenceDiagram",
                "title": "Order",
                "mermaid_source": "sequenceDiagram\n  Program->>Executor: phase",
            },
        ]
    return plan


def _code_review() -> dict[str, Any]:
    checks = ("injection", "auth", "secrets", "input_validation", "data_exposure", "dependencies")
    return {
        "status": "APPROVED",
        "summary": "no blocking issue",
        "confidence": 0.95,
        "abstain": _ABSTAIN,
        "issues": [],
        "validated_blocking_issues": [],
        "verification_gates": dict.fromkeys(("build", "tests", "lint_problems"), _PASS),
        "security_checks": dict.fromkeys(checks, "N/A"),
        "next_steps": ["continue"],
    }


def _audit() -> dict[str, Any]:
    return {
        "status": "APPROVED",
        "confidence": 0.95,
        "abstain": _ABSTAIN,
        "plan_reference": {**_REFERENCE, "total_waves": 1},
        "findings": [],
        "risk_summary": {
            "critical_count": 0,
            "major_count": 0,
            "minor_count": 0,
            "overall_risk": "LOW",
        },
        "executability_checklist": [],
        "recommendation": "proceed",
    }


def _assumptions() -> dict[str, Any]:
    return {
        "status": "COMPLETE",
        "confidence": 0.95,
        "abstain": _ABSTAIN,
        "plan_reference": _REFERENCE,
        "mirage_findings": [],
        "scoring": {
            "dimensions": [{"name": name, "raw_score": 5, "formula": "5 - 0"} for name in _SCORES],
            "total_score": 25,
            "max_possible": 25,
            "percentage": 100,
        },
        "recommendation": "proceed",
    }


def _rehearsal() -> dict[str, Any]:
    task = {
        "task_id": "Phase1-Step1",
        "pre_execution_checklist": dict.fromkeys(_CHECKLIST, True),
        "walkthrough_steps": [{"step": "open_file", "status": "CLEAR"}],
        "task_verdict": "EXECUTABLE",
        "checklist_score": 1,
    }
    return {
        "status": "PASS",
        "confidence": 0.95,
        "abstain": _ABSTAIN,
        "tasks_simulated": [task],
        "overall_executability_score": 1,
        "recommendation": "proceed",
    }


def _members(role: str) -> dict[str, Any]:
    match role:
        case "planner":
            return good_plan()
        case "core-implementer":
            return {**_BUILT, "changes": []}
        case "ui-implementer":
            return {**_BUILT, "ui_changes": [], "accessibility": _PASS, "responsive": _PASS}
        case "platform-engineer":
            deployed = {"environment": "development", "state": "NOT_APPLICABLE"}
            more = {
                "health_checks": [],
                "deployment_details": deployed,
                "approval_gates_passed": ["none_required"],
            }
            return {**_BUILT, "changes": [], **more}
        case "technical-writer":
            return {
                **_EXECUTED,
                "docs_created": [],
                "docs_updated": [],
                "parity_verified": True,
                "coverage_percentage": 100,
            }
        case "browser-tester":
            counts = dict.fromkeys(
                (
                    "scenarios_run",
                    "scenarios_passed",
                    "console_errors",
                    "network_failures",
                    "accessibility_issues",
                ),
                0,
            )
            return {
                **_EXECUTED,
                "health_check": {"endpoint": "none", "state": "NOT_CONFIGURED"},
                **counts,
            }
        case _:
            return _judged(role)


def _judged(role: str) -> dict[str, Any]:
    match role:
        case "code-reviewer":
            return _code_review()
        case "plan-auditor":
            return _audit()
        case "assumption-verifier":
            return _assumptions()
        case "executability-verifier":
            return _rehearsal()
        case "code-mapper":
            runs = [
                {"tool": "search", "query": word}
                for word in ("entry points", "tests", "configuration")
            ]
            return {
                "status": "COMPLETE",
                "confidence": 0.95,
                "scope_in": ["the request"],
                "scope_out": ["everything else"],
                "search_runs": runs,
                "files": [],
                "answer": "Nothing stands in the way.",
                "next_steps": ["plan"],
            }
        case _:
            return {
                "status": "COMPLETE",
                "confidence": 0.95,
                "abstain": _ABSTAIN,
                "scope_in": ["the request"],
                "scope_out": ["everything else"],
                "relevant_files": [],
                "key_findings": [],
                "patterns": [],
                "implementation_options": [],
                "open_questions": [],
            }


def good_answer(role: str, generation: Generation = LATEST) -> dict[str, Any]:
    """The shortest valid object of the role's schema."""
    agent = BY_ROLE[role]
    whole = {"schema_version": VERSIONS.get(role, "1.0.0"), "agent": agent.name, **_members(role)}
    later = () if generation == LATEST else LATER_MEMBERS.get(role, ())
    return {name: value for name, value in whole.items() if name not in later}
