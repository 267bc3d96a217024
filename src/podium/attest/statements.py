"""Decisions at gates as in-toto statements, one each; the same journal gives the same bytes.

A statement is a function of one journal up to its `head`, so anybody with the journal can make it
again. It is not signed; what it adds to the journal is a format that other tools read, and a place
outside the project.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:podium:gate-decision:v1"
Events = Sequence[Mapping[str, Any]]
_SHA = "sha256:"


def statements(events: Events) -> Iterator[dict[str, Any]]:
    """Every decision in one journal, in order."""
    opened: dict[str, Mapping[str, Any]] = {}
    for event in events:
        key = str(event.get("key", ""))
        if event["type"] == "gate.opened":
            opened[key] = event
        elif event["type"] == "gate.decided":
            yield _statement(events, opened.get(key, {}), event)


def _statement(
    events: Events, opened: Mapping[str, Any], decided: Mapping[str, Any]
) -> dict[str, Any]:
    shown: Mapping[str, str] = decided.get("subject") or {}
    subject = [_file(path, mark) for path, mark in sorted(shown.items()) if mark.startswith(_SHA)]
    asked = opened or decided
    return {
        "_type": TYPE,
        # A question is about no file; then the question itself was decided.
        "subject": subject
        or [
            {"name": f"journal:{asked['run']}#{asked['seq']}", "digest": {"sha256": asked["hash"]}}
        ],
        "predicateType": PREDICATE,
        "predicate": {
            "decision": decided["decision"],
            "by": decided["by"],
            "at": decided["ts"],
            "note": decided.get("note", ""),
            "gate": {
                "key": decided["key"],
                **{
                    name: opened[name]
                    for name in ("kind", "step", "prompt", "choices")
                    if name in opened
                },
                **(
                    {"opened": {"seq": opened["seq"], "hash": opened["hash"], "at": opened["ts"]}}
                    if opened
                    else {}
                ),
            },
            "run": str(decided["run"]).partition("/")[0],
            "workflow": events[0].get("workflow", ""),
            "podium": events[0].get("version", ""),
            "changed_since_opened": _moved(opened.get("subject", {}), shown),
            "without_digest": {
                path: mark for path, mark in sorted(shown.items()) if not mark.startswith(_SHA)
            },
            "stale": _stale(events, decided),
            "journal": {
                "run": decided["run"],
                "seq": decided["seq"],
                "hash": decided["hash"],
                "prev": decided["prev"],
                "head": {"seq": events[-1]["seq"], "hash": events[-1]["hash"]},
            },
        },
    }


def _file(path: str, mark: str) -> dict[str, Any]:
    return {"name": path, "digest": {"sha256": mark.removeprefix(_SHA)}}


def _moved(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return sorted(path for path, mark in after.items() if before.get(path) not in {mark, None})


def _stale(events: Events, decided: Mapping[str, Any]) -> bool:
    """Whether the journal later says that what it was about has changed."""
    return any(
        each["type"] == "gate.stale" and each["key"] == decided["key"]
        for each in events[decided["seq"] :]
    )


def file_name(statement: Mapping[str, Any]) -> str:
    """Unique in the family of a run: the gate's key contains the child's key, the seq tells its
    rounds apart.
    """
    place = statement["predicate"]["journal"]
    key = str(statement["predicate"]["gate"]["key"]).replace("/", "~")
    return f"{place['seq']:06d}-{key[:150]}.json"
