"""One comparison for crash recovery, edits, rewinds and approvals: what a step used must be what it was."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from podium.core import events, keys
from podium.core.advance import blocked, entered
from podium.core.contract import Contract
from podium.core.dataclass import dataclass
from podium.core.digest import MISSING
from podium.core.effects import Cluster, FanOut, Stage
from podium.core.records import GateRecord, StepRecord
from podium.core.run import ENDED, Run, restored
from podium.engine.session import Session
from podium.state.run_folder import family

MOST = 5
"""How often one owner does a step again because something changed under it. An agent that reaches the project could
change it each time, and no loop goes on for ever."""
LOOK_AGAIN_S = 0.005
"""How long a look at every file is good for in passing. An edit right after a look is found by the next one anyway, and
between steps that take no time at all the looks would be most of the work."""


@dataclass(frozen=True)
class Stale:
    key: str
    step: str
    because: tuple[str, ...]
    gate: bool


def code_inputs(session: Session) -> dict[str, str]:
    """Files that code-writing steps of this run made, with their digests now: what a later step judges.

    Of a stale one, those that are still as it made them: nobody took its work back, and it goes into the result.
    """
    found: dict[str, str] = {}
    for record in session.history.steps.values():
        if record.commit and record.state in {"finished", "stale"}:
            now = {path: session.digest(path) for path in record.outputs}
            kept = now if record.state == "finished" else {path: each for path, each in now.items() if each == record.outputs[path]}
            found |= {f"code/{path}": each for path, each in kept.items()}
    return found


def material(session: Session, contract: Contract, seen: Mapping[str, str]) -> dict[str, str]:
    """What a step uses that makes it stale when it changes, by name; of a file that was looked at already, what was seen."""
    found = {
        each.name: (not each.essence and seen.get(each.name)) or session.digest(each.path, each.essence)
        for each in contract.inputs
        if each.material
    }
    if contract.code == "read":
        found |= code_inputs(session)
    return found


def find(session: Session) -> list[Stale]:
    """The first finished step or decided gate whose ground has changed, and all that came after it."""
    lineage = _standing(session)
    for at, key in enumerate(lineage):
        because = _because(session, key)
        if because:
            return [_stale(session, key, because), *_after(session, lineage[at + 1 :], key)]
    return []


def remembered(session: Session) -> list[str]:
    """Keys of finished steps that the run has left and need not do again: what they stand on is as it was."""
    steps, stale = session.history.steps, {each.key for each in find(session)}
    return [key for key in _standing(session) if key in steps and key not in stale and steps[key].step != session.run.step]


def _standing(session: Session) -> list[str]:
    """The lineage as far as anybody still looks at it: what a seal lies on is settled."""
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
        return _differences(subject, {path: _seen(session, key, path, subject[path]) for path in subject})
    record = session.history.steps[key]
    contract = contract_of(session, record)
    if contract is None:
        return ()
    now: dict[str, str] = {
        each.name: session.digest(each.path, each.essence) for each in contract.inputs if each.material
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
    """Documents that are not there any more, or have nothing in them: a power cut leaves such, and no person's edit is meant so."""
    found = []
    for path, made in outputs.items():
        now = session.digest(path)
        if now == MISSING:
            found.append(f"{path} is gone")
        elif now != made and not (session.text(path) or "").strip("\0 \t\r\n"):
            found.append(f"{path} holds nothing any more")
    return tuple(found)


def contract_of(session: Session, record: StepRecord) -> Contract | None:
    """The contract of a recorded dispatch as the run has it now; None where nothing of the kind is asked for any more."""
    step = session.workflow.steps.get(record.step)
    if step is None or record.kind != "dispatch":
        return None
    match step.effect:
        case Stage(contract=contract):
            return contract(session.run)
        case Cluster(members=members):
            found = (each for each in members(session.run) if record.key.endswith(f"/{keys.path(each.name)}"))
            return next((each.contract(session.run) for each in found), None)
        case _:
            return None


def _seen(session: Session, key: str, path: str, was: str) -> str:
    """The digest of a file as a step or gate would see it: what a later step of this run made is nobody's edit.

    Also of a step that the run has gone through again since: entering one anew does not undo what it made.
    """
    now, history = session.digest(path), session.history
    if now == was:
        return was
    gate = history.gates.get(key)
    since = gate.deciding if gate else history.steps[key].ending
    # Code of a step that was set back lies there until it is done again; a person approves no such thing.
    counts = {"finished"} if gate else {"finished", "stale"}
    made = (each for each in history.steps.values() if each.state in counts and each.outputs.get(path) == now)
    return was if any(each.ending > since for each in made) else now


def _differences(was: object, now: object) -> tuple[str, ...]:
    assert isinstance(was, dict)
    assert isinstance(now, dict)
    return tuple(f"{name} changed" for name in was if was[name] != now.get(name, was[name]))


def _stale(session: Session, key: str, because: Sequence[str]) -> Stale:
    record: StepRecord | GateRecord = session.history.gates.get(key) or session.history.steps[key]
    return Stale(key, record.step, tuple(because), key in session.history.gates)


def _after(session: Session, later: Sequence[str], first: str) -> list[Stale]:
    """A gate also says what of its subject changed: that is what a person decided about."""
    gates = session.history.gates
    return [_stale(session, key, (f"{first} is stale", *(_because(session, key) if key in gates else ()))) for key in later]


