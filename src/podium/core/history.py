"""The journal folded into steps, attempts, gates, documents and usage of one run.

The fold is incremental: the engine absorbs each event as it is written, a view absorbs
a whole journal at once, and both get the same result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from podium.core import keys
from podium.core.records import GateRecord, StepRecord, Tried

CANCEL = "cancel"
"""The name under which a request to cancel a run is posted."""


def takes_words(opened: Mapping[str, Any]) -> bool:
    """Whether a `gate.opened` accepts an answer in words. In events of older versions the gate's
    key tells.
    """
    kind = opened.get("kind")
    by_agent = keys.asked_within(str(opened.get("key", ""))) and kind not in {"drift", "high_risk"}
    return bool(opened.get("words") or not opened.get("choices") or by_agent)


class History:
    """The fold itself."""

    def __init__(self, events: Iterable[Mapping[str, Any]] = ()) -> None:
        self.steps: dict[str, StepRecord] = {}
        self.gates: dict[str, GateRecord] = {}
        self.decisions: list[GateRecord] = []
        """Every decision, in order, even if its gate was opened again since; `stale` if it no
        longer counts.
        """
        self.documents: dict[str, str] = {}
        """Path to the digest the program last wrote."""
        self.last_finished = ""
        """Key of the step whose work may not have arrived in the project yet."""
        self.lineage: list[str] = []
        """Keys of finished steps and decided gates that still stand, in order."""
        self.begun: set[str] = set()
        """Names of steps at which any step or gate ever began, whether or not it still stands."""
        self.calls: dict[str, int] = {}
        """Dispatches done, by role."""
        self.usages: list[tuple[str, Mapping[str, Any]]] = []
        """When each dispatch ended, and the usage it reported. A repeated step gives nothing
        back, so old dispatches stay.
        """
        self.lost: list[str] = []
        """When each dispatch was found begun but not ended: it used something, and nobody knows
        how much.
        """
        self.cut: dict[str, int] = {}
        """Dispatches found begun but not ended, by role."""
        self.own: list[Mapping[str, Any]] = []
        """The workflow's own events, in order."""
        self.resumes: list[Mapping[str, Any]] = []
        """Each time the run was resumed."""
        self.baseline: Mapping[str, Any] | None = None
        """What the project's commands proved before any step, when that was last found out."""
        self.checked: list[Mapping[str, Any]] = []
        """What they proved about the code as it was at a gate or at the end, in order."""
        self.waivers: list[Mapping[str, Any]] = []
        """Proof that a person goes on without, in order."""
        self.end: Mapping[str, Any] = {}
        """The event with which the run completed, when it last did."""
        self.phase = ""
        self.seq = 0
        self.last = ""
        self.started = ""
        self.workflow = ""
        self.visit = 1
        """Child runs: the visit of the parent's step in which this run began."""
        for event in events:
            self.absorb(event)

    def absorb(self, event: Mapping[str, Any]) -> None:
        self.seq, self.last = event["seq"], event["ts"]
        handler = _HANDLERS.get(event["type"])
        if handler is not None:
            handler(self, event)
        elif (
            event["type"].partition(".")[0] == self.workflow.partition("-")[0]
        ):  # `name-part` is a part of `name`
            self.own.append(event)

    def running(self) -> list[StepRecord]:
        """Steps that were started and have neither finished nor been found interrupted."""
        return [each for each in self.steps.values() if each.state == "running"]

    def open_gates(self) -> list[GateRecord]:
        return [each for each in self.gates.values() if each.open]

    def first_base(self) -> str:
        """The checkpoint of the code from before the run's first change to it; "" if it has
        changed none.
        """
        return next((each.base for each in self.steps.values() if each.base), "")

    @property
    def waived(self) -> dict[str, str]:
        """Commands that a person goes on without for the whole run, and who said so."""
        return {
            str(name): str(event["by"])
            for event in self.waivers
            if not event["key"]
            for name in event["commands"]
        }

    def used(self) -> dict[str, float | None]:
        """Usage so far; None as soon as one finished dispatch did not report it."""
        found: dict[str, float | None] = {"tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0}
        for _, usage in self.usages:
            for name, so_far in found.items():
                said = usage.get(name)
                found[name] = None if said is None or so_far is None else so_far + said
        return found

    def dispatches(self) -> int:
        return sum(self.calls.values())


def _run_started(history: History, event: Mapping[str, Any]) -> None:
    history.started, history.workflow, history.visit = (
        event["ts"],
        event["workflow"],
        event.get("visit", 1),
    )


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
    """Entering a step again undoes it and everything after it, unless the step continues where
    it was (`onward`).
    """
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
"""Outcomes of a move that no agent's work caused: what it leaves behind is stale."""


def _supersede(history: History, gone: list[str], *, stale: bool) -> None:
    history.lineage = [key for key in history.lineage if key not in gone]
    for key in gone if stale else ():
        # Events that follow in the journal say the same, but a crash may have torn them off.
        if (record := history.steps.get(key)) is not None:
            record.state = "stale"


def _run_completed(history: History, event: Mapping[str, Any]) -> None:
    _void_all(history, event)
    history.end = event


def _phase_entered(history: History, event: Mapping[str, Any]) -> None:
    history.phase = event["phase"]


def _phase_left(history: History, _event: Mapping[str, Any]) -> None:
    history.phase = ""


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
        for name in ("tried", "spent", "rejected", "violated", "calls", "lost"):
            setattr(record, name, getattr(known, name))
    history.steps[key] = record
    history.begun.add(record.step)


def _step_finished(history: History, event: Mapping[str, Any]) -> None:
    record = history.steps[event["key"]]
    record.finished, record.ending = event["ts"], event["seq"]
    for name in ("outcome", "verdict", "outputs", "usage", "assurance"):
        setattr(record, name, event[name])
    record.evidence = tuple(event["evidence"])
    record.classification, record.reason = event.get("classification", ""), event.get("reason", "")
    record.sets, record.before = event.get("sets", {}), event.get("before", {})
    record.commit, record.base = event.get("commit", ""), event.get("base", "")
    record.stop, record.facts = event.get("stop", ""), tuple(event.get("facts", ()))
    _called(history, record, event)
    _stands(history, record)


def _stands(history: History, record: StepRecord) -> None:
    """A finished step is part of the run; whether its work has arrived in the project is
    recorded later.
    """
    record.state, record.held = "finished", False
    history.last_finished = record.key
    for path in record.outputs:
        # It is not known yet whether these bytes have arrived, even if an earlier step brought the
        # same ones.
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
        return  # the step has ended; another one follows
    record = history.steps[event["key"]]
    record.tried.append(
        Tried(
            record.attempt,
            event["classification"],
            tuple(event.get("detail", ())),
            event["delay_s"],
            event["limit"],
        )
    )
    record.state = "interrupted"
    record.spent.append(event.get("usage", {}))
    _called(history, record, event)


def _step_interrupted(history: History, event: Mapping[str, Any]) -> None:
    record = history.steps[event["key"]]
    record.state = "interrupted"
    if record.kind == "dispatch":
        history.lost.append(event["ts"])
        record.lost += 1
    history.cut[record.role] = history.cut.get(record.role, 0) + 1


def _step_merged(history: History, event: Mapping[str, Any]) -> None:
    record = history.steps[event["key"]]
    record.commit, record.base, record.outputs = event["commit"], event["base"], event["outputs"]
    if record.held:
        record.before = event.get("before", {})
        _stands(history, record)


def _step_held(history: History, event: Mapping[str, Any]) -> None:
    record = history.steps[event["key"]]
    record.state, record.held = "interrupted", True
    if history.last_finished == record.key:
        history.last_finished = ""
    if record.key in history.lineage:
        history.lineage.remove(record.key)


def _step_conflicted(history: History, event: Mapping[str, Any]) -> None:
    history.steps[event["key"]].conflicts = tuple(event["paths"])
    if event["key"] in history.lineage:
        history.lineage.remove(event["key"])


def _step_stale(history: History, event: Mapping[str, Any]) -> None:
    if (record := history.steps.get(event["key"])) is not None:
        record.state, record.held = "stale", False
        record.tried = []  # doing it again begins with fresh limits
    if history.last_finished == event["key"]:
        history.last_finished = ""
    if event["key"] in history.lineage:
        history.lineage.remove(event["key"])


def _artifact_rejected(history: History, event: Mapping[str, Any]) -> None:
    # A document of the run itself can be rejected before its step began.
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
        words=takes_words(event),
        evidence=tuple(event.get("evidence", ())),
        baseline=tuple(event.get("baseline", ())),
        changes=event.get("changes", {}),
    )
    history.begun.add(event.get("step", ""))


