"""The QA review in its three forms: the document an agent writes, the object it sends, and the
value.

`qa_review` holds the value and `qa_document` reads a document; this module converts between an
object and the other two. Other modules import everything from here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from podium.core.nearest import refuse_unknown
from podium.formats.field_lines import field_value, one_line
from podium.formats.outline import fold_title
from podium.formats.structure import HEADER_FIELDS, LIFECYCLE_CHECK
from podium.workflows.harness.qa_document import criterion_key, parse_qa
from podium.workflows.harness.qa_review import (
    CRITERIA_TITLE,
    ISSUES_TITLE,
    READINESS,
    READINESS_TITLE,
    RESULT_TITLE,
    RESULTS,
    SEVERITIES,
    STATUSES,
    Issue,
    QaJudgement,
    QaReview,
    judge,
    settle,
    worse,
)

__all__ = [
    "Issue",
    "QaJudgement",
    "QaReview",
    "compose",
    "from_members",
    "judge",
    "parse_qa",
    "stated",
    "worse",
]

_MEMBERS = ("result", "readiness", "criteria", "issues", "notes")
_ISSUE_MEMBERS = ("description", "severity", "blocks")
_CRITERION = re.compile(r"[A-Za-z][A-Za-z0-9 ._-]{0,79}")


def from_members(members: Mapping[str, Any]) -> QaReview:
    """The review in a verdict object; ValueError names the first wrong member."""
    refuse_unknown(members, _MEMBERS)
    issues, notes = members.get("issues", ()), members.get("notes", "")
    if not isinstance(issues, Sequence) or isinstance(issues, str | bytes):
        raise ValueError("issues: must be a list of {description, severity, blocks}")  # noqa: TRY004
    if not isinstance(notes, str):
        raise ValueError("notes: must be text")  # noqa: TRY004 - one kind of refusal for a verdict
    return settle(
        QaReview(
            result=_choice(members.get("result", RESULTS[0]), RESULTS, "result"),
            readiness=_choice(members.get("readiness", READINESS[0]), READINESS, "readiness"),
            criteria=_criteria(members.get("criteria", {})),
            issues=tuple(_issue(issue, f"issues[{number}]") for number, issue in enumerate(issues)),
            words=one_line(notes),
        )
    )


def _criteria(members: Any) -> dict[str, str]:
    if not isinstance(members, Mapping):
        raise ValueError("criteria: must be an object such as {AC1: Pass}")  # noqa: TRY004
    criteria: dict[str, str] = {}
    for name, status in members.items():
        key = criterion_key(name) if isinstance(name, str) and _CRITERION.fullmatch(name) else ""
        if not key or key in criteria:
            raise ValueError(
                f"criteria: {name!r} is not a criterion's id, or stands there twice; write AC1"
            )
        criteria[key] = _choice(status, STATUSES, f"criteria.{key}")
    return criteria


def _issue(members: Any, where: str) -> Issue:
    if not isinstance(members, Mapping):
        raise ValueError(f"{where}: must be {{description, severity, blocks}}")  # noqa: TRY004
    refuse_unknown(members, _ISSUE_MEMBERS, f"member of {where}")
    description, blocks = members.get("description"), members.get("blocks", False)
    if not isinstance(description, str) or not field_value(description):
        raise ValueError(f"{where}.description: must be a text that is not empty")
    if not isinstance(blocks, bool):
        blocks = _choice(blocks, ("No", "Yes"), f"{where}.blocks") == "Yes"
    severity = _choice(members.get("severity", "Medium"), SEVERITIES, f"{where}.severity")
    return Issue(field_value(description), severity, blocks)


def _choice(value: Any, allowed: Sequence[str], where: str) -> str:
    known = {word.casefold(): word for word in allowed}
    if not isinstance(value, str) or value.strip().casefold() not in known:
        raise ValueError(f"{where}: {value!r} is not one of {', '.join(allowed)}")
    return known[value.strip().casefold()]


def stated(text: str) -> dict[str, Any]:
    """The verdict object that corresponds to a review; empty if the review cannot be read."""
    review, _ = parse_qa(text)
    if review is None:
        return {}
    return {
        "result": review.result,
        "readiness": review.readiness,
        "criteria": dict(review.criteria),
        "issues": [asdict(issue) for issue in review.issues],
    }


def compose(members: Mapping[str, Any], header: Mapping[str, str], headings: Sequence[str]) -> str:
    """A QA document with these values under these headings; `parse_qa` reads the same values
    back.
    """
    review = from_members(members)
    facts = {
        key: field_value(str(header.get(key, ""))) for key in (*HEADER_FIELDS, "Title", "Run State")
    }
    blocks = _value_blocks(review) | {fold_title(LIFECYCLE_CHECK): _lifecycle_check(facts)}
    needed = (*headings, RESULT_TITLE, CRITERIA_TITLE, ISSUES_TITLE, READINESS_TITLE)
    # The caller's spelling of a heading wins.
    titles = {fold_title(title): title for title in reversed(needed)}
    order = dict.fromkeys(map(fold_title, needed))
    lines = [f"# QA Review — {facts['Title'] or facts['Task']}", ""]
    lines += [f"{key}: {facts[key]}".rstrip() + "  " for key in HEADER_FIELDS]
    for key in order:
        lines += ["", f"## {one_line(titles[key])}", "", *blocks.get(key, ("Nothing to report.",))]
    return "\n".join(lines) + "\n"


def _value_blocks(review: QaReview) -> dict[str, Sequence[str]]:
    criteria: list[str] = []
    for key, status in review.criteria.items():
        criteria += [f"### {key}", "", f"Status: {status}", ""]
    issues: list[str] = []
    for number, issue in enumerate(review.issues, 1):
        issues += [f"### Issue {number}", "", f"Description: {issue.description}  "]
        issues += [
            f"Severity: {issue.severity}  ",
            f"Blocks approval: {'Yes' if issue.blocks else 'No'}",
            "",
        ]
    return {
        fold_title(RESULT_TITLE): (
            f"{review.result} — {review.words}" if review.words else review.result,
        ),
        fold_title(READINESS_TITLE): (review.readiness,),
        fold_title(CRITERIA_TITLE): criteria[:-1] or ("None",),
        fold_title(ISSUES_TITLE): issues[:-1] or ("None",),
    }


def _lifecycle_check(facts: Mapping[str, str]) -> Sequence[str]:
    return (
        f"Task ID: {facts['Task']}  ",
        f"Run State: `{facts['Run State'] or 'harness/run-state.md'}`  ",
        "Current Stage: QA  ",
        "Proceeding Validly: Yes",
    )
