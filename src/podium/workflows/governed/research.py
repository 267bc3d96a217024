"""What a first draft does not know, who is asked about it, and what they found.

Research follows only the first draft: later plans build on what was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podium.formats.field_lines import one_line
from podium.formats.markdown_fields import bullets
from podium.workflows.governed.phase.brief import preparations
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.policy.policy import Policy

MAPPER, RESEARCHER = "code-mapper", "researcher"
_PREPARED = {"code context pack": MAPPER, "research brief": RESEARCHER}
LONGEST = 300


@dataclass(frozen=True)
class Need:
    """What must be found out before the plan is written again."""

    questions: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    """Who is asked, all at once; nobody if nothing is left to find out."""


def need(plan: Plan, policy: Policy) -> Need:
    """What the draft leaves open: why it abstains, risks it could not judge, and what its
    resource profile requires first.
    """
    open_ = tuple(_open(plan))
    wanted = preparations(plan, policy)
    roles = {MAPPER, RESEARCHER} if open_ else {_PREPARED[each] for each in wanted}
    told = tuple(f"{each}: the plan's resource profile wants one" for each in wanted)
    return Need((*open_, *told), tuple(role for role in (MAPPER, RESEARCHER) if role in roles))


def _open(plan: Plan) -> Iterator[str]:
    if plan.abstaining or plan.status == "ABSTAIN":
        yield from plan.abstain_reasons or ("what the planner needs to know",)
    for risk in plan.risk_review:
        doubtful = risk.applicability == "uncertain" or risk.impact == "UNKNOWN"
        if doubtful and risk.disposition == "open_question":
            yield (
                f"{risk.category}: {risk.applicability}, impact {risk.impact} "
                f"({risk.evidence_source})"
            )


def undecided(plan: Plan) -> tuple[str, ...]:
    """Design questions that the plan asks and does not answer: nothing may be built on an open
    choice.
    """
    return tuple(
        f"open question without a recommendation: {one_line(each.question)[:LONGEST]}"
        for each in plan.open_questions
        if not each.recommendation.strip()
    )


def decided(plan: Plan) -> tuple[str, ...]:
    """The answers that were approved together with the plan, for its executors."""
    return tuple(
        f"Decided with the plan: {one_line(each.question)} {one_line(each.recommendation)}"
        for each in plan.open_questions
    )


def found(answers: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """What each of them found, in lines for the planner; finding nothing is reported too."""
    return tuple(
        line
        for role in (MAPPER, RESEARCHER)
        if role in answers
        for line in _found(role, answers[role])
    )


def _found(role: str, answer: Mapping[str, Any]) -> Iterator[str]:
    if answer.get("status") != "COMPLETE":
        reasons = "; ".join(answer.get("abstain", {}).get("reasons", ())) or "it gives no reason"
        yield (
            f"{role} could not find out: {answer.get('status') or 'no answer'}, "
            f"{one_line(reasons)[:LONGEST]}"
        )
        return
    if role == MAPPER:
        yield one_line(answer["answer"])[:LONGEST]
        yield from (
            f"{each['path']}: {one_line(each['relevance'])[:LONGEST]}" for each in answer["files"]
        )
        return
    for each in answer["key_findings"]:
        yield f"{one_line(each['fact'])[:LONGEST]} ({', '.join(cited(each))})"
    yield from (
        f"option: {one_line(each['option'])[:LONGEST]}" for each in answer["implementation_options"]
    )
    yield from (f"still open: {one_line(each)[:LONGEST]}" for each in answer["open_questions"])


def cited(finding: Mapping[str, Any]) -> list[str]:
    """`file:line` of each piece of evidence."""
    return [f"{each['file']}:{each['line_start']}" for each in finding["evidence"]]


def write_research(
    title: str, questions: tuple[str, ...], answers: Mapping[str, Mapping[str, Any]]
) -> str:
    """The document of the research."""
    lines = [
        f"## Research: {one_line(title)}",
        "",
        "### Questions",
        "",
        *(bullets(questions) or ["None"]),
    ]
    for role in (MAPPER, RESEARCHER):
        if role in answers:
            lines += ["", f"### {role}", "", *(bullets(_found(role, answers[role])) or ["None"])]
    return "\n".join(lines) + "\n"
