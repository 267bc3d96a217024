"""The verdict words of the roadmap's agents, from an object or from the Markdown of a final
message.

Both give the same normalised object, so that code after this module need not ask which it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from podium.core.nearest import nearest
from podium.core.schema import FILLED, TEXT, Schema, list_of, object_of, one_of
from podium.core.verdict import Dialect, MalformedVerdict, Outcome, Verdict, choice, members
from podium.formats.field_lines import one_line
from podium.formats.markdown import scan
from podium.formats.outline import Outline
from podium.workflows.roadmap.messages.check_table import CheckTable, read_checks
from podium.workflows.roadmap.messages.listings import (
    FAILURES,
    LEARNINGS,
    NEXT_STEPS,
    files_in,
    listed,
    listed_after,
)
from podium.workflows.roadmap.messages.statements import (
    REVIEW_TOPIC,
    STATUS_TOPIC,
    TESTS_TOPIC,
    VALIDATION_TOPIC,
    Stated,
    Topic,
    state,
)
from podium.workflows.roadmap.messages.words import CHECK, CHECKS, STATUS

MAX_REASON = 300
_RANK: Mapping[Outcome, int] = {"ok": 0, "revise": 1, "fail": 2}
_TEXTS = ("failures", "learnings", "next_steps")
_GENERIC: Mapping[str, type] = {"status": str, "files": list, **dict.fromkeys(_TEXTS, list)}


def read(topic: Topic | None, data: Mapping[str, Any]) -> Verdict:
    """The verdict in an object; MalformedVerdict names the first wrong member."""
    checked = topic is REVIEW_TOPIC
    allowed: dict[str, type | tuple[type, ...]] = dict(_GENERIC)
    if topic:
        allowed[topic.name] = str
    if checked:
        allowed["checks"] = Mapping
    members(
        data,
        allowed,
        required=("status", *([topic.name] if topic else []), *(["checks"] if checked else [])),
    )
    said: dict[str, Any] = {"status": choice(data, "status", STATUS.words)[0]}
    if topic:
        said[topic.name] = choice(data, topic.name, topic.vocabulary.words)[0]
    if checked:
        said["checks"] = _checks(data["checks"])
    said["files"] = [
        _file(each, f"files[{number}]") for number, each in enumerate(data.get("files", ()))
    ]
    for name in _TEXTS:
        said[name] = [
            _text(each, f"{name}[{number}]") for number, each in enumerate(data.get(name, ()))
        ]
    return _verdict(topic, said)


def _checks(data: Mapping[str, Any]) -> dict[str, str]:
    members(data, dict.fromkeys(CHECKS, str), required=CHECKS)
    return {name: choice(data, name, CHECK.words)[0] for name in CHECKS}


def _file(data: Any, where: str) -> dict[str, str]:
    if not isinstance(data, Mapping):
        raise MalformedVerdict(f"{where} must be an object {{path, note}}")
    for name, value in data.items():
        if name not in {"path", "note"}:
            near = nearest(str(name), ["path", "note"])
            raise MalformedVerdict(
                f"unknown member {name!r} in {where}"
                + (f"; did you mean {near!r}?" if near else "")
            )
        if not isinstance(value, str):
            raise MalformedVerdict(f"{where}.{name} must be text")
    if not data.get("path", "").strip():
        raise MalformedVerdict(f"{where}.path is missing or empty")
    return {"path": data["path"].strip(), "note": data.get("note", "")}


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise MalformedVerdict(f"{where} must be text, not {type(value).__name__}")
    return value


def _verdict(topic: Topic | None, said: Mapping[str, Any]) -> Verdict:
    """The worst part decides the outcome, and its word is the verdict's word."""
    parts: list[tuple[str, str, Outcome]] = []
    if topic:
        parts.append((topic.name, said[topic.name], topic.vocabulary.words[said[topic.name]]))
    parts += [(name, word, CHECK.words[word]) for name, word in said.get("checks", {}).items()]
    parts.append(("status", said["status"], STATUS.words[said["status"]]))
    outcome = max((part[2] for part in parts), key=_RANK.__getitem__)
    bad = [f"{name} is {word}" for name, word, each in parts if each != "ok"]
    word = next(word for _, word, each in parts if each == outcome)
    failures = [line for each in said["failures"][:1] if (line := one_line(each))] if bad else []
    reason = ": ".join([", ".join(bad), *failures])
    return Verdict(
        outcome, word, reason if len(reason) <= MAX_REASON else reason[: MAX_REASON - 1] + "…", said
    )


def line(topic: Topic | None, text: str) -> Verdict | None:
    """The verdict in a final message; None if it contains none, MalformedVerdict if it cannot be
    read.
    """
    outline = scan(text)
    status = state(outline, STATUS_TOPIC, topic)
    own = state(outline, topic) if topic else Stated((), ())
    table = read_checks(outline) if topic is REVIEW_TOPIC else CheckTable()
    if not (status.words or own.words or status.faults or own.faults or table.found):
        return None
    faults = [*status.faults, *own.faults, *table.faults]
    if topic and not own.words and not own.faults:
        known = ", ".join(topic.vocabulary.words)
        faults.append(
            f"the message does not say {topic.name} in a form that can be read: one of {known}"
        )
    if topic is REVIEW_TOPIC:
        faults += _table_faults(table)
    if not topic and not status.words and not status.faults:
        return None
    if faults:
        raise MalformedVerdict("; ".join(dict.fromkeys(faults)))
    return read(topic, _said(topic, outline, status, own, table))


