"""Every key of `governance/runtime-policy.json` with its kind, its limits and its built-in
value.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from podium.workflows.governed.terms import ACTIONS, TIERS

Kind = Literal["whole", "number", "flag", "text", "choice", "texts", "members"]


@dataclass(frozen=True)
class PolicyKey:
    """One value of the policy."""

    kind: Kind
    default: Any
    low: float = 0
    high: float = math.inf
    words: tuple[str, ...] = ()
    """The allowed values of a choice, or of a list's members."""
    nullable: bool = False
    """Whether null, meaning no limit, is allowed."""
    later: bool = False
    """Whether only the later generation of the file has it."""

    @property
    def expected(self) -> str:
        """What the value must be, in words."""
        said = {
            "whole": f"a whole number, {self.low:g} or more",
            "number": f"a number from {self.low:g} to {self.high:g}"
            if self.high < math.inf
            else f"a number, {self.low:g} or more",
            "flag": "true or false",
            "text": "text",
            "choice": "one of " + ", ".join(self.words)
            if len(self.words) > 1
            else "".join(self.words),
            "texts": "a list of texts",
            "members": f"a list of {', '.join(self.words)}",
        }[self.kind]
        return f"{said}, or null" if self.nullable else said

    def fits(self, value: Any) -> bool:
        if value is None:
            return self.nullable
        match self.kind:
            case "flag":
                return isinstance(value, bool)
            case "text":
                return isinstance(value, str)
            case "choice":
                return value in self.words
            case "texts":
                return isinstance(value, list) and all(isinstance(each, str) for each in value)
            case "members":
                return isinstance(value, list) and all(each in self.words for each in value)
            case "whole":
                return (
                    _is_number(value) and isinstance(value, int) and self.low <= value <= self.high
                )
            case "number":
                return _is_number(value) and self.low <= value <= self.high


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) <= sys.float_info.max
    )


def _whole(
    default: int | None, low: int = 0, *, nullable: bool = False, later: bool = False
) -> PolicyKey:
    return PolicyKey("whole", default, low, nullable=nullable, later=later)


def _flag(default: bool, *, later: bool = False) -> PolicyKey:
    return PolicyKey("flag", default, later=later)


def _text(default: str, *, later: bool = False) -> PolicyKey:
    return PolicyKey("text", default, later=later)


def _choice(default: str, *more: str, later: bool = False) -> PolicyKey:
    return PolicyKey("choice", default, words=(default, *more), later=later)


def _members(default: tuple[str, ...], words: tuple[str, ...], *, later: bool = False) -> PolicyKey:
    return PolicyKey("members", list(default), words=words, later=later)


_REVIEWS = {
    "TRIVIAL": (False, False, False),
    "SMALL": (True, False, False),
    "MEDIUM": (True, True, False),
    "LARGE": (True, True, True),
}
PIPELINE = ("plan_auditor", "assumption_verifier", "executability_verifier", "code_review")


def _review(tier: str) -> dict[str, Any]:
    return {name: _flag(on) for name, on in zip(PIPELINE, (*_REVIEWS[tier], True), strict=True)}


def _profile(
    agents: int, files: int | None, changed: int | None, tiers: tuple[str, ...], strict: bool
) -> dict[str, Any]:
    return {
        "max_parallel_agents": _whole(agents, 1, later=True),
        "phase_file_limit": _whole(files, 1, nullable=True, later=True),
        "max_changed_files_default": _whole(changed, 1, nullable=True, later=True),
        "context_packet_required_tiers": _members(tiers, TIERS, later=True),
        "research_brief_required_for_non_trivial_research": _flag(strict, later=True),
        "code_context_pack_preferred": _flag(strict, later=True),
        "require_phase_task_card": _flag(strict, later=True),
        "budget_exceeded_classification": _choice("needs_replan", "escalate", later=True),
    }


