"""Setting a run back to a step it has done: its own, or one of a child run, which takes the run back to that child."""

from __future__ import annotations

from podium.core import events, keys
from podium.core.advance import entered, resting
from podium.core.effects import Cluster, FanOut
from podium.core.errors import UsageError
from podium.core.history import History
from podium.core.run import Run, Status, restored
from podium.core.workflow import Step, Workflow
from podium.engine import documents, staleness
from podium.engine.runs import open_session
from podium.engine.services import Services
from podium.engine.session import Session
from podium.state import run_folder


def rewind(services: Services, workflow: Workflow, run: str, to: str, *, restore_code: bool, by: str) -> list[str]:
    """Mark a step and all that follows it stale; they run again."""
    session, _ = open_session(services, workflow, run)
    try:
        child = _child(session, to)
        if child:
            return _rewind_child(session, child, to, restore_code=restore_code, by=by)
        return _rewind(session, to, restore_code=restore_code, by=by)
    finally:
        services.journal.close(session.opened)


def _rewind(session: Session, to: str, *, restore_code: bool, by: str) -> list[str]:
    found = _from(session, to)
    if restore_code:
        _restore(session, [each.key for each in found])
    session.pending.append(events.run_edited(session.run, "rewind", [f"rewound to {found[0].key} by {by}"]))
    staleness.set_back(session, found, "rewind")
    documents.save(session)
    session.append()
    return [each.key for each in found]


def _from(session: Session, to: str) -> list[staleness.Stale]:
    lineage = session.history.lineage
    for at in reversed(range(len(lineage))):
        if _meant(session, to, lineage[at]):
            first = at
            while first and _beside(session, to, lineage[first - 1]):
                first -= 1
            return [_stale(session, key) for key in lineage[first:]]
    # An earlier round was done again since: what stands of that step, and all that followed, is what is downstream.
    named = {record.step for key, record in session.history.steps.items() if _meant(session, to, key)}
    for at, key in enumerate(lineage):
        if _stale(session, key).step in named:
            gone = [*_passed(session, to, lineage[at - 1] if at else ""), *lineage[at:]]
            return [_stale(session, each) for each in gone]
    # A step that did not finish (the run is blocked in it) can be taken up again as well.
    for key in reversed(session.history.steps):
        record = session.history.steps[key]
        if keys.names(to, key) and record.step == session.run.step:
            return [staleness.Stale(key, record.step, ("rewound",), gate=False)]
    known = [*lineage, *(key for key, each in session.history.steps.items() if each.step == session.run.step)]
    raise UsageError(f"{to!r} is no step that this run has done; it has: {', '.join(dict.fromkeys(known)) or 'none yet'}")


def _meant(session: Session, to: str, key: str) -> bool:
    """Whether what a person typed names this step, or the agents side by side to which it belongs."""
    return keys.names(to, key) or _beside(session, to, key)


def _beside(session: Session, to: str, key: str) -> bool:
    return _clustered(session, key) and keys.names(to, key.rpartition("/")[0])


def _clustered(session: Session, key: str) -> bool:
    record = session.history.steps.get(key)
    step = session.workflow.steps.get(record.step) if record else None
    return step is not None and isinstance(step.effect, Cluster)


def _passed(session: Session, to: str, before: str) -> list[str]:
    """Steps of this pass that the run entered again since, from the one that is meant on: parts of one wave after another."""
    history = session.history
    gate, record = history.gates.get(before), history.steps.get(before)
    since = gate.decided if gate else record.finished if record else ""
    done = [each for each in history.steps.values() if each.state == "finished" and each.key not in history.lineage]
    here = [each for each in done if each.finished >= since]
    meant = [each.finished for each in here if _clustered(session, each.key) and _meant(session, to, each.key)]
    return [each.key for each in here if meant and each.finished >= min(meant)]


def _stale(session: Session, key: str) -> staleness.Stale:
    gate = session.history.gates.get(key)
    step = gate.step if gate else session.history.steps[key].step
    return staleness.Stale(key, step, ("rewound",), gate=gate is not None)


def _restore(session: Session, stale: list[str]) -> None:
    workspace = session.services.workspace()
    for key in reversed(stale):
        record = session.history.steps.get(key)
        if record is not None and record.commit:
            done = workspace.restore(list(record.outputs), workspace.checkpoint_of(record.base), record.commit)
            for each in done.conflicts:  # a person's edit since: it stays, and is told
                now = session.digest(each.path)
                session.pending.append(events.document_drifted(each.path, record.outputs[each.path], now))


# -- child runs


def _child(session: Session, to: str) -> str:
    """The key of the child run that has done this step; "" where none has."""
    services, root = session.services, session.folder.root_id
    for each in reversed(run_folder.family(services.project, root)[1:]):
        history = History(services.journal.read(each))
        if any(keys.names(to, key) for key in (*history.steps, *history.gates)):
            return each.partition("/")[2]
    return ""


def _rewind_child(session: Session, child: str, to: str, *, restore_code: bool, by: str) -> list[str]:
    """The child first: repeated after a crash in between, this finds it as it is and takes the parent there."""
    services = session.services
    opened = services.journal.open(f"{session.folder.root_id}/{child}", "parent")
    try:
        step = _parent_step(session, str(opened.events[0]["workflow"]), child)
        assert isinstance(step.effect, FanOut)
        below = Session(services, step.effect.workflow(), opened, prefix=child)
        below.reload()
        found = _rewind(below, to, restore_code=restore_code, by=by)
    finally:
        services.journal.close(opened)
    _back_to_child(session, step, int(opened.events[0].get("visit", 1)), f"rewound to {found[0]} by {by}")
    return found


def _parent_step(session: Session, name: str, child: str) -> Step:
    for step in session.workflow.steps.values():
        if isinstance(step.effect, FanOut) and step.effect.workflow().name == name:
            return step
    raise UsageError(f"{child} is no child of {session.opened.run} itself; only its own children can be rewound")


def _back_to_child(session: Session, step: Step, visit: int, said: str) -> None:
    """The run at the step that drives the child, as it was when the child began; with a visit of its own."""
    before = session.run
    if before.step == step.name and before.visit() == visit:
        after = resting(before, Status.ACTIVE, "", "")
    else:
        after = entered(_as_then(session, step.name, visit), step.name)
    session.workflow.rewound(after)
    session.commit(after, events.run_edited(before, "rewind", [said]), events.run_advanced(before, after, "rewind"))
    documents.save(session)
    session.append()


def _as_then(session: Session, step: str, visit: int) -> Run:
    for event in reversed(session.opened.events):
        state = event.get("state")
        if state and state["step"] == step and state["visits"].get(step) == visit:
            members = {name: value for name, value in state.items() if name != "step"}
            then: Run = restored(type(session.run), step, {**members, "visits": dict(session.run.visits)})
            return then
    raise UsageError(f"the journal of {session.opened.run} does not say how {step} was entered")