def _table_faults(table: CheckTable) -> list[str]:
    if not table.found:
        return ["the review has no table with the columns Check, Command and Result"]
    if table.faults:
        return []
    return [f"the table of checks has no row for {name}" for name in table.missing()]


def _said(
    topic: Topic | None, outline: Outline, status: Stated, own: Stated, table: CheckTable
) -> dict[str, Any]:
    """The message as members of the equivalent object; of two statements, the worse counts."""
    said: dict[str, Any] = {
        "status": STATUS.worst(word for _, word in status.words),
        "files": list(files_in(outline)),
        "failures": [*table.failures, *listed(outline, FAILURES)],
        "learnings": list(listed(outline, LEARNINGS)),
        "next_steps": list(listed(outline, NEXT_STEPS)),
    }
    if topic:
        word = topic.vocabulary.worst(word for _, word in own.words)
        if topic is REVIEW_TOPIC:
            said["checks"] = table.checks()
            word = "needs_work" if word == "ship" and table.others_failed() else word
        said[topic.name] = word
        fine = (
            topic.vocabulary.words[word] == "ok" and "fail" not in said.get("checks", {}).values()
        )
        said["status"] = said["status"] or ("success" if fine else "needs_revision")
        if topic is VALIDATION_TOPIC and not fine and not said["failures"]:
            said["failures"] = _drift(topic, outline, own)
    return said


def _drift(topic: Topic, outline: Outline, own: Stated) -> list[str]:
    """The list after the statement; without a list, the explanation in the statement itself."""
    at = [number for number, word in own.words if topic.vocabulary.words[word] != "ok"]
    items = [each for each in listed_after(outline, min(at)) if not topic.word(each)]
    if items:
        return items
    texts = [outline.lines[number].partition(":")[2].strip() for number in at]
    return [text for text in texts if text and not topic.word(text)]


_FORM = '"files": [{"path", "note"}], "failures": [text], "learnings": [text], "next_steps": [text]'
_STATUS_SAID = (
    "`status` is `success` if the work is done, `needs_revision` if it must be done again, "
    "`blocked` if you cannot do it with what you were given; `failures` says why, one entry each."
)
_STATUS_LINE = (
    "Without the means to send an object, end your final message with the line `Status: "
    "success`, `Status: needs_revision` "
    "or `Status: blocked`, outside code and quotes, and list what failed under `### Failures`."
)


def _told(more: str, *sentences: str) -> tuple[str, ...]:
    return (
        (
            'As a verdict object: {"status": "success" | "needs_revision" | "blocked", '
            f"{more}{_FORM}}}."
        ),
        _STATUS_SAID,
        *sentences,
        _STATUS_LINE,
        (
            "If two statements disagree, the worse one counts. Where the program can look for "
            "itself, your words are not evidence."
        ),
    )


def _schema(topic: Topic | None) -> Schema:
    own = {topic.name: one_of(topic.vocabulary.words)} if topic else {}
    if topic is REVIEW_TOPIC:
        own["checks"] = object_of(dict.fromkeys(CHECKS, one_of(CHECK.words)), CHECKS)
    common = {
        "status": one_of(STATUS.words),
        "files": list_of(object_of({"path": FILLED, "note": TEXT}, ("path",))),
        **dict.fromkeys(_TEXTS, list_of(TEXT)),
    }
    return object_of({**common, **own}, ("status", *own))


def _dialect(
    name: str, topic: Topic | None, good: Mapping[str, Any], told: Sequence[str]
) -> Dialect:
    reader: Callable[[Mapping[str, Any]], Verdict] = partial(read, topic)
    return Dialect(
        name=name,
        read=reader,
        line=partial(line, topic),
        required=True,
        good={"status": "success", **good},
        told=tuple(told),
        schema=_schema(topic),
    )


WORK = _dialect("roadmap", None, {}, _told(""))
VALIDATE = _dialect(
    "roadmap-validation",
    VALIDATION_TOPIC,
    {"validation": "aligned"},
    _told(
        '"validation": "aligned" | "drift_detected", ',
        "`drift_detected` needs a list: one entry in `failures` for each deviation, with the file, "
        "what the decision says and what the code does. In a message: `Validation: aligned` or "
        "`Validation: drift_detected`, the list under `### Drift`.",
    ),
)
TESTING = _dialect(
    "roadmap-testing",
    TESTS_TOPIC,
    {"tests": "pass"},
    _told(
        '"tests": "pass" | "fail", ',
        "`tests` is what the last run of the commands showed. In a message: `## Testing "
        "Result: topic`, "
        "and under `### Results` one line that says `pass` or `fail`.",
    ),
)
REVIEWING = _dialect(
    "roadmap-review",
    REVIEW_TOPIC,
    {"review": "ship", "checks": dict.fromkeys(CHECKS, "pass")},
    _told(
        '"review": "ship" | "minor_fixes" | "needs_work", '
        '"checks": {"lint", "typecheck", "build": "pass" | "fail" | "n/a"}, ',
        "All three checks are required; `n/a` only where the project has no such command.",
        "In a message: `## Code Review`, under `### Verdict` one of `🟢 Ship it`, `🟡 Minor "
        "fixes needed`, "
        "`🔴 Needs work`, and a table with the columns Check, Command, Result and the rows "
        "Lint, Typecheck, "
        "Build, each `✅ Pass` or `❌ Fail`. A review without this table counts for nothing.",
    ),
)

DIALECTS: Mapping[str, Dialect] = {each.name: each for each in (WORK, VALIDATE, TESTING, REVIEWING)}
