"""Commands that did not judge the code: a person fixes what keeps them, or goes on without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core import events
from podium.engine import gates
from podium.engine.gates import Rest
from podium.engine.session import Session
from podium.proof.sentences import line_of

AGAIN, UNPROVEN = "again", "unproven"
Record = Mapping[str, Any]


def waived(session: Session, key: str, name: str) -> str:
    """Who goes on without this command, in this step or in the whole run; "" if nobody does."""
    for event in reversed(session.history.waivers):
        if event["key"] == key and name in event["commands"]:
            return str(event["by"])
    return session.top.history.waived.get(name, "")


def pending(session: Session, key: str) -> Rest | None:
    """The question about a step's proof that still waits; an answer that is there is taken."""
    asked = _asked(session, key)
    if not asked:
        return None
    gate = asked[-1]
    gates.decide(session, gate)
    if gate.open:
        return Rest(f"{gate.prompt} Waiting for a person.", "question", (gate.key,))
    if gate.decision == UNPROVEN and not _taken(session, key, gate.deciding):
        commands = [line.split(":", 1)[0].strip() for line in _lines(gate.prompt)]
        session.append(events.proof_waived(key, commands, gate.by, gate.note))
    return None


def ask(session: Session, step: str, key: str, records: Sequence[Record]) -> Rest | None:
    """Ask about commands that did not run, unless they ran before the run: then the code is at
    fault, and that is no question.
    """
    unclear = [record for record in records if _unclear(session, key, record)]
    if not unclear:
        return None
    lines = "\n".join(f"  {record['name']}: {line_of(record)}" for record in unclear)
    prompt = (
        f"{key} is not proven:\n{lines}\n"
        f"{AGAIN}: you have fixed it; it runs once more\n"
        f"{UNPROVEN}: go on without this proof; the run then ends as complete, unproven"
    )
    gate = f"{key}/proof-{len(_asked(session, key)) + 1}"
    gates.opened(session, gate, step, "question", prompt, [AGAIN, UNPROVEN], {})
    return Rest(prompt, "question", (gate,))


def _unclear(session: Session, key: str, record: Record) -> bool:
    if record.get("state") != "not_run" or waived(session, key, str(record["name"])):
        return False
    known = session.top.history.baseline
    before = known["evidence"] if known is not None else ()
    return not any(
        entry["command"] == record["command"] and entry["state"] != "not_run" for entry in before
    )


def _asked(session: Session, key: str) -> list[Any]:
    return [gate for gate in session.history.gates.values() if gate.key.startswith(f"{key}/proof-")]


def _taken(session: Session, key: str, since: int) -> bool:
    return any(event["key"] == key and event["seq"] > since for event in session.history.waivers)


def _lines(prompt: str) -> list[str]:
    return [line for line in prompt.splitlines() if line.startswith("  ")]