_NESTED: dict[str, Any] = {
    "approval_required_actions": _members(ACTIONS, ACTIONS),
    "review_pipeline_by_tier": {tier: _review(tier) for tier in TIERS},
    "max_iterations_by_tier": {
        tier: _whole(most, 1) for tier, most in zip(TIERS, (2, 2, 5, 5), strict=True)
    },
    "model_dispatch": {
        "default_mode": _choice("auto", "deterministic", later=True),
        "auto_mode_allow_outer_model_omission": _flag(True, later=True),
        "auto_mode_requires_runtime_marker": _flag(True, later=True),
    },
    "retry_budgets": {
        "max_retries_per_phase": _whole(5),
        "transient_max": _whole(3),
        "fixable_max": _whole(1),
        "needs_replan_max": _whole(1),
        "escalate_max": _whole(0),
        "model_unavailable_max": _whole(2, later=True),
        "per_wave_transient_reduction_threshold": _whole(2),
        "per_wave_parallelism_reduction_factor": PolicyKey("number", 0.5, 0, 1),
    },
    "stagnation_detection": {
        "same_phase_failure_escalation_threshold": _whole(3, 1),
        "same_classification_repeat_escalation": _flag(True),
    },
    "session_telemetry": {
        "template": _text("plans/templates/session-outcome-template.md"),
        "log_file": _text("plans/session-outcomes.md"),
        "write_timing": _choice("before_completion_summary"),
        "archive_threshold_entries": _whole(50, 1),
    },
    "tool_output_policy": {
        "spill_directory_template": _text(".cache/tool-output/<task-slug>/"),
        "task_slug_pattern": _text("^[a-zA-Z0-9_-]+$"),
        "purge_timing": _choice("completion_gate_only"),
        "max_total_mb": _whole(None, nullable=True),
    },
    "plan_review_gate_trigger_conditions": {
        "min_phases": _whole(3, 1),
        "confidence_threshold": PolicyKey("number", 0.9, 0, 1),
        "high_risk_scope_triggers_review": _flag(True),
        "applicable_high_impact_risk_triggers_review": _flag(True),
    },
    "batch_approval": {
        "approval_per": _choice("wave", "phase"),
        "exception_destructive_phases": _choice("per_phase"),
    },
    "budget_defaults": {
        "enabled": _flag(False),
        "token_cap": _whole(None, nullable=True),
        "wall_clock_s": PolicyKey("number", None, nullable=True),
        "cost_usd": PolicyKey("number", None, nullable=True),
        "enable_reflection": _flag(False),
    },
    "resource_profiles": {
        "default": _profile(10, None, None, (), False),
        "small_local": _profile(2, 5, 3, ("SMALL", "MEDIUM", "LARGE"), True),
    },
    "final_review_gate": {
        "enabled_by_default": _flag(False),
        "auto_trigger_tiers": _members(("LARGE",), TIERS),
        "allow_user_trigger": _flag(True),
        "max_fix_cycles": _whole(1),
    },
    "memory_hygiene": {
        "notes_md_max_lines": _whole(20, 1),
        "archive_completed_plans_threshold_days": _whole(14, 1),
        "archive_eligible_statuses": PolicyKey("texts", ["DONE", "SUPERSEDED", "DEFERRED"]),
        "repo_memory_dedup_required": _flag(True),
        "memory_content_types": PolicyKey("texts", ["user", "feedback", "project", "reference"]),
        "session_notes_template_path": _text("plans/templates/session-notes-template.md"),
        "stale_memory_freshness_days": _whole(1),
    },
    "compaction": {
        "max_consecutive_failures": _whole(3, 1),
        "circuit_breaker_action": _choice("escalate"),
    },
    "task_cache": {
        "enabled": _flag(True, later=True),
        "lookback_phases": _whole(10, 1, later=True),
        "similarity_scope": _choice("phase_title_and_file_targets", later=True),
        "recommendation_only": _flag(True, later=True),
    },
}


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, PolicyKey]:
    found: dict[str, PolicyKey] = {}
    for name, each in table.items():
        if isinstance(each, PolicyKey):
            found[prefix + name] = each
        else:
            found |= _flat(each, f"{prefix}{name}.")
    return found


KEYS: Mapping[str, PolicyKey] = _flat(_NESTED)
"""By dotted name, in the order of the file."""
TABLES: frozenset[str] = frozenset(
    ".".join(name.split(".")[:depth]) for name in KEYS for depth in range(1, name.count(".") + 1)
)
"""Dotted names that contain other names."""
