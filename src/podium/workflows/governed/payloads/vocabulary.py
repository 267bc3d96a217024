"""How each agent is told to report: the members of its object and the words allowed in them."""

from __future__ import annotations

from collections.abc import Mapping

from podium.workflows.governed.roster import BY_ROLE
from podium.workflows.governed.terms import LATEST, Generation

_ABSTAIN = '"abstain": {"is_abstaining": false, "reasons": []}'
_COMMON = (
    '"status": "COMPLETE" | "NEEDS_INPUT" | "FAILED" | "ABSTAIN", "confidence": 0 to 1, ' + _ABSTAIN
)
_ENDING = '"definition_of_done": {"all_items_complete", "unchecked_items": []}, "next_steps": []'
_PROOF = (
    '"tests": {"individual": "PASS" | "FAIL" | "NOT_RUN", "full_suite": same}, "build": '
    '{"state": "PASS" | "FAIL" | '
    '"NOT_AVAILABLE" | "NOT_RUN"}, "lint": {"state": same}, "dependencies": [{"name", "reason"}]'
)
_SCOPE = '"scope": {"in_scope": [], "out_of_scope": []}'
_CHANGES = '"changes": [{"file", "action": "create" | "modify" | "delete", "summary"}]'
_CLASSES = '"transient", "fixable", "needs_replan", "escalate" or "model_unavailable"'
_EXECUTOR = (
    f'FAILED and NEEDS_INPUT also carry "failure_classification": {_CLASSES}.',
    (
        'NEEDS_INPUT also carries "clarification_request": {"options": 2 or 3 of {"id", '
        '"description", "pros": [], "cons": [], '
        '"affected_files": []}, "impact_analysis", "recommended_option": one of the ids, '
        '"recommended_option_rationale"}.'
    ),
    (
        "Build, tests and lint are run again without you; what you say of them is compared with "
        "what they do."
    ),
)
_REVIEWER = (
    (
        'A refusal also carries "failure_classification": "fixable", "needs_replan", "escalate" '
        'or "model_unavailable".'
    ),
    "A confidence below the threshold of your role counts as ABSTAIN, whatever the status says.",
)

