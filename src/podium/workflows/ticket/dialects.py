"""The verdict words of the ticket workflow: what each of its agents may send, and what it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from podium.core.schema import TEXT, Schema, map_of, object_of, one_of
from podium.core.verdict import (
    Dialect,
    MalformedVerdict,
    Outcome,
    Verdict,
    choice,
    line_reader,
    members,
    worse,
)

STOPS = (
    "Task incomplete — cannot implement without full spec",
    "Test strategy undefined — cannot proceed",
)
"""What a Developer says who cannot continue; it counts as the first or last line of the message."""
_WORK: Mapping[str, Outcome] = {"DONE": "ok", "ERROR": "fail"}
_TASK: Mapping[str, Outcome] = {
    "SYNTAX_VALID": "ok",
    "SYNTAX_ERROR": "fail",
    "DONE": "ok",
    "REJECTED": "fail",
    "ERROR": "fail",
}
"""An agent that says the task is not done is believed at once, and none of its work lands in the
project.
"""
_ALONE: Mapping[str, Outcome] = {**_TASK, "SYNTAX_VALID": "fail"}
"""A task of a sequential group must be done before its Reviewer looks: one that merely parses is
not.
"""
_OFFERED = [word for word in _TASK if word != "SYNTAX_VALID"]
_REVIEW: Mapping[str, Outcome] = {"ACCEPTED": "ok", "REJECTED": "revise"}
_SAID: Mapping[str, Outcome] = {**_REVIEW, "ACCEPT": "ok", "REJECT": "revise"}
"""A Reviewer may name the decision or the result."""
_CRITERION = ("MET", "NOT MET")
_MARKS = "*_`❌ \t"


def _read_work(data: Mapping[str, Any]) -> Verdict:
    members(data, {"status": str, "summary": str}, required=("status",))
    word, outcome = choice(data, "status", _WORK)
    return Verdict(outcome, word, str(data.get("summary", "")), data)


def _read_task(words: Mapping[str, Outcome], data: Mapping[str, Any]) -> Verdict:
    members(data, {"status": str, "evidence": (str, list)}, required=("status",))
    word, outcome = choice(data, "status", words)
    return Verdict(outcome, word, _evidence(data), data)


def _read_review(data: Mapping[str, Any]) -> Verdict:
    """An acceptance with an unmet criterion counts as a rejection."""
    members(data, {"status": str, "criteria": dict, "evidence": (str, list)}, required=("status",))
    word, outcome = choice(data, "status", _REVIEW)
    for name, said in data.get("criteria", {}).items():
        if not isinstance(said, str) or said.upper() not in _CRITERION:
            raise MalformedVerdict(
                f"criteria.{name} is {said!r}; it must be one of {', '.join(_CRITERION)}"
            )
    unmet = [str(name) for name, said in data.get("criteria", {}).items() if said.upper() != "MET"]
    if unmet and outcome == "ok":
        return Verdict("revise", "REJECTED", f"not met: {', '.join(unmet)}", data)
    return Verdict(
        outcome, word, _evidence(data) or (f"not met: {', '.join(unmet)}" if unmet else ""), data
    )


def _review_line(text: str) -> Verdict | None:
    """The verdict line of a review; a criterion that the message lists as not met overrides an
    acceptance.
    """
    said = line_reader(_SAID)(text)
    unmet = [name for line in text.splitlines() if (name := _unmet(line))]
    if unmet and (said is None or said.outcome == "ok"):
        return Verdict("revise", "REJECTED", f"not met: {', '.join(unmet)}")
    return said and Verdict(
        said.outcome, "ACCEPTED" if said.outcome == "ok" else "REJECTED", said.reason
    )


def _unmet(line: str) -> str:
    """The criterion that a line calls not met, as in `- it saves: **NOT MET**` or `| it saves |
    NOT MET |`; else empty.
    """
    head = line.strip().rstrip(f"{_MARKS}|.")
    if not head.endswith(_CRITERION[1]) or head.startswith(">"):
        return ""
    head = head.removesuffix(_CRITERION[1]).rstrip(_MARKS)
    return head[:-1].strip(f"{_MARKS}|-#") if head.endswith((":", "|", "—", "–", " -")) else ""


def _evidence(data: Mapping[str, Any]) -> str:
    said = data.get("evidence", "")
    if isinstance(said, str):
        return said
    if not all(isinstance(each, str) for each in said):
        raise MalformedVerdict("evidence must be a text or a list of texts")
    return "; ".join(said)


def _with_stops(words: Mapping[str, Outcome]) -> Callable[[str], Verdict | None]:
    """The dialect's line reader; the sentences with which a Developer gives up count as an
    error.
    """
    read = line_reader(words)
    bad: Outcome = words["ERROR"]

    def line(text: str) -> Verdict | None:
        found = read(text)
        filled = [_folded(each) for each in text.splitlines() if each.strip()]
        for stop in STOPS:
            if any(each.startswith(_folded(stop)) for each in (*filled[:1], *filled[-1:])):
                said = Verdict(bad, "ERROR", stop)
                found = said if found is None else worse(found, said)
        return found

    return line


def _folded(line: str) -> str:
    """The line without emphasis and case, with one kind of dash."""
    return (
        " ".join(re.sub(r"[—–-]+", "-", re.sub(r"[*_`>#]", "", line)).split())
        .casefold()
        .removeprefix("error: ")
    )


def _schema(words: Iterable[str], said: str, **more: Schema) -> Schema:
    return object_of({"status": one_of(words), said: TEXT, **more}, ("status", said))


_NO_PROOF = "Your words are not evidence: the files and the program's own commands are."
WORK = Dialect(
    name="ticket",
    read=_read_work,
    line=_with_stops(_WORK),
    good={"status": "DONE", "summary": "done"},
    told=(
        "End with one line: `DONE: what you did`, or `ERROR: what stopped you`.",
        'As a verdict object: {"status": "DONE" | "ERROR", "summary": text}.',
        _NO_PROOF,
    ),
    schema=_schema(_WORK, "summary"),
)
DEVELOPER = Dialect(
    name="ticket-developer",
    read=_read_work,
    line=_with_stops(_WORK),
    good=WORK.good,
    told=(
        *WORK.told[:2],
        *(f"If this is the case, say exactly: `{each}`." for each in STOPS),
        _NO_PROOF,
    ),
    schema=WORK.schema,
)


def _task_told(words: Iterable[str]) -> tuple[str, ...]:
    named = " | ".join(f'"{each}"' for each in words)
    return (
        f'As a verdict object: {{"status": {named}, "evidence": text}}.',
        "Say ERROR and name the reason if you cannot do the task as it is given.",
        _NO_PROOF,
    )


PARALLEL = Dialect(
    name="ticket-task-parallel",
    read=partial(_read_task, _TASK),
    line=_with_stops(_TASK),
    good={"status": "SYNTAX_VALID", "evidence": "written; it parses"},
    told=(
        (
            "You work beside others on files of your own; build and tests run once for all of you "
            "afterwards."
        ),
        (
            "End with one line: `SYNTAX_VALID: what you did`, `SYNTAX_ERROR: what does not "
            "parse`, or `ERROR: why not`."
        ),
        *_task_told(_TASK),
    ),
    schema=_schema(_TASK, "evidence"),
)
SEQUENTIAL = Dialect(
    name="ticket-task-sequential",
    read=partial(_read_task, _ALONE),
    line=_with_stops(_ALONE),
    good={"status": "DONE", "evidence": "written; the tests pass"},
    told=(
        "You work alone; a reviewer looks at your task afterwards.",
        "End with one line: `DONE: what you did`, or `ERROR: why not`.",
        *_task_told(_OFFERED),
    ),
    schema=_schema(_OFFERED, "evidence"),
)
REVIEW = Dialect(
    name="ticket-review",
    read=_read_review,
    line=_review_line,
    good={"status": "ACCEPTED", "evidence": "every criterion is met"},
    told=(
        "End with one line: `ACCEPTED: why`, or `REJECTED: what must change`.",
        (
            'As a verdict object: {"status": "ACCEPTED" | "REJECTED", "criteria": {"criterion": '
            '"MET" | "NOT MET"}, "evidence": text}.'
        ),
        (
            "A criterion that nothing proves is NOT MET, and one criterion that is NOT MET makes "
            "the verdict REJECTED."
        ),
        "Verdict and report must agree. If they do not, the worse one counts.",
    ),
    schema=_schema(_REVIEW, "evidence", criteria=map_of(one_of(_CRITERION))),
    required=True,
)
"""Only a verdict, said or written as the report, accepts anything."""
TASK_REVIEW = replace(REVIEW, name="ticket-task-review")
"""The review of one task comes without a report, so its verdict must be said."""
DIALECTS: Mapping[str, Dialect] = {
    each.name: each for each in (WORK, DEVELOPER, PARALLEL, SEQUENTIAL, REVIEW, TASK_REVIEW)
}
