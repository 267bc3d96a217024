"""The verdict words of the harness: what a stage agent may send, and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.schema import FILLED, FLAG, NUMBER, TEXT, list_of, map_of, object_of, one_of
from podium.core.verdict import Dialect, MalformedVerdict, Outcome, Verdict, choice, members
from podium.workflows.harness import qa
from podium.workflows.harness.qa_review import READINESS, RESULTS, SEVERITIES, STATUSES

_ISSUE = {"description": FILLED, "severity": one_of(SEVERITIES), "blocks": FLAG}
_STATUS: Mapping[str, Outcome] = {"done": "ok", "blocked": "fail", "failed": "fail"}


def _read_work(data: Mapping[str, Any]) -> Verdict:
    members(data, {"status": str, "summary": str, "commands": list}, required=("status",))
    word, outcome = choice(data, "status", _STATUS)
    for command in data.get("commands", ()):
        if not isinstance(command, Mapping) or set(command) - {"command", "exit"}:
            raise MalformedVerdict("commands must be a list of {command, exit}")
    return Verdict(outcome, word, str(data.get("summary", "")), data)


def _read_qa(data: Mapping[str, Any]) -> Verdict:
    try:
        review = qa.from_members(data)
    except ValueError as fault:
        raise MalformedVerdict(str(fault)) from None
    found = qa.judge(review)
    return Verdict(found.outcome, found.word, "; ".join(found.reasons), data)


WORK = Dialect(
    name="harness",
    read=_read_work,
    good={"status": "done", "summary": "done"},
    told=(
        "End with a short final message that says what you did.",
        (
            'As a verdict object: {"status": "done" | "blocked" | "failed", "summary": text, '
            '"commands": [{"command", "exit"}]}.'
        ),
        "If you cannot do this with what you were given, say `blocked` and name what is missing.",
        "Your words are not evidence: the files and the program's own commands are.",
    ),
    schema=object_of(
        {
            "status": one_of(_STATUS),
            "summary": TEXT,
            "commands": list_of(object_of({"command": TEXT, "exit": NUMBER}, ("command", "exit"))),
        },
        ("status", "summary"),
    ),
)

QA = Dialect(
    name="harness-qa",
    read=_read_qa,
    good={"result": "Pass", "readiness": "Awaiting Approval"},
    told=(
        "Validation Result is one of: Pass, Pass With Minor Issues, Issues Found, Blocked.",
        "Approval Readiness is one of: Awaiting Approval, Back to Build, Blocked.",
        (
            "Each acceptance criterion has `Status: Pass`, `Warn` or `Fail`; each issue says "
            "`Blocks approval: Yes` or `No`."
        ),
        "Headline and body must agree. If they do not, the worse one counts.",
        (
            'As a verdict object: {"result", "readiness", "criteria": {"AC1": "Pass"}, "issues": '
            '[{"description", "severity", "blocks"}]}.'
        ),
    ),
    schema=object_of(
        {
            "result": one_of(RESULTS),
            "readiness": one_of(READINESS),
            "criteria": map_of(one_of(STATUSES)),
            "issues": list_of(object_of(_ISSUE, _ISSUE)),
        },
        ("result", "readiness", "criteria", "issues"),
    ),
)

DIALECTS: Mapping[str, Dialect] = {each.name: each for each in (WORK, QA)}