def _gate_decided(history: History, event: Mapping[str, Any]) -> None:
    gate = history.gates[event["key"]]
    gate.decision, gate.by, gate.note, gate.decided = (
        event["decision"],
        event["by"],
        event["note"],
        event["ts"],
    )
    gate.deciding, gate.decided_subject, gate.stale = event["seq"], event["subject"], False
    history.decisions.append(replace(gate))
    if gate.key in history.lineage:
        history.lineage.remove(gate.key)
    if not (gate.subject and gate.kind == "drift" and keys.asked_within(gate.key)):
        # A decision about a person's own files in a step's place holds once: what they write there
        # later is a new question.
        history.lineage.append(gate.key)


def _gate_stale(history: History, event: Mapping[str, Any]) -> None:
    if (gate := history.gates.get(event["key"])) is not None:
        gate.stale = True
        gate.decision = ""
    for each in history.decisions:
        each.stale = each.stale or each.key == event["key"]
    if event["key"] in history.lineage:
        history.lineage.remove(event["key"])


def _proof_baseline(history: History, event: Mapping[str, Any]) -> None:
    history.baseline = event


def _proof_checked(history: History, event: Mapping[str, Any]) -> None:
    history.checked.append(event)


def _proof_waived(history: History, event: Mapping[str, Any]) -> None:
    history.waivers.append(event)


def _document_saved(history: History, event: Mapping[str, Any]) -> None:
    history.documents[event["path"]] = event["digest"]


def _document_drifted(history: History, event: Mapping[str, Any]) -> None:
    """A person's version is there: nothing is left to arrive."""
    history.documents.setdefault(event["path"], event["was"])


_HANDLERS = {
    "run.started": _run_started,
    "run.resumed": _run_resumed,
    "run.advanced": _run_advanced,
    "run.edited": _void_gates,
    "run.cancelled": _void_all,
    "run.completed": _run_completed,
    "phase.entered": _phase_entered,
    "phase.left": _phase_left,
    "step.started": _step_started,
    "step.finished": _step_finished,
    "step.interrupted": _step_interrupted,
    "step.merged": _step_merged,
    "step.conflicted": _step_conflicted,
    "step.held": _step_held,
    "step.stale": _step_stale,
    "retry.scheduled": _retry_scheduled,
    "artifact.rejected": _artifact_rejected,
    "contract.violated": _contract_violated,
    "proof.baseline": _proof_baseline,
    "proof.checked": _proof_checked,
    "proof.waived": _proof_waived,
    "gate.opened": _gate_opened,
    "gate.decided": _gate_decided,
    "gate.stale": _gate_stale,
    "document.saved": _document_saved,
    "document.drifted": _document_drifted,
}
