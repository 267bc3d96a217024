"""The closed lists of words that plans, reports, policies and gate events share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

Generation = Literal["2026-04", "2026-06"]
GENERATIONS: tuple[Generation, ...] = get_args(Generation)
LATEST: Generation = "2026-06"

Tier = Literal["TRIVIAL", "SMALL", "MEDIUM", "LARGE"]
TIERS: tuple[Tier, ...] = get_args(Tier)
"""From the least review to the most."""

FailureClass = Literal["transient", "fixable", "needs_replan", "escalate", "model_unavailable"]
CLASSES: tuple[FailureClass, ...] = get_args(FailureClass)

Severity = Literal["CRITICAL", "MAJOR", "MINOR"]
BLOCKING_SEVERITIES = frozenset({"CRITICAL", "MAJOR"})

RISKS = (
    *("data_volume", "performance", "concurrency", "access_control"),
    *("migration_rollback", "dependency", "operability"),
)
"""Categories that a plan's risk review must cover, each once."""

FOCUS: Mapping[str, tuple[str, ...]] = {
    "data_volume": ("performance",),
    "performance": ("performance",),
    "concurrency": ("architecture",),
    "access_control": ("architecture",),
    "dependency": ("architecture",),
    "migration_rollback": ("destructive_risk", "missing_rollback"),
    "operability": ("scope_gap",),
}
"""Where an auditor looks more closely because of a risk."""

ACTIONS = (
    *(
        "destructive_file_delete",
        "bulk_contract_rewrite",
        "git_force_push",
        "git_reset_hard",
        "drop_table",
    ),
    *(
        "rm_rf",
        "amend_published_commit",
        "merge_to_protected_branch",
        "push_to_shared_infrastructure",
    ),
)
"""High-risk actions that the program itself can detect."""

FILE_ACTIONS = ("create", "modify", "review", "reference")
WRITING_ACTIONS = frozenset({"create", "modify"})
