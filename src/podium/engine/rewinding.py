"""Sets a run back to a step it has done: its own, or one of a child run, which sets the run back
to that child.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core import events, keys
from podium.core.advance import entered, resting
from podium.core.effects import Cluster, FanOut
from podium.core.errors import UsageError
from podium.core.history import History
from podium.core.run import Run, Status, restored
from podium.core.workflow import Step, Workflow
from podium.engine import documents, staleness
from podium.engine.runs import looked_at, open_session
from podium.engine.services import Services
from podium.engine.session import Session
from podium.state import run_folder


@dataclass(frozen=True)
class _Back:
    """How far a run is set back."""

    found: list[staleness.Stale]
    """What stands from there on: first the step that is done again, last the earlier rounds that
    go with it.
    """
    since: int
    """seq: whatever ended then or later is undone."""
    round: str = ""
    """The key of an earlier round of that step, if the person meant that one and all of it goes."""


def rewind(
    services: Services, workflow: Workflow, run: str, to: str, *, restore_code: bool, by: str
) -> list[str]:
    """Mark a step and everything after it stale; they run again."""
    _refuse_unknown(looked_at(services, workflow, run), to)
    session, _ = open_session(services, workflow, run)
    try:
        child = _child(session, to)
        if child:
            return _rewind_child(session, child, to, restore_code=restore_code, by=by)
        return _rewind(session, _from(session, to), restore_code=restore_code, by=by)
    finally:
        services.journal.close(session.opened)


def _refuse_unknown(session: Session, to: str) -> None:
    """UsageError if there is no such step, before the run is owned: a refusal writes nothing,
    not even into the lock.
    """
    child = _child(session, to)
    if not child:
        _from(session, to)
        return
    run = f"{session.folder.root_id}/{child}"
    step = _parent_step(session, str(session.services.journal.read(run)[0]["workflow"]), child)
    assert isinstance(step.effect, FanOut)
    _within(looked_at(session.services, step.effect.workflow(), run, child), child, to)


def _rewind(session: Session, back: _Back, *, restore_code: bool, by: str) -> list[str]:
    found = back.found
    if restore_code:
        _restore(session, back.since)
    session.pending.append(
        events.run_edited(session.run, "rewind", [f"rewound to {found[0].key} by {by}"])
    )
    staleness.set_back(session, found, "rewind", back.round)
    documents.save(session)
    session.append()
    return [each.key for each in found]


def _from(session: Session, to: str) -> _Back:
    lineage = session.history.lineage
    for at in reversed(range(len(lineage))):
        if _meant(session, to, lineage[at]):
            first = at
            while first and _beside(session, to, lineage[first - 1]):
                first -= 1
            return _back(session, first, _ending(session, lineage[first]))
    # That round has been done again since: go back to what stands of that step, and everything
    # after it.
    meant = [record for key, record in session.history.steps.items() if _meant(session, to, key)]
    for at, key in enumerate(lineage):
        if _stale(session, key).step in {each.step for each in meant}:
            here = [
                each
                for each in meant
                if each.state == "finished" and each.ending > _before(session, at)
            ]
            if not here:
                return _back(session, at, _ending(session, key))
            return _back(session, at, min(each.ending for each in here), here[0].key)
    # A step that did not finish, in which the run is blocked, can be taken up again too.
    for key in reversed(session.history.steps):
        record = session.history.steps[key]
        if keys.names(to, key) and record.step == session.run.step:
            since = max(_before(session, len(lineage)) + 1, record.ending)
            return _Back([staleness.Stale(key, record.step, ("rewound",), gate=False)], since)
    known = [
        *lineage,
        *(key for key, each in session.history.steps.items() if each.step == session.run.step),
        *_below(session),
    ]
    raise UsageError(
        f"{to!r} is not a step that this run has taken; it took: "
        f"{', '.join(dict.fromkeys(known)) or 'none yet'}"
    )


def _back(session: Session, at: int, since: int, meant: str = "") -> _Back:
    """From that place of the lineage on, together with rounds that ended since and were done again.

    A step that does the parts of a wave one after the other treats them as one round: those come
    first.
    """
    history = session.history
    since = max(since, _before(session, at) + 1)
    standing = history.lineage[at:]
    done = [
        each
        for each in history.steps.values()
        if each.state == "finished" and each.key not in history.lineage
    ]
    passed = [
        each.key for each in sorted(done, key=lambda each: each.ending) if each.ending >= since
    ]
    first = bool(meant) and _clustered(session, meant)
    gone = [*passed, *standing] if first else [*standing, *passed]
    return _Back([_stale(session, each) for each in gone], since, "" if first else meant)


def _ending(session: Session, key: str) -> int:
    gate = session.history.gates.get(key)
    return gate.deciding if gate else session.history.steps[key].ending


def _before(session: Session, at: int) -> int:
    """Seq at which the entry before that place ended."""
    return _ending(session, session.history.lineage[at - 1]) if at else 0


def _meant(session: Session, to: str, key: str) -> bool:
    """Whether what a person typed names this step, or the cluster to which it belongs."""
    return keys.names(to, key) or _beside(session, to, key)


def _beside(session: Session, to: str, key: str) -> bool:
    return _clustered(session, key) and keys.names(to, key.rpartition("/")[0])


def _clustered(session: Session, key: str) -> bool:
    record = session.history.steps.get(key)
    step = session.workflow.steps.get(record.step) if record else None
    return step is not None and isinstance(step.effect, Cluster)


def _stale(session: Session, key: str) -> staleness.Stale:
    gate = session.history.gates.get(key)
    step = gate.step if gate else session.history.steps[key].step
    return staleness.Stale(key, step, ("rewound",), gate=gate is not None)


# -- code


def _restore(session: Session, since: int) -> None:
    """Undo what every step since then brought into the project, the last one first."""
    workspace = session.services.workspace()
    for work in reversed([each for each in _work(session) if each["seq"] >= since]):
        done = workspace.restore(
            list(work["outputs"]), workspace.checkpoint_of(work["base"]), work["commit"]
        )
        record = session.history.steps[work["key"]]
        if record.state != "finished" or record.commit != work["commit"]:
            continue  # code of a step that was set back earlier may already have been undone
        for each in done.conflicts:  # a person has edited it since: it stays, and is reported
            now = session.digest(each.path)
            session.pending.append(
                events.document_drifted(each.path, work["outputs"][each.path], now)
            )


def _work(session: Session) -> list[dict[str, Any]]:
    """Code as it arrived, in order: a step done several times under one key brought some each
    time.
    """
    arrived: list[dict[str, Any]] = []
    held: dict[str, dict[str, Any]] = {}
    """Finished, but kept out by a person's edit; it arrives when it is merged with that."""
    for event in session.opened.events:
        key = event.get("key", "")
        match event["type"]:
            case "step.finished":
                held.pop(key, None)
                arrived += [dict(event)] if event.get("commit") else []
            case "step.held" if (last := _last_of(arrived, key)) is not None:
                held[key] = arrived.pop(last)
            case "step.conflicted" if (last := _last_of(arrived, key)) is not None:
                del arrived[last]
            case "step.merged" if key in held:
                arrived.append(held.pop(key) | {name: event[name] for name in (*_MERGED, "seq")})
            case "step.merged" if (last := _last_of(arrived, key)) is not None:
                arrived[last] |= {name: event[name] for name in _MERGED}
    return arrived


