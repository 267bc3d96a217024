"""What reviews once found sound must stay sound: the registry of verified items.

The program makes the items from what reviewers sent: rehearsed tasks, checked claims, and findings
that were gone in a later round. A verified item that fails again blocks the plan, whatever its
severity.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.words import cell, flat
from podium.workflows.governed.review.plan_audits import Finding, read_review

Status = Literal["VERIFIED", "REGRESSED"]
TITLE = "Verified Items Registry"
CLAIM = "AV"
"""The prefix of the ids of checked claims."""
_TASK = re.compile(r"phase\W*(\d{1,4})\W*step\W*(\d{1,4})", re.IGNORECASE | re.ASCII)
_COLUMNS = (
    "Item ID",
    "Description",
    "First Verified (Iteration)",
    "Last Verified (Iteration)",
    "Status",
)


@dataclass(frozen=True)
class Item:
    """One thing that a review found sound."""

    id: str
    description: str
    first: int
    last: int
    status: Status = "VERIFIED"


@dataclass(frozen=True)
class Observed:
    """What one round says about items: sound or failing, each with a description."""

    sound: Mapping[str, str]
    failing: Mapping[str, str]
    assumptions: bool = False
    """Whether the assumptions were checked: a claim that is not objected to is then sound again."""


def observed(answers: Mapping[str, Mapping[str, Any]], earlier: Mapping[str, str]) -> Observed:
    """Items of a round, from the reviewers' objects; `earlier` are findings of previous rounds,
    by id.
    """
    sound: dict[str, str] = {}
    failing: dict[str, str] = {}
    audit = answers.get("plan-auditor", {})
    for task in audit.get("executability_checklist", ()):
        _put(
            sound if task["executable"] else failing,
            _task(task["task_id"]),
            f"{task['task_id']} can be executed",
        )
    for task in answers.get("executability-verifier", {}).get("tasks_simulated", ()):
        good = task["task_verdict"] == "EXECUTABLE"
        _put(
            sound if good else failing, _task(task["task_id"]), f"{task['task_id']} can be executed"
        )
    for each in answers.get("assumption-verifier", {}).get("mirage_findings", ()):
        _put(
            sound if each["verdict"] == "VERIFIED" else failing,
            _named(CLAIM, each["claim"]),
            each["claim"],
        )
    now = audit_findings(audit) | _recurring(audit)
    failing |= now
    if audit:
        sound |= {name: f"fixed: {what}" for name, what in earlier.items() if name not in now}
    # If one reviewer doubts an item, it is not sound just because another did not.
    sound = {name: what for name, what in sound.items() if name not in failing}
    return Observed(sound, failing, assumptions=_checked(answers.get("assumption-verifier", {})))


def _checked(answer: Mapping[str, Any]) -> bool:
    """Whether a verifier of assumptions stated its objections, even if there are none."""
    return bool(answer) and not read_review("assumption-verifier", answer).abstains


def audit_findings(audit: Mapping[str, Any]) -> dict[str, str]:
    """An audit's findings by an id that stays the same as long as the finding does."""
    return {
        _named(
            "PA", f"{each['category']}|{sorted(each['affected_phases'])}|{each['description']}"
        ): each["description"]
        for each in audit.get("findings", ())
    }


def _recurring(audit: Mapping[str, Any]) -> dict[str, str]:
    """Items that an auditor reports as recurring, by the id it was given; the wording may have
    changed.
    """
    marked = [each for each in audit.get("findings", ()) if each.get("regression_finding_id")]
    return {flat(each["regression_finding_id"])[:40]: each["description"] for each in marked}


def _put(into: dict[str, str], name: str, what: str) -> None:
    into[name] = flat(what)[:200]


def _task(task: str) -> str:
    """`Phase1-Step1` as `P1-S1`."""
    match = _TASK.search(task)
    return f"P{int(match[1])}-S{int(match[2])}" if match else flat(task)[:40]


def _named(kind: str, text: str) -> str:
    plain = " ".join(re.sub(r"\W+", " ", text.casefold()).split())
    return f"{kind}-{hashlib.sha256(plain.encode()).hexdigest()[:8]}"


def updated(items: Sequence[Item], seen: Observed, audit: int) -> tuple[Item, ...]:
    """The registry after a round, in the order of ids."""
    known = {each.id: each for each in items}
    for name, what in seen.sound.items():
        before = known.get(name)
        known[name] = (
            replace(before, last=audit, status="VERIFIED")
            if before
            else Item(name, what, audit, audit)
        )
    for name, before in known.items():
        if seen.assumptions and name.startswith(f"{CLAIM}-") and before.status == "REGRESSED":
            # A verifier lists what it doubts, not every claim that holds.
            known[name] = replace(before, last=audit, status="VERIFIED")
    for name in seen.failing:
        if name in known:
            known[name] = replace(known[name], status="REGRESSED")
    return tuple(known[name] for name in sorted(known))


def regressed(items: Sequence[Item]) -> tuple[Finding, ...]:
    """Findings that block: items that were sound and no longer are."""
    return tuple(
        Finding(
            "BLOCKING",
            f"{each.id} was sound in round {each.last} and is not: {each.description}",
            "regression",
            blocks=True,
        )
        for each in items
        if each.status == "REGRESSED"
    )


def lineage_fault(plan: Plan, path: str, earlier: str) -> str:
    """Why a revised plan cannot be traced to the one it replaces; empty if it can.

    `path` is where all versions of the plan are, `earlier` where the previous one is kept.
    """
    if plan.revision_of in {"", path, earlier}:
        return ""
    return f"revision_of is {plan.revision_of!r}, but this plan replaces {earlier or path!r}"


def write_registry(items: Sequence[Item], lineage: Sequence[str] = ()) -> str:
    rows = [
        (
            f"| {cell(each.id)} | {cell(each.description)} | {each.first} | {each.last} | "
            f"{each.status} |"
        )
        for each in items
    ]
    versions = ["", "## Plan Lineage", "", *(f"- {each}" for each in lineage)] if lineage else []
    table = [f"| {' | '.join(_COLUMNS)} |", "|---|---|---|---|---|", *rows]
    return "\n".join([f"# {TITLE}", "", *table, *versions]) + "\n"
