"""The page of a gate: the question, its content with digests, what changed, and the forms that
decide.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core.records import GateRecord, StepRecord
from podium.core.run import ENDED
from podium.core.workflow import Workflow
from podium.proof.delivery import delivery_of
from podium.views import figures
from podium.views.gate import APPROVALS, REJECTIONS, commands, gate_from
from podium.views.report.ledger import Decision, Ledger
from podium.views.text import Told
from podium.web.pages import diffs, links, parts
from podium.web.pages.documents import Document, document
from podium.web.pages.frame import Frame
from podium.web.pages.options import question
from podium.web.pages.rendering import render

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Subject:
    """One file that a person decides on, as it is on disk now."""

    path: str
    digest: str
    text: str | None
    """None: missing, unreadable, or not text."""
    earlier: str | None = None
    """The previous version, if there is one."""
    size: int = 0
    """Of the whole file, in bytes; the text may be only its beginning."""


@dataclass(frozen=True)
class Offer:
    """A file that drifted: the version in the project, and the other one that can be chosen."""

    path: str
    now: str
    other: str


@dataclass(frozen=True)
class Shown:
    """A subject ready for the page."""

    path: str
    digest: str
    asked: str
    """The digest when the gate was opened or decided."""
    document: Document | None
    diff: diffs.Diff | None
    since: str
    """What the diff starts from, in words."""
    cut: bool

    @property
    def moved(self) -> bool:
        return self.asked != self.digest


def known(events: Sequence[Event], key: str) -> bool:
    return any(event.get("type") == "gate.opened" and event.get("key") == key for event in events)


def subjects(events: Sequence[Event], key: str) -> Mapping[str, str]:
    """Digests by path: as decided, or for an open gate as it was opened."""
    gate = Ledger(events).gates.get(key)
    return {} if gate is None else _subject(gate)


def _subject(gate: GateRecord) -> Mapping[str, str]:
    return gate.subject if gate.open else gate.decided_subject or gate.subject


def previous(events: Sequence[Event], key: str) -> Mapping[str, tuple[str, str, str]]:
    """Path to (run, step, words): the step whose copy is the previous version, since a decision
    or another step.
    """
    ledger = Ledger(events)
    homes = {
        str(event.get("key")): str(event.get("run", ""))
        for event in events
        if event.get("type") == "step.started"
    }
    gate = ledger.gates.get(key)
    found = {}
    for path, mark in (_subject(gate) if gate is not None else {}).items():
        opened = gate.opened if gate is not None else ""
        wrote = [
            each
            for each in ledger.steps
            if path in each.outputs and each.finished and each.finished <= opened
        ]
        wrote.sort(key=lambda each: (each.finished, each.key))
        older = [each for each in wrote if each.outputs[path] != mark]
        if older:
            last, words = _since(ledger, path, older, opened)
            found[path] = (homes.get(last.key, ""), last.key, words)
    return found


def _since(
    ledger: Ledger, path: str, older: Sequence[StepRecord], opened: str
) -> tuple[StepRecord, str]:
    """The version that a person saw last, if one did; otherwise the one before the present."""
    for each in sorted(_earlier(ledger, path, opened), key=lambda one: one.decided, reverse=True):
        for record in reversed(older):
            if record.outputs[path] == each.subject[path]:
                return record, _when(ledger, each)
    return older[-1], f"since {older[-1].key}"


def _when(ledger: Ledger, decision: Decision) -> str:
    """`since it was approved by ada`. At an approval, any other word names the step it was sent
    back to.
    """
    word, gate = decision.decision.replace("_", " "), ledger.gates.get(decision.key)
    asks = gate is not None and gate.kind in {"question", "drift"}
    said = (
        "it was answered"
        if asks
        else f"it was {word}"
        if word in {*APPROVALS, *REJECTIONS}
        else f"it was sent back to {word}"
    )
    return f"since {said} by {decision.by}"


def _earlier(ledger: Ledger, path: str, opened: str) -> list[Decision]:
    return [
        each
        for each in ledger.decisions
        if each.decided and each.decided <= opened and path in each.subject
    ]


def page(
    frame: Frame,
    summary: Told,
    events: Sequence[Event],
    workflow: Workflow | None,
    key: str,
    subjects: Sequence[Subject],
    now: float,
    problem: str = "",
    typed: Mapping[str, str] | None = None,
    inbox: Container[str] = (),
    offers: Sequence[Offer] = (),
) -> str:
    ledger = Ledger(events)
    gate = ledger.gates[key]
    # Not what the summary lists: a gate can be open and be decided while the run is still at work
    # elsewhere. A child
    # run's gate stays open in its own journal when the run above it ends.
    asked_for = gate.open and str(summary.status) not in ENDED
    given = asked_for and gate.message in inbox
    waits = asked_for and not given
    asked, since = _subject(gate), previous(events, key)
    shown = [_shown(each, asked, since) for each in subjects]
    asks = question(gate.prompt, gate.choices)
    opened = figures.moment(gate.opened)
    return render(
        "gate.html",
        frame=frame,
        live=f"{links.run(summary.run)}/events",
        title=f"{key}: decide" if waits else key,
        run=summary,
        gate=gate,
        waits=waits,
        waited=figures.seconds(max(0.0, now - opened)) if opened is not None else "",
        given=given,
        style=style(gate),
        asks=asks,
        targets=targets(gate, workflow),
        shown=shown,
        delivery=delivery_of(vars(gate)),
        offers=[diffs.between(each.now, each.other, each.path) for each in offers]
        if asked_for
        else [],
        moved=[each.path for each in shown if each.moved],
        seen=json.dumps({each.path: each.digest for each in subjects}, sort_keys=True),
        earlier=[
            parts.decided(each) for each in ledger.decisions if each.key == key and each.decided
        ],
        others=[each for each in summary.gates if str(each.get("key")) != key],
        driven=summary.holder is not None,
        commands=commands(gate_from({**vars(gate)}), summary.run, only=len(summary.gates) == 1),
        problem=problem,
        typed=dict(typed or {}),
    )


def style(gate: GateRecord) -> str:
    """Which form decides it: `answer` picks a choice or takes a text, `approve` goes forward or
    back.
    """
    if gate.kind in {"question", "drift"} or (gate.choices and gate.choices[0] not in APPROVALS):
        return "answer"
    return "approve"


def targets(gate: GateRecord, workflow: Workflow | None) -> list[tuple[str, str]]:
    """(value, words) of the stages that a rejection can send the run back to."""
    found = []
    for name in gate.choices[1:]:
        if name in REJECTIONS:
            continue
        step = workflow.steps.get(name) if workflow is not None else None
        spoken = name.replace("_", " ")
        phase = step.phase if step is not None else ""
        found.append(
            (
                name,
                f"{spoken} ({phase})"
                if phase and phase.casefold() != spoken.casefold()
                else spoken,
            )
        )
    return found


def _shown(
    each: Subject, asked: Mapping[str, str], since: Mapping[str, tuple[str, str, str]]
) -> Shown:
    diff = (
        diffs.between(each.earlier, each.text, each.path)
        if each.earlier is not None and each.text is not None
        else None
    )
    return Shown(
        path=each.path,
        digest=each.digest,
        asked=asked.get(each.path, each.digest),
        document=document(each.path, each.text) if each.text is not None else None,
        diff=diff,
        since=since.get(each.path, ("", "", "since the version before"))[2],
        cut=each.text is not None and each.size > len(each.text.encode(errors="replace")),
    )