def behind(session: Session, step: str) -> list[Stale]:
    """What stands from the last time the run was at that step on: a person who sets it there again wants it done again."""
    made = [_stale(session, key, (f"the run was set to {step} by hand",)) for key in session.history.lineage]
    at = next((at for at in reversed(range(len(made))) if made[at].step == step), len(made))
    while 0 < at < len(made) and made[at - 1].step == step:  # those that worked side by side
        at -= 1
    return made[at:]


def sent_back(session: Session, gate: str, target: str) -> list[Stale]:
    """What stands of the step to which a person sent the run back at a gate, and all that followed it.

    The gate itself is not among it: its decision is what is carried out, and a torn write must not ask for it again.
    """
    lineage = session.history.lineage
    first = next((at for at, key in enumerate(lineage) if _stale(session, key, ()).step == target), len(lineage))
    gone = [key for key in lineage[first:] if key != gate]
    return [_stale(session, key, (f"sent back at {gate}",) if key == gone[0] else (f"{gone[0]} is stale",)) for key in gone]


def marks(found: Sequence[Stale]) -> tuple[list[events.Fact], list[events.Fact]]:
    """What says so in the journal, of gates and of steps.

    Gates go first: a batch that a crash tears may lose marks of steps, but never leave an approval standing.
    """
    gates = [events.gate_stale(each.key, each.because) for each in found if each.gate]
    return gates, [events.step_stale(each.key, each.because) for each in found if not each.gate]


def set_back(session: Session, found: Sequence[Stale], outcome: str = "stale", meant: str = "") -> None:
    """Record what is stale and put the pointer at the first of it; a gate is open again under its own key.

    `meant`: the key of an earlier round of that step, from which on nothing has happened any more.
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
    session.commit(run, *gates, events.run_advanced(before, run, outcome, back_to=first.key), *steps)


def _over(session: Session, gate: str) -> bool:
    """Whether a gate was asked within a step that has ended since: that is done anew, and not opened again."""
    record = session.history.steps.get(gate.rpartition("/")[0])
    return keys.asked_within(gate) and record is not None and record.state == "finished"


def forget_visit(session: Session, left: str, run: Run) -> None:
    """A visit in which nothing was asked has not happened: `left` is the step that the run was taken away from, or enters anew."""
    gone = run.step != left or run.visits.get(left, 0) > session.run.visits.get(left, 0)
    if left in session.workflow.steps and gone and not _entered(session, left):
        run.visits[left] -= 1


def _as_then(session: Session, key: str) -> Run:
    """The run as it stood when that step began, but for what its workflow lets last; as it is where all of it lasts."""
    now, lasting = session.run, session.workflow.lasting
    if lasting is None:
        return now
    then = _state_at(session, key)
    if not then:
        return now
    run: Run = restored(session.workflow.run_type, str(then["step"]), {name: each for name, each in then.items() if name != "step"})
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
    """Steps that were begun later and that nothing stands on, such as failed attempts.

    Where the run is set back to what it was, their keys come again, and must not be taken for done.
    """
    known = list(session.history.steps)
    if session.workflow.lasting is None or found[0].key not in known:
        return []
    named = {each.key for each in found}
    later = (session.history.steps[key] for key in known[known.index(found[0].key) + 1 :] if key not in named)
    return [Stale(each.key, each.step, (f"{found[0].key} is stale",), gate=False) for each in later if each.state == "finished"]


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
    """Set the run back if anything it stands on has changed; whether it was.

    `in_passing`: another look follows before the run ends, so one of a moment ago counts for what was looked at then.
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
    """Set the run back to what somebody changed the ground of; blocked where that goes on and on."""
    times = session.set_back[found[0].step] = session.set_back.get(found[0].step, 0) + 1
    if times > MOST:
        session.block(blocked(session.run, _restless(found[0]), "drift"), found[0].key)
    else:
        set_back(session, found)


def _restless(stale: Stale) -> str:
    why = "; ".join(stale.because)
    return f"{stale.key} was done {MOST} times, and what it depends on keeps changing during the run ({why}): find out what writes there"


def _changed(session: Session, *, in_passing: bool) -> list[Stale]:
    """What is stale now. Files that no look shows changed need no second comparison; new steps need their first."""
    lineage, now = _standing(session), time.monotonic()
    fresh = [key for key in lineage if key not in session.checked]
    if in_passing and now - session.looked < LOOK_AGAIN_S:
        places: Collection[str] = [f"{session.root}/{path}" for key in fresh for path in _paths(session, key)]
    else:
        places, session.looked = _ground(session, lineage), now
    if session.unchanged(places) and not any(_because(session, key) for key in fresh):
        return []
    return find(session)


def _path_of(session: Session, stale: Stale, name: str) -> str:
    """The project path behind an input's name."""
    record = session.history.steps.get(stale.key)
    contract = contract_of(session, record) if record else None
    for each in contract.inputs if contract else ():
        if each.name == name:
            return each.path
    return name.removeprefix("code/")


def _ground(session: Session, lineage: Sequence[str]) -> Collection[str]:
    """Every file that a finished step or a decided gate stands on."""
    if session.grounded != lineage[: len(session.grounded)]:
        session.grounded, session.ground = [], {}
    for key in lineage[len(session.grounded) :]:
        session.ground.update(dict.fromkeys(f"{session.root}/{path}" for path in _paths(session, key)))
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
