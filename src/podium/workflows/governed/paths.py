"""Where this workflow keeps its documents, all inside the project."""

from __future__ import annotations

import re
import unicodedata

from podium.workflows.governed.policy.policy import Policy

FOLDER = "plans"
NOTES = "NOTES.md"
MEMORY = "memories/repo.jsonl"
LONGEST = 60


def slug(title: str, policy: Policy) -> str:
    """A task's name in paths; ValueError if it does not fit the policy's pattern."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-zA-Z0-9]+", "-", plain).strip("-").lower()[:LONGEST].strip("-") or "task"
    pattern = policy.text("tool_output_policy.task_slug_pattern")
    if not re.search(pattern, name):
        raise ValueError(f"{name!r} does not fit tool_output_policy.task_slug_pattern {pattern!r}")
    return name


def plan_path(task: str) -> str:
    return f"{FOLDER}/{task}-plan.md"


def plan_id(task: str) -> str:
    return f"{task}-plan"


def phase_path(task: str, phase_id: int) -> str:
    return f"{FOLDER}/{plan_id(task)}-phase-{phase_id}-complete.md"


def complete_path(task: str) -> str:
    return f"{FOLDER}/{plan_id(task)}-complete.md"


def final_review_path(task: str) -> str:
    return f"{FOLDER}/artifacts/{task}/final_review.md"


def research_path(task: str) -> str:
    return f"{FOLDER}/artifacts/{task}/research.md"


def version_path(task: str, number: int) -> str:
    """An earlier version of the plan, kept once there is a later one."""
    return f"{FOLDER}/artifacts/{task}/plan-{number}.md"


def registry_path(task: str) -> str:
    return f"{FOLDER}/artifacts/{task}/verified-items.md"


def best_path(task: str) -> str:
    """The best version of a plan whose review did not converge."""
    return f"{FOLDER}/artifacts/{task}/best-plan.md"


def old_notes_path(task: str) -> str:
    """What the notes contained before a run wrote its own."""
    return f"{FOLDER}/artifacts/{task}/notes-before.md"


def sink_path(task: str) -> str:
    return f"{FOLDER}/artifacts/observability/{task}.ndjson"


def templates(policy: Policy) -> dict[str, str]:
    """The project's own templates; they are followed if they exist."""
    return {
        "session outcome": policy.text("session_telemetry.template"),
        "session notes": policy.text("memory_hygiene.session_notes_template_path"),
    }


def log_path(policy: Policy) -> str:
    """The log of sessions."""
    return policy.text("session_telemetry.log_file")


def spill_folder(task: str, policy: Policy) -> str:
    """Where long output of tools goes."""
    return policy.text("tool_output_policy.spill_directory_template").replace("<task-slug>", task)


def most_spilled(policy: Policy) -> int | None:
    """Bytes of long output that one dispatch may leave there; None means no limit."""
    most = policy.cap("tool_output_policy.max_total_mb")
    return None if most is None else int(most * 1_000_000)