_MERGED = ("commit", "base", "outputs")
"""What a merge replaces in the record of a step's work."""


def _last_of(work: Sequence[Mapping[str, Any]], key: str) -> int | None:
    return next((at for at in reversed(range(len(work))) if work[at]["key"] == key), None)


# -- child runs


def _children(session: Session) -> Iterator[tuple[str, History]]:
    services, root = session.services, session.folder.root_id
    for each in run_folder.family(services.project, root)[1:]:
        yield each.partition("/")[2], History(services.journal.read(each))


def _below(session: Session) -> list[str]:
    """Child runs and the steps they have done, as a person can name them."""
    return [key for child, history in _children(session) for key in (child, *history.lineage)]


def _child(session: Session, to: str) -> str:
    """The key of the child run that a person named, or that has done this step; "" if there is
    none.
    """
    for child, history in reversed(list(_children(session))):
        if keys.names(to, child) or any(
            keys.names(to, key) for key in (*history.steps, *history.gates)
        ):
            return child
    return ""


def _whole(session: Session) -> _Back:
    """A child run from its first step on."""
    history = session.history
    if history.lineage:
        first = next(
            (
                key
                for key, each in history.steps.items()
                if each.step == _stale(session, history.lineage[0]).step
            ),
            "",
        )
        return _back(session, 0, 1, first if first not in history.lineage else "")
    begun = next(
        reversed([key for key, each in history.steps.items() if each.step == session.run.step]), ""
    )
    if not begun:
        raise UsageError(f"{session.prefix} has done nothing yet")
    return _Back([_stale(session, begun)], 1)


