"""The verdict words of `feature`: one line or one object, and which agent may say which word.

Some agents may only say DONE or ERROR: from them NEEDS_REVISION counts as ERROR. An unknown
severity, or a finding without one, is not refused here: a refused answer ends as an ERROR, and a
cluster may pass without that member. Instead the clusters read it as the worst severity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from podium.core.schema import FILLED, TEXT, Schema, list_of, matching, object_of, one_of
from podium.core.verdict import Dialect, MalformedVerdict, Outcome, Verdict, choice, members, worse
from podium.workflows.feature.clusters.clusters import MAY_REVISE
from podium.workflows.feature.findings.finding import TASK_ID, cut, is_task_id, task_ids

SEVERITIES = ("Critical", "High", "Blocker", "Major", "Medium", "Minor", "Low", "None")
STATUSES: Mapping[str, Outcome] = {"DONE": "ok", "NEEDS_REVISION": "revise", "ERROR": "fail"}
_MEMBERS = {"status": str, "summary": str, "severity": str, "tasks": list, "findings": list}
_FINDING = {"severity": str, "where": str, "what": str}
_LINE = re.compile(
    r"(?P<open>[*_`]{0,3})(?P<word>DONE|NEEDS_REVISION|ERROR)(?P<close>[*_`]{0,3})\s*(?:"
    r"\([^)]*\)\s*)?"
    r"(?::|[—–]|-(?=\s|$))(?P<text>.*)$"
)
_TASKS = re.compile(r"\b(?:task ids?|affect(?:s|ed) tasks?)\s*:\s*(?P<ids>[^—–:]*)", re.IGNORECASE)


def _verdict(word: str, reason: str, data: Mapping[str, Any], revises: bool) -> Verdict:
    if word == "NEEDS_REVISION" and not revises:
        reason = (
            f"this agent may not answer NEEDS_REVISION, so it counts as ERROR: {reason}".rstrip(
                ": "
            )
        )
        word = "ERROR"
    return Verdict(STATUSES[word], word, cut(reason), data)


def tasks_in(line: str) -> tuple[str, ...]:
    """The ids after `task IDs:` or `affects tasks:`."""
    found = (task for each in _TASKS.finditer(line) for task in task_ids(each["ids"]))
    return tuple(dict.fromkeys(found))


def line_reader(*, revises: bool) -> Callable[[str], Verdict | None]:
    """A reader for the first or last line of an answer; if both are verdicts and disagree, the
    worse counts.
    """

    def read(text: str) -> Verdict | None:
        filled = [line.strip() for line in text.splitlines() if line.strip()]
        found: Verdict | None = None
        for each in (filled[0], filled[-1]) if filled else ():
            if match := _LINE.match(each):
                said = match["text"].strip()
                # `**DONE:** text` closes its emphasis after the colon.
                said = (
                    said.removeprefix(match["open"]).strip()
                    if match["open"] and not match["close"]
                    else said
                )
                data = {
                    "status": match["word"],
                    "summary": cut(said),
                    "tasks": list(tasks_in(said)),
                }
                verdict = _verdict(match["word"], said, data, revises)
                found = verdict if found is None else worse(found, verdict)
        return found

    return read


def _read_findings(findings: list[Any]) -> None:
    for number, each in enumerate(findings):
        if not isinstance(each, Mapping):
            raise MalformedVerdict(f"findings[{number}] must be {{severity, where, what}}")
        try:
            members(each, _FINDING, required=("what",))
        except MalformedVerdict as fault:
            raise MalformedVerdict(f"findings[{number}]: {fault}") from None


def object_reader(*, revises: bool) -> Callable[[Mapping[str, Any]], Verdict]:
    def read(data: Mapping[str, Any]) -> Verdict:
        members(data, _MEMBERS, required=("status",))
        word, _ = choice(data, "status", STATUSES)
        for task in data.get("tasks", ()):
            if not isinstance(task, str) or not is_task_id(task):
                raise MalformedVerdict(
                    f"tasks: {str(task)[:80]!r} is not a task id; write ids as texts such as "
                    "'01-parse'"
                )
        _read_findings(data.get("findings", []))
        return _verdict(word, str(data.get("summary", "")), data, revises)

    return read


def _told(words: str) -> tuple[str, ...]:
    return (
        f"End with exactly one line that begins with one of {words}, a colon and a short summary.",
        "If it concerns tasks, end that line with ` — task IDs: 01, 03`.",
        (
            "As a verdict object: {status, summary, severity, tasks: [ids], findings: [{severity, "
            "where, what}]}."
        ),
        f"A severity is one of {', '.join(SEVERITIES)}; use the ones in your document.",
        "Line and document must agree. If they do not, the worse one counts.",
    )


def _schema(words: Iterable[str]) -> Schema:
    finding = {"severity": one_of(SEVERITIES), "where": TEXT, "what": FILLED}
    return object_of(
        {
            "status": one_of(words),
            "summary": TEXT,
            "severity": one_of(SEVERITIES),
            "tasks": list_of(matching(TASK_ID)),
            "findings": list_of(object_of(finding, ("severity", "what"))),
        },
        ("status", "summary"),
    )


_GOOD: Mapping[str, Any] = {"status": "DONE", "summary": "done", "severity": "None"}
WORK = Dialect(
    name="feature",
    read=object_reader(revises=False),
    line=line_reader(revises=False),
    required=True,
    good=_GOOD,
    told=(
        *_told("`DONE`, `ERROR`"),
        "You cannot ask for a revision: NEEDS_REVISION counts as ERROR.",
    ),
    schema=_schema(("DONE", "ERROR")),
)
REVIEW = Dialect(
    name="feature-review",
    read=object_reader(revises=True),
    line=line_reader(revises=True),
    required=True,
    good=_GOOD,
    told=(
        *_told("`DONE`, `NEEDS_REVISION`, `ERROR`"),
        (
            "ERROR means that you could not do your work. NEEDS_REVISION means that you did it "
            "and found something that must be fixed."
        ),
    ),
    schema=_schema(STATUSES),
)
DIALECTS: Mapping[str, Dialect] = {each.name: each for each in (WORK, REVIEW)}


def dialect_of(role: str) -> str:
    """The name of the dialect that a role uses."""
    return REVIEW.name if role in MAY_REVISE else WORK.name
