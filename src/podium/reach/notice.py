"""A fact of the journal as a notice for people: what happened, to which run, and what is asked
of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from podium.core.digest import digest_of
from podium.proof.delivery import as_text, delivery_of
from podium.settings.values import TOLD as EVENTS

__all__ = ["EVENTS", "About", "Notice", "filled", "notice_of", "trial"]

TEST = "test"
SCHEMA = 1
"""Raised when a field changes its meaning."""
FILES = 30
"""The most files of the code that are named; the rest are counted."""
LONGEST = 4000
"""The most characters of one text; a prompt may contain a whole document."""
_GATE = ("key", "kind", "prompt", "choices")
_STATE = ("status", "step", "stop")


@dataclass(frozen=True)
class About:
    """The run that a fact belongs to."""

    run: str
    workflow: str = ""
    title: str = ""


@dataclass(frozen=True)
class Notice:
    """One fact, reported at most once."""

    id: str
    """Equal for the same fact, so that a receiver can recognise a repetition."""
    event: str
    run: str
    workflow: str
    title: str
    at: str
    seq: int
    key: str = ""
    """The gate's key as in the journal; together with `run` it tells whether the gate is still
    open.
    """
    detail: Mapping[str, Any] = field(default_factory=dict)
    link: str = ""

    def body(self) -> dict[str, Any]:
        """As JSON data, without empty fields."""
        found = {
            "schema": SCHEMA,
            "id": self.id,
            "event": self.event,
            "run": self.run,
            "workflow": self.workflow,
            "title": self.title,
            "at": self.at,
            "seq": self.seq,
            **self.detail,
            "link": self.link,
        }
        return {name: value for name, value in found.items() if value not in ("", None, [], {})}

    def head(self) -> str:
        """One line: what happened to which run."""
        said = {
            "gate": "waits for you",
            "sleep": "sleeps",
            "budget": "has used its budget",
            TEST: "is a test",
        }
        if self.detail.get("outcome") == "complete_unproven":
            return f"Podium: {self.run} is complete, unproven"
        return f"Podium: {self.run} {said.get(self.event, f'is {self.event}')}"

    def words(self) -> str:
        """A few lines for a desktop notice."""
        gate = self.detail.get("gate") or {}
        asked = str(
            gate.get("prompt") or self.detail.get("reason") or self.detail.get("outcome") or ""
        )
        until = self.detail.get("until")
        lines = (
            "; ".join(self.detail.get("proof", ())),
            self.title,
            " ".join(asked.split()),
            f"until {until}" if until else "",
            self.link,
        )
        return "\n".join(each if len(each) <= 200 else each[:199] + "…" for each in lines if each)


def notice_of(event: Mapping[str, Any], about: About, link: str = "") -> Notice | None:
    """The notice for an event; None for most. `link` may contain `{run}` and `{gate}`."""
    name, child = _named(event), "/" in str(event["run"])
    # The parent run reports how a child run ended; only the child's questions go to people
    # directly.
    if not name or (child and name != "gate"):
        return None
    key = str(event.get("key", "")) if name == "gate" else ""
    return Notice(
        id=digest_of([event["run"], event["seq"], event["ts"], event["type"]]).partition(":")[2][
            :32
        ],
        event=name,
        run=about.run,
        workflow=about.workflow,
        title=about.title,
        at=str(event["ts"]),
        seq=int(event["seq"]),
        key=f"{event['run']}\n{key}" if key else "",
        detail=_detail(name, event),
        link=filled(link, about.run, key),
    )


def trial(about: About, at: str, link: str = "") -> Notice:
    """A notice without a cause: `podium doctor --notify`."""
    mark = digest_of([TEST, about.run, at]).partition(":")[2][:32]
    detail = {"reason": "Podium can reach you. Nothing is asked of you."}
    return Notice(
        mark,
        TEST,
        about.run,
        about.workflow,
        about.title,
        at,
        0,
        detail=detail,
        link=filled(link, about.run, ""),
    )


def filled(link: str, run: str, gate: str) -> str:
    """Both are inserted quoted: neither may change where the link leads."""
    return link.replace("{run}", quote(run, safe="")).replace("{gate}", quote(gate, safe=""))


def _named(event: Mapping[str, Any]) -> str:
    match event["type"]:
        case "gate.opened":
            return "gate"
        case "run.blocked":
            return "budget" if event.get("stop") == "budget" else "blocked"
        case "run.paused":
            return "sleep" if event.get("until") else ""
        case "run.completed":
            return "complete"
        case "run.cancelled":
            return "cancelled"
    return ""


def _detail(name: str, event: Mapping[str, Any]) -> dict[str, Any]:
    delivery = delivery_of(event)
    proof = [text for text, _ in delivery.proof]
    told = {"proof": _cut(proof), "code": _cut(as_text(delivery, FILES)[len(proof) :])}
    if name == "gate":
        gate = {each: _cut(event.get(each, "")) for each in _GATE}
        return {**told, "gate": gate, "status": "waiting"}
    state = event.get("state", {})
    found = {each: _cut(state.get(each, "")) for each in _STATE}
    words = {each: _cut(event.get(each, "")) for each in ("reason", "until", "outcome")}
    return {**told, **found, **words}


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"
    if isinstance(value, list | tuple):
        return [_cut(each) for each in value[:50]]
    return value