_OBJECTS: Mapping[str, str] = {
    "planner": (
        '"status": "READY_FOR_EXECUTION" | "ABSTAIN" | "REPLAN_REQUIRED", "task_title", '
        '"summary", "confidence": 0 to 1, '
        f'{_ABSTAIN}, "phases": [...], "open_questions": [{{"question", "options": [], '
        '"recommendation"}], '
        '"risks": [{"risk", "mitigation"}], "risk_review": [...], "success_criteria": [], '
        '"complexity_tier": "TRIVIAL" | '
        '"SMALL" | "MEDIUM" | "LARGE", "handoff": {"target_agent": "Orchestrator", "prompt"}'
    ),
    "code-mapper": (
        '"status": "COMPLETE" | "ABSTAIN", "confidence": 0 to 1, "scope_in": [1 or more], '
        '"scope_out": [1 or more], '
        '"search_runs": [3 or more of {"tool", "query", "result_count"}], "files": [{"path", '
        '"relevance", '
        '"key_locations": [{"symbol", "line"}]}], "answer", "next_steps": [1 or more]'
    ),
    "researcher": (
        '"status": "COMPLETE" | "ABSTAIN" | "INSUFFICIENT_EVIDENCE", "confidence": 0 to 1, '
        f'{_ABSTAIN}, "scope_in": [1 or more], '
        '"scope_out": [1 or more], "relevant_files": [{"path", "purpose"}], "key_findings": '
        '[{"fact", "evidence": [{"file", '
        '"line_start"}]}], "patterns": [], "implementation_options": [{"option", "tradeoffs": '
        '[], "based_on": []}], "open_questions": []'
    ),
    "core-implementer": f"{_COMMON}, {_SCOPE}, {_CHANGES}, {_PROOF}, {_ENDING}",
    "ui-implementer": (
        f'{_COMMON}, {_SCOPE}, "ui_changes": [{{"file", "component", "summary"}}], {_PROOF}, '
        '"accessibility": {"state": "PASS" | '
        f'"FAIL" | "NOT_VERIFIED"}}, "responsive": {{"state": same}}, {_ENDING}'
    ),
    "platform-engineer": (
        f'{_COMMON}, {_SCOPE}, {_CHANGES}, "health_checks": [{{"service", "state": "HEALTHY" '
        '| "UNHEALTHY" | "NOT_AVAILABLE"}], '
        '"deployment_details": {"environment": "development" | "staging" | "production", '
        '"state": "DEPLOYED" | "ROLLED_BACK" | '
        '"FAILED" | "NOT_APPLICABLE"}, "approval_gates_passed": ["production_approval" | '
        '"security_approval" | "none_required"], '
        f"{_PROOF}, {_ENDING}"
    ),
    "technical-writer": (
        f'{_COMMON}, {_SCOPE}, "docs_created": [{{"path", "title", "type": "documentation" | '
        '"walkthrough" | "diagram" | '
        '"api_reference"}], "docs_updated": [{"path", "changes"}], "parity_verified": true or '
        'false, "coverage_percentage": '
        f"0 to 100, {_ENDING}"
    ),
    "browser-tester": (
        f'{_COMMON}, {_SCOPE}, "health_check": {{"endpoint", "state": "HEALTHY" | "UNHEALTHY" '
        '| "NOT_CONFIGURED"}, "scenarios_run", '
        '"scenarios_passed", "console_errors", "network_failures", "accessibility_issues": '
        f"whole numbers, {_ENDING}"
    ),
    "code-reviewer": (
        '"status": "APPROVED" | "NEEDS_REVISION" | "FAILED" | "ABSTAIN", "summary", '
        f'"confidence": 0 to 1, {_ABSTAIN}, "issues": '
        '[{"severity": "CRITICAL" | "MAJOR" | "MINOR", "description", "file", '
        '"validation_status": "confirmed" | "rejected" | '
        '"unvalidated"}], "validated_blocking_issues": [{"severity", "description", "file"}], '
        '"verification_gates": {"build", '
        '"tests", "lint_problems": {"state": "PASS" | "FAIL" | "NOT_AVAILABLE"}}, '
        '"security_checks": {"injection", "auth", '
        '"secrets", "input_validation", "data_exposure", "dependencies": "PASS" | "FAIL" | '
        '"N/A"}, "next_steps": [1 or more]'
    ),
    "plan-auditor": (
        '"status": "APPROVED" | "NEEDS_REVISION" | "REJECTED" | "ABSTAIN", "confidence": 0 '
        f'to 1, {_ABSTAIN}, "plan_reference": '
        '{"plan_path", "phase_count", "total_waves"}, "findings": [{"severity", "category", '
        '"description", "affected_phases": '
        '[numbers]}], "risk_summary": {"critical_count", "major_count", "minor_count", '
        '"overall_risk"}, "executability_checklist": '
        '[{"task_id", "checks_passed", "total_checks", "executable"}], "recommendation"'
    ),
    "assumption-verifier": (
        f'"status": "COMPLETE" | "ABSTAIN", "confidence": 0 to 1, {_ABSTAIN}, '
        '"plan_reference": {"plan_path", "phase_count"}, '
        '"mirage_findings": [{"pattern_id": 1 to 17, "pattern_name", "classification", '
        '"severity": "BLOCKING" | "IMPORTANT" | '
        '"MINOR", "claim", "verdict": "VERIFIED" | "UNVERIFIED" | "MIRAGE"}], "scoring": '
        '{"dimensions": [5 of {"name", '
        '"raw_score", "formula"}], "total_score", "max_possible": 25, "percentage"}, '
        '"recommendation"'
    ),
    "executability-verifier": (
        f'"status": "PASS" | "FAIL" | "WARN" | "ABSTAIN", "confidence": 0 to 1, {_ABSTAIN}, '
        '"tasks_simulated": [1 to 3 of {"task_id", '
        '"pre_execution_checklist": 8 answers, "walkthrough_steps": [{"step", "status"}], '
        '"task_verdict": "EXECUTABLE" | '
        '"AMBIGUOUS" | "BLOCKED"}], "overall_executability_score": 0 to 1, "recommendation"'
    ),
}
_LATER: Mapping[str, str] = {
    "planner": (
        ', "revision_mode": "initial_create" | "in_place_update" | "new_artifact_supersession"'
    )
}
_LATER_RULES: Mapping[str, str] = {
    "planner": (
        'A LARGE plan also carries "diagrams" of {"type", "title", "mermaid_source"}: a flowchart '
        "and a sequenceDiagram. The risk review has each of the seven categories once."
    ),
    "code-reviewer": (
        'CRITICAL and MAJOR issues carry "validation_status"; one that is rejected also carries '
        '"rejection_reason".'
    ),
    "assumption-verifier": 'With a BLOCKING mirage you also carry "failure_classification".',
    "executability-verifier": (
        'A walkthrough step that is BLOCKED also carries "blocker_description".'
    ),
}
"""Conditions that only the later generation makes."""
LATER_MEMBERS: Mapping[str, tuple[str, ...]] = {"planner": ("revision_mode",)}
"""Members that only the later generation has, and wants."""
VERSIONS: Mapping[str, str] = {
    "planner": "1.2.0",
    "code-reviewer": "1.2.0",
    "plan-auditor": "1.3.0",
}
_MORE: Mapping[str, tuple[str, ...]] = {
    "planner": (
        (
            'Each phase: {"phase_id", "title", "objective", "wave", "executor_agent", '
            '"files": [{"path", "action": "create" | "modify" | '
            '"review" | "reference", "reason"}], "tests", "steps", "acceptance_criteria", '
            '"quality_gates", "dependencies"}.'
        ),
        (
            "Write the document or send the object. If you do both, the document counts, and the "
            "object can only make the result worse."
        ),
    ),
    "code-mapper": ("Say ABSTAIN if you could not look; a guess is worse than no map.",),
    "researcher": (
        "Every fact needs a file and a line; if you have none, say INSUFFICIENT_EVIDENCE.",
    ),
    "code-reviewer": (
        'NEEDS_REVISION and FAILED also carry "failure_classification".',
        (
            "Only CRITICAL and MAJOR issues that you confirmed block; the list of blockers is "
            "computed from your issues."
        ),
    ),
    "plan-auditor": (
        *_REVIEWER,
        "Below 0.7 your audit abstains. APPROVED with a CRITICAL finding counts as REJECTED.",
    ),
    "assumption-verifier": (
        *_REVIEWER,
        (
            "Below 0.7 your check abstains. Patterns 1 to 10 are PRESENCE_MIRAGE, 11 to 17 "
            "ABSENCE_MIRAGE."
        ),
    ),
    "executability-verifier": (
        *_REVIEWER,
        "Below 0.6 your rehearsal abstains. PASS with a blocked task counts as FAIL.",
    ),
}


def told(role: str, generation: Generation = LATEST) -> tuple[str, ...]:
    """How to report, in sentences for the brief."""
    later = _LATER.get(role, "") if generation == LATEST else ""
    agent = BY_ROLE[role]
    first = f'"schema_version": "{VERSIONS.get(role, "1.0.0")}", "agent": "{agent.name}"'
    return (
        f"Report one JSON object with exactly these members: {{{first}, {_OBJECTS[role]}{later}}}.",
        *_MORE.get(role, _EXECUTOR),
        *filter(None, [_LATER_RULES.get(role, "") if generation == LATEST else ""]),
        "Unknown members and unknown words are refused; your prose is not read.",
    )
