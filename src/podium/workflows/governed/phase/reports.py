"""What executors report, in one shape: status, files, and what they say about build, tests and
lint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.core.verdict import Outcome
from podium.workflows.governed.payloads.questions import Question, read_question
from podium.workflows.governed.phase.failures import classify
from podium.workflows.governed.terms import FailureClass

STATUSES: Mapping[str, Outcome] = {
    "COMPLETE": "ok",
    "NEEDS_INPUT": "needs_input",
    "FAILED": "fail",
    "ABSTAIN": "abstain",
    "INSUFFICIENT_EVIDENCE": "abstain",
}


@dataclass(frozen=True)
class ExecutorReport:
    """One executor's report, read once."""

    status: str
    outcome: Outcome
    confidence: float
    files: tuple[str, ...]
    """Paths it says it changed, sorted; the program's own list counts."""
    build: str = ""
    """PASS, FAIL, NOT_AVAILABLE or NOT_RUN; empty if this executor's report has no such member."""
    tests: str = ""
    lint: str = ""
    done: bool = True
    """Whether it says that its whole definition of done is met."""
    unchecked: tuple[str, ...] = ()
    classification: FailureClass = "escalate"
    question: Question | None = None
    contradictions: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    """Remarks that stop nothing."""


def read_report(data: Mapping[str, Any]) -> ExecutorReport:
    """The report in an object that its schema accepted."""
    status = str(data["status"])
    finished = data.get("definition_of_done", {"all_items_complete": True, "unchecked_items": []})
    unchecked = tuple(finished["unchecked_items"])
    done = bool(finished["all_items_complete"]) and not unchecked
    outcome = STATUSES[status]
    contradictions = []
    if data.get("abstain", {}).get("is_abstaining") and outcome != "abstain":
        contradictions.append(
            f"{status}, but abstain says {'; '.join(data['abstain']['reasons']) or 'so'}"
        )
        outcome = "abstain"
    if status == "COMPLETE" and not done:
        contradictions.append(
            f"COMPLETE with unchecked items: {', '.join(unchecked) or 'not named'}"
        )
    return ExecutorReport(
        status=status,
        outcome=outcome,
        confidence=float(data["confidence"]),
        files=changed_files([data]),
        build=data.get("build", {}).get("state", ""),
        tests=_tests(data),
        lint=data.get("lint", {}).get("state", ""),
        done=done,
        unchecked=unchecked,
        classification=classify("", data.get("failure_classification", "")),
        question=read_question(data),
        contradictions=tuple(contradictions),
    )


def _tests(data: Mapping[str, Any]) -> str:
    """The worst of what a report says about its tests; browser scenarios and parity of documents
    count as tests.
    """
    if "tests" in data:
        said = {data["tests"]["individual"], data["tests"]["full_suite"]}
        return next(each for each in ("FAIL", "NOT_RUN", "PASS") if each in said)
    if "scenarios_run" in data:
        return "PASS" if data["scenarios_passed"] >= data["scenarios_run"] else "FAIL"
    if "parity_verified" in data:
        return "PASS" if data["parity_verified"] else "FAIL"
    return ""


def changed_files(reports: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Every distinct file that the reports say was changed or written, sorted."""
    found: set[str] = set()
    for data in reports:
        for name, key in (
            ("changes", "file"),
            ("ui_changes", "file"),
            ("docs_created", "path"),
            ("docs_updated", "path"),
        ):
            found |= {each[key] for each in data.get(name, ())}
    return tuple(sorted(found))
