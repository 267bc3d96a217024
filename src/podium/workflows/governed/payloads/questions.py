"""An agent's question to a person: options with their price, a recommendation, and the answer for
the next try.

A question is always asked before any failure is counted, whatever class the report names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.payloads.schema_store import CLARIFICATION

SOME_QUESTION: Mapping[str, Any] = {
    "options": [
        {"id": each, "description": "a way to go on", "pros": [], "cons": [], "affected_files": []}
        for each in "ab"
    ],
    "impact_analysis": "nothing is known of it",
    "recommended_option": "a",
    "recommended_option_rationale": "nothing is known of it",
}
"""Stands in for a question that a report lacks, so that the rest of the report can be checked."""


@dataclass(frozen=True)
class Option:
    """One way to continue."""

    id: str
    description: str
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()
    affected_files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """What a person is asked."""

    options: tuple[Option, ...]
    impact: str
    recommended: str
    rationale: str

    @property
    def choices(self) -> tuple[tuple[str, str], ...]:
        return tuple((each.id, each.description) for each in self.options)

    def prompt(self) -> str:
        """The whole question, as a terminal shows it."""
        lines = [self.impact, ""]
        for each in self.options:
            mark = " (recommended)" if each.id == self.recommended else ""
            lines.append(f"{each.id}{mark}: {each.description}")
            lines += [f"  + {text}" for text in each.pros]
            lines += [f"  - {text}" for text in each.cons]
            if each.affected_files:
                lines.append(f"  files: {', '.join(each.affected_files)}")
        return "\n".join([*lines, "", f"Recommended: {self.recommended}. {self.rationale}"])


def read_question(report: Mapping[str, Any]) -> Question | None:
    """The question of a report that needs input; None if it has none that can be put to a
    person.
    """
    request = report.get("clarification_request")
    if report.get("status") != "NEEDS_INPUT" or not isinstance(request, Mapping):
        return None
    if question_faults(request):
        return None
    options = tuple(
        Option(
            each["id"],
            each["description"],
            *(tuple(each.get(name, ())) for name in ("pros", "cons", "affected_files")),
        )
        for each in request["options"]
    )
    return Question(
        options,
        request["impact_analysis"],
        request["recommended_option"],
        request["recommended_option_rationale"],
    )


def question_faults(request: Mapping[str, Any]) -> tuple[str, ...]:
    """Why a request is not a valid question."""
    faults = [str(each) for each in payload_faults(CLARIFICATION, request)]
    if faults:
        return tuple(faults)
    ids = [each["id"] for each in request["options"]]
    if len(set(ids)) != len(ids):
        faults.append(f"options: expected different ids, got {', '.join(ids)}")
    if request["recommended_option"] not in ids:
        faults.append(
            f"recommended_option: expected one of {', '.join(ids)}, got "
            f"{request['recommended_option'][:60]!r}"
        )
    return tuple(faults)


def answered(question: Question, choice: str, note: str = "") -> str:
    """The answer as the next delegation states it."""
    chosen = next(each for each in question.options if each.id == choice)
    said = f"A person chose option {chosen.id}: {chosen.description}"
    return f"{said} They add: {note}" if note else said


def asks_nothing(report: Mapping[str, Any]) -> bool:
    """Whether a report needs input but does not say what for."""
    return report.get("status") == "NEEDS_INPUT" and "clarification_request" not in report


def unanswerable(report: Mapping[str, Any]) -> Sequence[str]:
    """Why a report that needs input goes to a person without options."""
    request = report.get("clarification_request")
    if not isinstance(request, Mapping):
        return ("the agent needs input and does not say what for",)
    return question_faults(request)