def _within(below: Session, child: str, to: str) -> _Back:
    return _whole(below) if keys.names(to, child) else _from(below, to)


def _rewind_child(
    session: Session, child: str, to: str, *, restore_code: bool, by: str
) -> list[str]:
    """Children go first: if this is repeated after a crash in between, it finds them as they are
    and moves the parent there.
    """
    with _opened(session, child) as (_, below):
        back = _within(below, child, to)
    downstream: list[str] = []
    for each in _dependents(session, child):  # latest first, because its code is on top
        with _opened(session, each) as (_, below):
            downstream += _rewind(below, _whole(below), restore_code=restore_code, by=by)
    with _opened(session, child) as (step, below):
        found = _rewind(below, back, restore_code=restore_code, by=by)
        visit = int(below.opened.events[0].get("visit", 1))
    return [
        *found,
        *downstream,
        *_back_to_child(session, step, visit, f"rewound to {found[0]} by {by}"),
    ]


@contextlib.contextmanager
def _opened(session: Session, child: str) -> Iterator[tuple[Step, Session]]:
    """A child run, and the step of its parent that drives it."""
    services = session.services
    opened = services.journal.open(f"{session.folder.root_id}/{child}", "parent")
    try:
        step = _parent_step(session, str(opened.events[0]["workflow"]), child)
        assert isinstance(step.effect, FanOut)
        below = Session(services, step.effect.workflow(), opened, prefix=child)
        below.reload()
        yield step, below
    finally:
        services.journal.close(opened)


def _dependents(session: Session, child: str) -> list[str]:
    """Child runs whose work depends on this one's, each in its latest round; the one that began
    last comes first.
    """
    found: dict[str, tuple[int, str]] = {}
    begun = {key: history for key, history in _children(session) if history.steps}
    for name in session.workflow.dependents(session.run, child, session.text):
        runs = [
            key
            for key in begun
            if key == name or (key.rpartition("/")[0] == name and key.rpartition("/")[2].isdigit())
        ]
        if runs:
            latest = max(runs, key=lambda key: begun[key].visit)
            found[name] = begun[latest].visit, latest
    return [key for _, key in sorted(found.values(), reverse=True)]


def _parent_step(session: Session, name: str, child: str) -> Step:
    for step in session.workflow.steps.values():
        if isinstance(step.effect, FanOut) and step.effect.workflow().name == name:
            return step
    raise UsageError(
        f"{child} is not a child of {session.opened.run} itself; only its own children can be "
        "rewound"
    )


def _back_to_child(session: Session, step: Step, visit: int, said: str) -> list[str]:
    """Put the run at the step that drives the child, as it was when the child began, in a visit of
    its own.

    What the run did after that child is undone; returns the keys of it.
    """
    before = session.run
    state, since = _as_then(session, step.name, visit)
    if before.step == step.name and before.visit() == visit:
        after = resting(before, Status.ACTIVE, "", "")
    else:
        then: Run = restored(type(before), step.name, {**state, "visits": dict(before.visits)})
        after = entered(then, step.name)
    session.workflow.rewound(after)
    history = session.history
    later = [
        each.key
        for each in history.steps.values()
        if each.state == "finished" and each.ending > since
    ]
    later += [
        key for key in history.lineage if key in history.gates and _ending(session, key) > since
    ]
    gates, steps = staleness.marks([_stale(session, key) for key in later])
    edited, advanced = (
        events.run_edited(before, "rewind", [said]),
        events.run_advanced(before, after, "rewind"),
    )
    session.commit(after, edited, *gates, advanced, *steps)
    documents.save(session)
    session.append()
    return later


def _as_then(session: Session, step: str, visit: int) -> tuple[dict[str, Any], int]:
    """The members of the run when it entered that step, and the seq of that."""
    for event in reversed(session.opened.events):
        state = event.get("state")
        if state and state["step"] == step and state["visits"].get(step) == visit:
            return {name: value for name, value in state.items() if name != "step"}, int(
                event["seq"]
            )
    raise UsageError(f"the journal of {session.opened.run} does not say how {step} was entered")
