"""The file of remembered facts: one JSON object per line; other lines stay as they are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from podium.formats import strict_json
from podium.workflows.governed import research
from podium.workflows.governed.memory.memory import FIELDS

Entry = Mapping[str, Any]


def entries(text: str) -> tuple[dict[str, Any], ...]:
    """The facts of a file, in its order."""
    return tuple(found for line in _lines(text) if (found := _entry(line)) is not None)


def _lines(text: str) -> list[str]:
    """Lines as JSON defines them: other characters that end a line may occur inside a text."""
    found = text.split("\n")
    return found[:-1] if not found[-1] else found


def _entry(line: str) -> dict[str, Any] | None:
    try:
        found = strict_json.parse(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and set(FIELDS) <= set(found) else None


def rewritten(text: str, wanted: Sequence[Entry]) -> str:
    """The file with these facts in place of its own; if there are more, the rest is added at the
    end.
    """
    left = list(wanted)
    lines = []
    for line in _lines(text):
        if _entry(line) is None:
            lines.append(line)
        elif left:
            lines.append(_written(line, left.pop(0)))
    return "".join(f"{line}\n" for line in [*lines, *(_written("", each) for each in left)])


def _written(before: str, entry: Entry) -> str:
    """An unchanged fact keeps the form a person gave it."""
    return (
        before
        if before and _entry(before) == entry
        else json.dumps(dict(entry), ensure_ascii=False)
    )


def candidates(report: Mapping[str, Any], why: str) -> list[dict[str, Any]]:
    """A researcher's facts that may outlive the task: each cites a file and a line."""
    if report.get("status") != "COMPLETE":
        return []
    return [
        {
            "subject": each["evidence"][0]["file"],
            "fact": each["fact"],
            "citations": research.cited(each),
            "reason": why,
            "category": "project",
        }
        for each in report.get("key_findings", ())
    ]


def cited_files(facts: Sequence[Entry]) -> list[str]:
    """The distinct files that facts cite."""
    return sorted(
        {path for fact in facts for each in fact["citations"] if _inside(path := _place(each)[0])}
    )


def _inside(path: str) -> bool:
    """An agent's words must not lead outside the project."""
    return not path.startswith("/") and ".." not in path.split("/")


def uncited(fact: Entry, texts: Mapping[str, str | None]) -> str:
    """Why a fact's citations do not hold in the project; empty if all of them exist."""
    for each in fact["citations"]:
        path, line = _place(each)
        text = texts.get(path)
        if text is None:
            return f"{path} does not exist"
        if line > len(text.splitlines()):
            return f"{path} has no line {line}"
    return ""


def _place(citation: str) -> tuple[str, int]:
    path, _, line = citation.rpartition(":")
    return (path, int(line[:9])) if path and line.isdecimal() else (citation, 1)
