"""One comparison for crash recovery, edits, rewinds and approvals: what a step used must be
unchanged.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core import events, keys
from podium.core.advance import blocked, entered
from podium.core.contract import Contract
from podium.core.digest import MISSING, digest
from podium.core.effects import Cluster, FanOut, Stage
from podium.core.records import GateRecord, StepRecord
from podium.core.run import ENDED, Run, restored
from podium.engine.inputs import Inputs
from podium.engine.session import Session
from podium.state.run_folder import family

MOST = 5
"""How often one owner repeats a step because something changed under it. An agent that can reach
the project could change it each time, and no loop may go on for ever.
"""
LOOK_AGAIN_S = 0.05
"""Seconds for which a look at all files is good enough between steps. The next look finds an edit
made right after one, and between steps that take no time at all the looks would be a tenth of the
work.
"""


@dataclass(frozen=True)
class Stale:
    key: str
    step: str
    because: tuple[str, ...]
    gate: bool


def code_inputs(session: Session) -> dict[str, str]:
    """Files that this run's code-writing steps made, with their digests now: what a later step
    judges.

    Of a stale step, only files that are still as it made them: nobody undid that work, so it is
    part of the result.
    """
    found: dict[str, str] = {}
    for record in session.history.steps.values():
        if record.commit and record.state in {"finished", "stale"}:
            now = {path: session.digest(path) for path in record.outputs}
            kept = (
                now
                if record.state == "finished"
                else {path: each for path, each in now.items() if each == record.outputs[path]}
            )
            found |= {f"code/{path}": each for path, each in kept.items()}
    return found


def material(session: Session, contract: Contract, inputs: Inputs) -> dict[str, str]:
    """The inputs that make a step stale when they change, by name."""
    found = {
        each.name: digest(each.essence(inputs.text(each.path)))
        if each.essence and each.path in inputs.data
        else inputs.digests[each.path]
        for each in contract.inputs
        if each.material
    }
    if contract.code == "read":
        found |= code_inputs(session)
    return found


def find(session: Session) -> list[Stale]:
    """The first finished step or decided gate that depends on something changed, and everything
    after it.
    """
    lineage = _standing(session)
    for at, key in enumerate(lineage):
        because = _because(session, key)
        if because:
            return [_stale(session, key, because), *_after(session, lineage[at + 1 :], key)]
    return []


def remembered(session: Session) -> list[str]:
    """Keys of finished steps that the run has left and need not repeat: what they depend on is
    unchanged.
    """
    steps, stale = session.history.steps, {each.key for each in find(session)}
    return [
        key
        for key in _standing(session)
        if key in steps and key not in stale and steps[key].step != session.run.step
    ]


def _standing(session: Session) -> list[str]:
    """The lineage after the last seal: nobody checks any more what a seal covers."""
    lineage, steps = session.history.lineage, session.history.steps
    for at in reversed(range(len(lineage))) if session.seals else ():
        record = steps.get(lineage[at])
        if record is not None and record.step in session.seals:
            return lineage[at + 1 :]
    return lineage


def _because(session: Session, key: str) -> tuple[str, ...]:
    gate = session.history.gates.get(key)
    if gate is not None:
        subject = gate.decided_subject
        return _differences(
            subject, {path: _seen(session, key, path, subject[path]) for path in subject}
        )
    record = session.history.steps[key]
    contract = contract_of(session, record)
    if contract is None:
        return ()
    now: dict[str, str] = {
        each.name: session.digest(each.path, each.essence)
        for each in contract.inputs
        if each.material
    }
    now |= {
        name: _seen(session, key, name.removeprefix("code/"), record.inputs[name])
        for name in record.inputs
        if name.startswith("code/")
    }
    used = {name: value for name, value in record.inputs.items() if name in now}
    gone = () if record.commit else _gone(session, record.outputs)
    return _differences(used, now) + gone


def _gone(session: Session, outputs: Mapping[str, str]) -> tuple[str, ...]:
    """Documents that are missing or empty now: a power cut can cause that, and no person means
    such an edit.
    """
    found = []
    for path, made in outputs.items():
        now = session.digest(path)
        if now == MISSING:
            found.append(f"{path} is gone")
        elif now != made and not (session.text(path) or "").strip("\0 \t\r\n"):
            found.append(f"{path} holds nothing any more")
    return tuple(found)


def contract_of(session: Session, record: StepRecord) -> Contract | None:
    """The contract of a recorded dispatch as the run has it now; None if the workflow no longer
    asks for it.
    """
    step = session.workflow.steps.get(record.step)
    if step is None or record.kind != "dispatch":
        return None
    match step.effect:
        case Stage(contract=contract):
            return contract(session.run)
        case Cluster(members=members):
            found = (
                each
                for each in members(session.run)
                if record.key.endswith(f"/{keys.path(each.name)}")
            )
            return next((each.contract(session.run) for each in found), None)
        case _:
            return None


def _seen(session: Session, key: str, path: str, was: str) -> str:
    """The digest of a file as a step or gate would see it: what a later step of this run made is
    not an edit.

    That includes a step that the run has entered again since: entering it anew does not undo what
    it made.
    """
    now, history = session.digest(path), session.history
    if now == was:
        return was
    gate = history.gates.get(key)
    since = gate.deciding if gate else history.steps[key].ending
    # Code of a step that was set back stays until the step is done again; an approval does not
    # cover that code.
    counts = {"finished"} if gate else {"finished", "stale"}
    made = (
        each
        for each in history.steps.values()
        if each.state in counts and each.outputs.get(path) == now
    )
    return was if any(each.ending > since for each in made) else now


def _differences(was: object, now: object) -> tuple[str, ...]:
    assert isinstance(was, dict)
    assert isinstance(now, dict)
    return tuple(f"{name} changed" for name in was if was[name] != now.get(name, was[name]))


def _stale(session: Session, key: str, because: Sequence[str]) -> Stale:
    record: StepRecord | GateRecord = session.history.gates.get(key) or session.history.steps[key]
    return Stale(key, record.step, tuple(because), key in session.history.gates)


def _after(session: Session, later: Sequence[str], first: str) -> list[Stale]:
    """A gate also names what changed of its subject, because that is what a person decided
    about.
    """
    gates = session.history.gates
    return [
        _stale(
            session, key, (f"{first} is stale", *(_because(session, key) if key in gates else ()))
        )
        for key in later
    ]


def behind(session: Session, step: str) -> list[Stale]:
    """What stands from the last time the run was at that step: a person who sets it there again
    wants it repeated.
    """
    made = [
        _stale(session, key, (f"the run was set to {step} by hand",))
        for key in session.history.lineage
    ]
    at = next((at for at in reversed(range(len(made))) if made[at].step == step), len(made))
    while 0 < at < len(made) and made[at - 1].step == step:  # members of a cluster
        at -= 1
    return made[at:]


def sent_back(session: Session, gate: str, target: str) -> list[Stale]:
    """What stands of the step to which a person sent the run back at a gate, and everything after
    it.

    Not the gate itself: its decision is being carried out, and after a torn write it must not be
    asked again.
    """
    lineage = session.history.lineage
    first = next(
        (at for at, key in enumerate(lineage) if _stale(session, key, ()).step == target),
        len(lineage),
    )
    gone = [key for key in lineage[first:] if key != gate]
    return [
        _stale(
            session, key, (f"sent back at {gate}",) if key == gone[0] else (f"{gone[0]} is stale",)
        )
        for key in gone
    ]


def marks(found: Sequence[Stale]) -> tuple[list[events.Fact], list[events.Fact]]:
    """The events that mark these stale, for gates and for steps.

    Gates go first: if a crash tears the batch, marks of steps may be lost, but no approval stays
    valid.
    """
    gates = [events.gate_stale(each.key, each.because) for each in found if each.gate]
    return gates, [events.step_stale(each.key, each.because) for each in found if not each.gate]


def set_back(
    session: Session, found: Sequence[Stale], outcome: str = "stale", meant: str = ""
) -> None:
    """Record what is stale and set the pointer to the first of it; a gate opens again under its own
    key.

    `meant`: the key of an earlier round of that step, from which on everything is undone.
    """
    first = found[0]
    before = session.run
    run = entered(_as_then(session, first.key), first.step)
    if meant:
        for name, value in _state_at(session, meant).items() if session.workflow.rounds else ():
            if name in session.workflow.rounds:
                setattr(run, name, value)
    if first.gate and not _over(session, first.key):
        run.visits[first.step] = before.visits.get(first.step, 1)
    forget_visit(session, before.step, run)
    session.workflow.rewound(run)
    if session.workflow.lasting is not None:
        session.workflow.restored(run)
    gates, steps = marks([*found, *_beside(session, found)])
    session.commit(
        run, *gates, events.run_advanced(before, run, outcome, back_to=first.key), *steps
    )


def _over(session: Session, gate: str) -> bool:
    """Whether a gate was asked within a step that has ended since: that is done anew, and not
    opened again.
    """
    record = session.history.steps.get(gate.rpartition("/")[0])
    return keys.asked_within(gate) and record is not None and record.state == "finished"


def forget_visit(session: Session, left: str, run: Run) -> None:
    """A visit in which nothing was asked does not count: `left` is the step from which the run
    was moved away, or which it enters anew.
    """
    gone = run.step != left or run.visits.get(left, 0) > session.run.visits.get(left, 0)
    if left in session.workflow.steps and gone and not _entered(session, left):
        run.visits[left] -= 1


def _as_then(session: Session, key: str) -> Run:
    """The run as it was when that step began, except for members that last; unchanged if all of
    them last.
    """
    now, lasting = session.run, session.workflow.lasting
    if lasting is None:
        return now
    then = _state_at(session, key)
    if not then:
        return now
    run: Run = restored(
        session.workflow.run_type,
        str(then["step"]),
        {name: each for name, each in then.items() if name != "step"},
    )
    for name in (*lasting, "visits", "note"):
        setattr(run, name, getattr(now, name))
    return run


def _state_at(session: Session, key: str) -> Mapping[str, Any]:
    """The members of the run when that step last began."""
    latest: Mapping[str, Any] = {}
    then: Mapping[str, Any] = {}
    for event in session.opened.events:
        if event.get("key") == key and event["type"] in {"step.started", "gate.opened"}:
            then = latest
        latest = event.get("state", latest)
    return then


def _beside(session: Session, found: Sequence[Stale]) -> list[Stale]:
    """Steps that began later and that nothing depends on, such as failed attempts.

    When the run is set back, their keys come up again, and must not count as done.
    """
    known = list(session.history.steps)
    if session.workflow.lasting is None or found[0].key not in known:
        return []
    named = {each.key for each in found}
    later = (
        session.history.steps[key]
        for key in known[known.index(found[0].key) + 1 :]
        if key not in named
    )
    return [
        Stale(each.key, each.step, (f"{found[0].key} is stale",), gate=False)
        for each in later
        if each.state == "finished"
    ]


def _entered(session: Session, step: str) -> bool:
    key = session.key(session.workflow.steps[step])
    if step not in session.run.visits:
        return True
    known = [*session.history.steps, *session.history.gates]
    if isinstance(session.workflow.steps[step].effect, FanOut):
        root = session.folder.root_id
        known += [each.removeprefix(f"{root}/") for each in family(session.services.project, root)]
    return any(each == key or each.startswith(f"{key}/") for each in known)


def check(session: Session, *, in_passing: bool = False) -> bool:
    """Set the run back if anything it depends on has changed; returns whether it was.

    `in_passing`: another look follows before the run ends, so files looked at a moment ago are not
    looked at again.
    """
    if session.run.status in ENDED or not session.history.lineage:
        return False
    found = _changed(session, in_passing=in_passing)
    if not found:
        session.checked = set(session.history.lineage)
        return False
    for each in found[0].because:
        name = each.removesuffix(" changed")
        was = _known(session, found[0].key, name)
        if was:
            path = _path_of(session, found[0], name)
            session.pending.append(events.document_drifted(path, was, session.digest(path)))
    again(session, found)
    return True


def again(session: Session, found: Sequence[Stale]) -> None:
    """Set the run back to a step whose inputs changed; block it if that happens again and again."""
    times = session.set_back[found[0].step] = session.set_back.get(found[0].step, 0) + 1
    if times > MOST:
        session.block(blocked(session.run, _restless(found[0]), "drift"), found[0].key)
    else:
        set_back(session, found)


def _restless(stale: Stale) -> str:
    why = "; ".join(stale.because)
    return (
        f"{stale.key} was done {MOST} times, and what it depends on keeps changing during the run "
        f"({why}): find out what writes there"
    )


def _changed(session: Session, *, in_passing: bool) -> list[Stale]:
    """What is stale now. Files with unchanged metadata are not compared again; new steps are
    compared for the first time.
    """
    lineage, now = _standing(session), time.monotonic()
    fresh = [key for key in lineage if key not in session.checked]
    if in_passing and now - session.looked < LOOK_AGAIN_S:
        places: Collection[str] = [
            f"{session.root}/{path}" for key in fresh for path in _paths(session, key)
        ]
    else:
        places, session.looked = _ground(session, lineage), now
    if session.unchanged(places) and not any(_because(session, key) for key in fresh):
        return []
    return find(session)


def _path_of(session: Session, stale: Stale, name: str) -> str:
    """The project path of an input with that name."""
    record = session.history.steps.get(stale.key)
    contract = contract_of(session, record) if record else None
    for each in contract.inputs if contract else ():
        if each.name == name:
            return each.path
    return name.removeprefix("code/")


def _ground(session: Session, lineage: Sequence[str]) -> Collection[str]:
    """Every file that a finished step or a decided gate depends on."""
    if session.grounded != lineage[: len(session.grounded)]:
        session.grounded, session.ground = [], {}
    for key in lineage[len(session.grounded) :]:
        session.ground.update(
            dict.fromkeys(f"{session.root}/{path}" for path in _paths(session, key))
        )
        session.grounded.append(key)
    return session.ground


def _paths(session: Session, key: str) -> list[str]:
    gate = session.history.gates.get(key)
    if gate is not None:
        return list(gate.decided_subject)
    record = session.history.steps[key]
    if key not in session.grounds:
        contract = contract_of(session, record)
        used = contract.inputs if contract else ()
        code = [name.removeprefix("code/") for name in record.inputs if name.startswith("code/")]
        own = () if record.commit else record.outputs
        session.grounds[key] = [*(each.path for each in used if each.material), *code, *own]
    return session.grounds[key]


def _known(session: Session, key: str, name: str) -> str:
    gate = session.history.gates.get(key)
    return (gate.decided_subject if gate else session.history.steps[key].inputs).get(name, "")
