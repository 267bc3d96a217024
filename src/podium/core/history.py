"""What the journal says, folded: steps, attempts, gates, documents and usage of one run.

The fold is incremental: the engine absorbs each event as it is written, a view absorbs
a whole journal at once, and both see the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

StepState = Literal["running", "finished", "interrupted", "stale"]
CANCEL = "cancel"
"""Under what name the request to end a run is posted."""


@dataclass
class Tried:
    """One recorded dispatch that did not settle its step."""

    attempt: int
    classification: str
    detail: tuple[str, ...] = ()
    delay_s: float = 0.0
    limit: int = 0
    """0 where the dispatch was refused with a time to come back: then it used up nothing."""


@dataclass
class StepRecord:
    """One step as the journal knows it."""

    key: str
    step: str
    kind: str
    role: str
    attempt: int
    inputs: Mapping[str, str]
    started: str
    repair: int = 0
    definition: Mapping[str, str] = field(default_factory=dict)
    """Where the role's definition came from (`from`), and its `digest`."""
    state: StepState = "running"
    finished: str = ""
    ending: int = 0
    """seq of its end: what was first is told by this, since a clock may be set back."""
    outcome: str = ""
    verdict: str = ""
    classification: str = ""
    reason: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)
    evidence: tuple[Mapping[str, Any], ...] = ()
    usage: Mapping[str, Any] = field(default_factory=dict)
    assurance: Mapping[str, str] = field(default_factory=dict)
    sets: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)
    """Digests of the outputs' places before the step's work arrived there."""
    facts: tuple[Mapping[str, Any], ...] = ()
    """Events of the workflow's own that were to follow its end."""
    commit: str = ""
    base: str = ""
    stop: str = ""
    conflicts: tuple[str, ...] = ()
    """Paths that kept its work out of the project, where it could not be merged with work made beside it."""
    tried: list[Tried] = field(default_factory=list)
    spent: list[Mapping[str, Any]] = field(default_factory=list)
    """What dispatches that did not settle the step said they used."""
    rejected: list[tuple[str, str, str]] = field(default_factory=list)
    """(path, failure, detail) of every refused artifact."""
    violated: list[str] = field(default_factory=list)
    calls: int = 0
    """Dispatches recorded as done, whatever came of them."""


@dataclass
class GateRecord:
    key: str
    step: str
    kind: str
    prompt: str
    choices: tuple[str, ...]
    subject: Mapping[str, str]
    opened: str
    opening: int
    """seq of the opening: a decision answers one opening."""
    decision: str = ""
    by: str = ""
    note: str = ""
    decided: str = ""
    deciding: int = 0
    """seq of the decision."""
    decided_subject: Mapping[str, str] = field(default_factory=dict)
    stale: bool = False
    void: bool = False
    """Whether the run left the gate's step by another way, so that there is nothing to decide any more."""

    @property
    def open(self) -> bool:
        return not self.decision and not self.void

    @property
    def message(self) -> str:
        """Under what name a decision is posted. It answers one opening: a gate that reopened needs a new one."""
        return message_name(self.key, self.opening)


def message_name(gate: str, opening: int) -> str:
    return f"{gate}@{opening}"


