"""The facade as commands see it: remembers what it was told and answers from one small run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from podium.cli import catalog
from podium.core.chain import FIRST, seal
from podium.core.errors import UsageError
from podium.core.run import Status
from podium.core.workflow import Workflow
from podium.engine.outcome import Ended, Observer
from podium.wiring import Parts
from podium.wiring_values import Planned, RunOptions, Seen, Summary

RUN = "T001-a1b2"
GATE = {
    "key": "approve-build",
    "kind": "approval",
    "prompt": "Start Build?",
    "choices": ["approved"],
    "subject": {},
}
SUMMARY = Summary(
    run=RUN,
    workflow="harness",
    title="T001 — Add a word counter",
    status="waiting",
    step="approve_build",
    reason="Start Build?",
    stop="gate",
    started="2026-01-15T10:00:00.000Z",
    updated="2026-01-15T10:01:00.000Z",
    gates=(GATE,),
    advice=(f"podium approve {RUN}",),
)
FACTS: tuple[dict[str, Any], ...] = (
    {"type": "run.started", "workflow": "harness", "input": ["t.md"], "version": "0.1.0"},
    {
        "type": "step.started",
        "key": "specification",
        "step": "specification",
        "kind": "dispatch",
        "role": "po-spec",
        "attempt": 1,
        "inputs": {},
    },
    {
        "type": "step.finished",
        "key": "specification",
        "outcome": "ok",
        "verdict": "done",
        "outputs": {},
        "evidence": [],
        "usage": {},
        "assurance": {},
    },
)


def journal() -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for seq, fact in enumerate(FACTS, 1):
        stamped = {**fact, "run": RUN, "ts": f"2026-01-15T10:00:0{seq}.000Z"}
        events.append(seal(stamped, seq, events[-1]["hash"] if events else FIRST)[0])
    return events


class Tail:
    """Reads on in what the facade says happened."""

    def __init__(self, app: App, run: str) -> None:
        self._app, self._run = app, run
        self._told: set[str] = set()

    def more(self) -> list[Mapping[str, Any]]:
        found = [event for event in self._app.events(self._run) if event["hash"] not in self._told]
        self._told |= {event["hash"] for event in found}
        return found


class App:
    """One instance for each command, one memory for all: `calls` holds (method, arguments)."""

    calls: ClassVar[list[tuple[str, Any]]] = []
    ended: ClassVar[Ended] = Ended(
        RUN, "harness", Status.WAITING, "approve_build", "Start Build?", "gate", ("approve-build",)
    )
    summarised: ClassVar[Summary] = SUMMARY
    raises: ClassVar[BaseException | None] = None

    def __init__(
        self, project: Path, observer: Observer | None = None, parts: Parts | None = None
    ) -> None:
        self.project = project
        self.observer = observer
        self.parts = parts

    def has_person(self, options: RunOptions, roles: Iterable[str], run: str = "") -> bool:
        return False

    def _told(self, name: str, **what: Any) -> None:
        type(self).calls.append((name, what))
        if fault := type(self).raises:
            raise fault

    def start(self, workflow: str, inputs: Sequence[str], options: RunOptions) -> Ended:
        self._told("start", workflow=workflow, inputs=list(inputs), options=options)
        return self._driven()

    def resume(self, run: str, options: RunOptions) -> Ended:
        self._told("resume", run=run, options=options)
        return self._driven()

    def _driven(self) -> Ended:
        for event in journal():
            if self.observer:
                self.observer.event(event)
        return type(self).ended

    def dry_run(self, workflow: str, inputs: Sequence[str], options: RunOptions) -> list[Planned]:
        self._told("dry_run", workflow=workflow, inputs=list(inputs), options=options)
        return [
            Planned(
                "specification",
                "po-spec",
                "claude",
                {"reads": ["task"]},
                "Write the specification.",
            )
        ]

    def approve(self, run: str, *, gate: str, note: str, by: str, seen: Seen = None) -> Summary:
        self._told("approve", run=run, gate=gate, note=note, by=by)
        return self._decided()

    def reject(
        self, run: str, *, gate: str, note: str, to: str, by: str, seen: Seen = None
    ) -> Summary:
        self._told("reject", run=run, gate=gate, note=note, to=to, by=by)
        return self._decided()

    def answer(
        self, run: str, *, gate: str, choice: str, text: str, note: str, by: str, seen: Seen = None
    ) -> Summary:
        self._told("answer", run=run, gate=gate, choice=choice, text=text, note=note, by=by)
        return self._decided()

    def _decided(self) -> Summary:
        return replace(
            type(self).summarised, status="active", gates=(), advice=(f"podium resume {RUN}",)
        )

    def rewind(
        self, run: str, to: str, *, restore_code: bool, by: str
    ) -> tuple[Summary, list[str]]:
        self._told("rewind", run=run, to=to, restore_code=restore_code, by=by)
        return replace(type(self).summarised, step=to, status="active"), [to, "build/1"]

    def cancel(self, run: str, reason: str, by: str) -> Summary:
        self._told("cancel", run=run, reason=reason, by=by)
        return replace(type(self).summarised, status="cancelled")

    def resolve(self, spoken: str) -> str:
        if spoken == "@" or RUN.startswith(spoken):
            return RUN
        raise UsageError(f"there is no run {spoken!r}; `podium list` names them all")

    def summary(self, run: str) -> Summary:
        return type(self).summarised

    def list(self) -> Sequence[Summary]:
        return [type(self).summarised]

    def events(self, run: str) -> Sequence[Mapping[str, Any]]:
        return journal()

    def tail(self, run: str) -> Tail:
        return Tail(self, run)

    def workflow(self, run: str) -> Workflow:
        return catalog.workflow("harness", self.project)

    def folder(self, run: str) -> Path:
        return self.project / ".podium" / "runs" / run