class History:
    """The fold itself."""

    def __init__(self, events: Iterable[Mapping[str, Any]] = ()) -> None:
        self.steps: dict[str, StepRecord] = {}
        self.gates: dict[str, GateRecord] = {}
        self.documents: dict[str, str] = {}
        """Path to the digest the program last wrote."""
        self.last_finished = ""
        """Key of the step whose work may not have arrived in the project yet."""
        self.lineage: list[str] = []
        """Keys of finished steps and decided gates that still stand, in order."""
        self.begun: set[str] = set()
        """Names of steps that any step or gate was ever begun at, whether it stands or not."""
        self.calls: dict[str, int] = {}
        """Dispatches done, by role."""
        self.usages: list[tuple[str, Mapping[str, Any]]] = []
        """When each dispatch ended, and what it said it used: also one whose step is done again, which gives nothing back."""
        self.cut: dict[str, int] = {}
        """Dispatches found begun and not ended, by role."""
        self.own: list[Mapping[str, Any]] = []
        """Events that are the workflow's own, in order."""
        self.resumes: list[Mapping[str, Any]] = []
        """Each time the run was taken up again."""
        self.phase = ""
        self.seq = 0
        self.last = ""
        self.started = ""
        self.workflow = ""
        for event in events:
            self.absorb(event)

    def absorb(self, event: Mapping[str, Any]) -> None:
        self.seq, self.last = event["seq"], event["ts"]
        handler = _HANDLERS.get(event["type"])
        if handler is not None:
            handler(self, event)
        elif event["type"].partition(".")[0] == self.workflow.partition("-")[0]:  # `name-part` is a part of `name`
            self.own.append(event)

    def running(self) -> list[StepRecord]:
        """Steps that were started and neither finished nor found interrupted."""
        return [each for each in self.steps.values() if each.state == "running"]

    def open_gates(self) -> list[GateRecord]:
        return [each for each in self.gates.values() if each.open]

    def used(self) -> dict[str, float | None]:
        """Usage so far; None as soon as one finished dispatch did not say."""
        found: dict[str, float | None] = {"tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0}
        for _, usage in self.usages:
            for name, so_far in found.items():
                said = usage.get(name)
                found[name] = None if said is None or so_far is None else so_far + said
        return found

    def dispatches(self) -> int:
        return sum(self.calls.values())


def _run_started(history: History, event: Mapping[str, Any]) -> None:
    history.started, history.workflow = event["ts"], event["workflow"]


def _run_resumed(history: History, event: Mapping[str, Any]) -> None:
    history.resumes.append(event)


def _void_gates(history: History, event: Mapping[str, Any]) -> None:
    at = event["state"]["step"]
    for gate in history.gates.values():
        if gate.open and gate.step != at:
            gate.void = True


def _void_all(history: History, _event: Mapping[str, Any]) -> None:
    for gate in history.gates.values():
        gate.void = gate.void or gate.open


def _run_advanced(history: History, event: Mapping[str, Any]) -> None:
    """Entering a step again means that it and all that followed it has not happened any more, unless it goes on there."""
    _void_gates(history, event)
    if event.get("onward"):
        return
    back_to, to = event.get("back_to"), event["to"]
    if back_to and back_to in history.lineage:
        _supersede(history, history.lineage[history.lineage.index(back_to) :], stale=True)
        return
    for at, key in enumerate(history.lineage) if to in history.begun else ():
        record = history.steps.get(key) or history.gates[key]
        if record.step == to:
            _supersede(history, history.lineage[at:], stale=event["outcome"] in SET_BACK)
            return


SET_BACK = frozenset({"stale", "rewind"})
"""Outcomes of a move that nobody's work caused: what it leaves behind is stale."""


def _supersede(history: History, gone: list[str], *, stale: bool) -> None:
    history.lineage = [key for key in history.lineage if key not in gone]
    for key in gone if stale else ():
        # The marks that follow in the journal say the same; a crash may have torn them off.
        if (record := history.steps.get(key)) is not None:
            record.state = "stale"


def _phase_entered(history: History, event: Mapping[str, Any]) -> None:
    history.phase = event["phase"]


def _step_started(history: History, event: Mapping[str, Any]) -> None:
    key = event["key"]
    known = history.steps.get(key)
    record = StepRecord(
        key=key,
        step=event.get("step", ""),
        kind=event["kind"],
        role=event["role"],
        attempt=event["attempt"],
        repair=event.get("repair", 0),
        definition=event.get("definition", {}),
        inputs=event["inputs"],
        started=known.started if known else event["ts"],
    )
    if known is not None:
        for name in ("tried", "spent", "rejected", "violated", "calls"):
            setattr(record, name, getattr(known, name))
    history.steps[key] = record
    history.begun.add(record.step)


def _step_finished(history: History, event: Mapping[str, Any]) -> None:
    record = history.steps[event["key"]]
    record.state, record.finished, record.ending = "finished", event["ts"], event["seq"]
    for name in ("outcome", "verdict", "outputs", "usage", "assurance"):
        setattr(record, name, event[name])
    record.evidence = tuple(event["evidence"])
    record.classification, record.reason = event.get("classification", ""), event.get("reason", "")
    record.sets, record.before = event.get("sets", {}), event.get("before", {})
    record.commit, record.base = event.get("commit", ""), event.get("base", "")
    record.stop, record.facts = event.get("stop", ""), tuple(event.get("facts", ()))
    _called(history, record, event)
    history.last_finished = record.key
    for path in record.outputs:
        # Whether these bytes have arrived is open again, even if an earlier step once brought the same ones.
        history.documents.pop(path, None)
    if record.key in history.lineage:
        history.lineage.remove(record.key)
    if record.outcome != "fail":  # nothing stands on what failed
        history.lineage.append(record.key)


def _called(history: History, record: StepRecord, event: Mapping[str, Any]) -> None:
    if record.kind == "dispatch":
        history.usages.append((event["ts"], event.get("usage", {})))
        record.calls += 1
        history.calls[record.role] = history.calls.get(record.role, 0) + 1


def _retry_scheduled(history: History, event: Mapping[str, Any]) -> None:
    if event.get("of") == "workflow":
        return  # the step has ended; what follows is another one
    record = history.steps[event["key"]]
    record.tried.append(
        Tried(
            record.attempt, event["classification"], tuple(event.get("detail", ())), event["delay_s"], event["limit"]
        )
    )
    record.state = "interrupted"
    record.spent.append(event.get("usage", {}))
    _called(history, record, event)


def _step_interrupted(history: History, event: Mapping[str, Any]) -> None:
    record = history.steps[event["key"]]
    record.state = "interrupted"
    history.cut[record.role] = history.cut.get(record.role, 0) + 1


def _step_merged(history: History, event: Mapping[str, Any]) -> None:
    record = history.steps[event["key"]]
    record.commit, record.base, record.outputs = event["commit"], event["base"], event["outputs"]


def _step_conflicted(history: History, event: Mapping[str, Any]) -> None:
    history.steps[event["key"]].conflicts = tuple(event["paths"])
    if event["key"] in history.lineage:
        history.lineage.remove(event["key"])


def _step_stale(history: History, event: Mapping[str, Any]) -> None:
    if (record := history.steps.get(event["key"])) is not None:
        record.state = "stale"
        record.tried = []  # whoever does it again begins with fresh budgets
    if history.last_finished == event["key"]:
        history.last_finished = ""
    if event["key"] in history.lineage:
        history.lineage.remove(event["key"])


def _artifact_rejected(history: History, event: Mapping[str, Any]) -> None:
    # A document of the run itself may be refused before its step began.
    if (record := history.steps.get(event["key"])) is not None:
        record.rejected.append((event["path"], event["failure"], event["detail"]))


def _contract_violated(history: History, event: Mapping[str, Any]) -> None:
    if (record := history.steps.get(event["key"])) is not None:
        record.violated.extend(event["paths"])


def _gate_opened(history: History, event: Mapping[str, Any]) -> None:
    history.gates[event["key"]] = GateRecord(
        key=event["key"],
        step=event.get("step", ""),
        kind=event["kind"],
        prompt=event["prompt"],
        choices=tuple(event["choices"]),
        subject=event["subject"],
        opened=event["ts"],
        opening=event["seq"],
    )
    history.begun.add(event.get("step", ""))


def _gate_decided(history: History, event: Mapping[str, Any]) -> None:
    gate = history.gates[event["key"]]
    gate.decision, gate.by, gate.note, gate.decided = event["decision"], event["by"], event["note"], event["ts"]
    gate.deciding, gate.decided_subject, gate.stale = event["seq"], event["subject"], False
    if gate.key in history.lineage:
        history.lineage.remove(gate.key)
    history.lineage.append(gate.key)


def _gate_stale(history: History, event: Mapping[str, Any]) -> None:
    if (gate := history.gates.get(event["key"])) is not None:
        gate.stale = True
        gate.decision = ""
    if event["key"] in history.lineage:
        history.lineage.remove(event["key"])


def _document_saved(history: History, event: Mapping[str, Any]) -> None:
    history.documents[event["path"]] = event["digest"]


def _document_drifted(history: History, event: Mapping[str, Any]) -> None:
    """A person's version stands there: what was to arrive is settled."""
    history.documents.setdefault(event["path"], event["was"])


_HANDLERS = {
    "run.started": _run_started,
    "run.resumed": _run_resumed,
    "run.advanced": _run_advanced,
    "run.edited": _void_gates,
    "run.cancelled": _void_all,
    "run.completed": _void_all,
    "phase.entered": _phase_entered,
    "step.started": _step_started,
    "step.finished": _step_finished,
    "step.interrupted": _step_interrupted,
    "step.merged": _step_merged,
    "step.conflicted": _step_conflicted,
    "step.stale": _step_stale,
    "retry.scheduled": _retry_scheduled,
    "artifact.rejected": _artifact_rejected,
    "contract.violated": _contract_violated,
    "gate.opened": _gate_opened,
    "gate.decided": _gate_decided,
    "gate.stale": _gate_stale,
    "document.saved": _document_saved,
    "document.drifted": _document_drifted,
}
