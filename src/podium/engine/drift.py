"""Good work that cannot land, because a person changed the same files while it was made.

Nothing of theirs is overwritten: the work is kept, and a gate asks whether it replaces their
version, of which a copy is kept, or whether the step is done again on top of what they wrote.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from podium.core import events
from podium.core.digest import MISSING
from podium.core.records import GateRecord, StepRecord
from podium.core.verdict import Judgement
from podium.engine import gates, landings, proof_record
from podium.engine.attempts import carrying
from podium.engine.attempts import view as views
from podium.engine.gates import Rest
from podium.engine.landings import Work
from podium.engine.session import Session
from podium.engine.step_files import StepFiles
from podium.state.disk import ensure_folder
from podium.state.inside import write_inside
from podium.state.regular import read_regular

TAKE, REDO = "take", "redo"


def hold(session: Session, work: Work) -> Rest:
    """Keep the work of a step just recorded out of the project, and ask; all of it in one write."""
    files = StepFiles(session, work.key, 0)
    for path, text in work.texts.items():
        files.keep(path, text)  # now, because the view in which it was made is removed
    carrying.forget(
        session, work.key
    )  # an earlier attempt's work must not be put over a person's version
    session.pending.append(events.step_held(work.key, work.conflicts))
    rest = _ask(session, work)
    if work.view is not None:
        session.services.scribe.do(partial(views.close_view, session, work.view))
    return rest


def hold_again(session: Session, key: str, paths: Sequence[str], work: Work | None = None) -> Rest:
    """The same for a step whose end was recorded earlier: somebody changed its files before its
    work could land.
    """
    record = session.history.steps[key]
    drifted = [
        events.document_drifted(path, record.outputs.get(path, MISSING), session.digest(path))
        for path in paths
    ]
    session.pending += drifted
    texts, view = (work.texts, work.view) if work is not None else ({}, None)
    return hold(
        session, Work(key, record.outputs, texts, record.commit, record.base, tuple(paths), view)
    )


def decided(session: Session, key: str) -> Judgement | Rest | None:
    """What became of a step's kept work; None if there is none, or if the step is to be done
    again.
    """
    record = session.history.steps.get(key)
    if record is None or not record.held:
        return None
    gate = _gate(session, record)
    if gate is None or gate.void:
        return _ask(session, _work(session, record))
    if gate.decision == REDO:
        carrying.forget(session, key)
        session.append(
            events.step_stale(key, [f"{path} changed in your checkout" for path in gate.subject])
        )
        return None
    return _take(session, record, gate)


def _gate(session: Session, record: StepRecord) -> GateRecord | None:
    """The gate about this work, not one of an earlier dispatch of the step and not one about
    protected files.
    """
    found = (
        each
        for each in session.history.gates.values()
        if each.key.startswith(f"{record.key}/drift-")
    )
    asked = [each for each in found if REDO in each.choices and each.opening > record.ending]
    return asked[-1] if asked else None


def _work(session: Session, record: StepRecord) -> Work:
    """The kept work with the files that are in its way now."""
    paths = (
        landings.in_the_way(session, record.commit, record.base) if record.outcome != "fail" else ()
    )
    paths = landings.a_persons(session, record.key, paths)
    paths += tuple(
        path
        for path in record.before
        if session.digest(path) not in {record.outputs[path], record.before[path]}
    )
    known = _gate(session, record)
    # Documents that were in the way when the step was recorded: `before` has the person's digest,
    # so they look unchanged.
    paths += tuple(path for path in (known.subject if known else ()) if path in record.before)
    return Work(
        record.key, record.outputs, {}, record.commit, record.base, tuple(dict.fromkeys(paths))
    )


def _take(session: Session, record: StepRecord, gate: GateRecord) -> Judgement | Rest:
    work = _work(session, record)
    other = [
        path for path in work.conflicts if session.digest(path) != gate.decided_subject.get(path)
    ]
    if other:  # the person decided about other content than is there now
        return _ask_again(session, work, gate, [f"{path} changed" for path in other])
    texts = {}
    for path in record.before:
        data = landings.kept(session, record.key, path, record.outputs[path])
        if data is None:
            return _ask_again(session, work, gate, [landings.DAMAGED], takes=False)
        texts[path] = data.decode()
    _keep_theirs(session, gate.key, work.conflicts)
    if not _brought(session, record, gate):
        return _ask_again(
            session, work, gate, ["it cannot be put over what is there now"], takes=False
        )
    session.landing = Work(record.key, record.outputs, texts, record.commit, record.base)
    return landings.judgement_of(record)


def _brought(session: Session, record: StepRecord, gate: GateRecord) -> bool:
    """Record the work as it goes into the project; False if it cannot."""
    if record.commit and record.outcome != "fail":
        return landings.merged(session, record, tuple(gate.subject))
    before = {path: session.digest(path) for path in record.before}
    session.append(
        events.step_merged(
            record.key, "", "", record.outputs, over=tuple(gate.subject), before=before
        )
    )
    return True


def _ask_again(
    session: Session, work: Work, gate: GateRecord, because: Sequence[str], *, takes: bool = True
) -> Rest:
    session.pending.append(events.gate_stale(gate.key, because))
    return _ask(session, work, gate.key, takes=takes)


def _ask(session: Session, work: Work, key: str = "", *, takes: bool = True) -> Rest:
    """`key`: the gate to ask again; `takes`: whether the work can still be taken."""
    takes = takes and _can_be_taken(session, work)
    number = 1 + sum(each.startswith(f"{work.key}/drift-") for each in session.history.gates)
    gate = key or f"{work.key}/drift-{number}"
    where = os.path.relpath(_keep_its(session, work, gate), session.services.project)
    ways = [f"{TAKE}: the step's version replaces yours; a copy of yours is kept."] if takes else []
    ways.append(f"{REDO}: your version stays, and {work.key} runs again on top of it.")
    what = (
        f"{', '.join(work.conflicts)} changed in your checkout while {work.key} was working on it."
    )
    prompt = "\n".join(
        [what, f"Nothing of yours was overwritten; the step's version is in {where}.", *ways]
    )
    subject = {path: session.digest(path) for path in work.conflicts}
    step, choices = session.history.steps[work.key].step, [TAKE, REDO] if takes else [REDO]
    shown = proof_record.for_people(session)
    gates.opened(session, gate, step, "drift", prompt, choices, subject, **shown)
    return Rest(what, "drift", (gate,))


def _can_be_taken(session: Session, work: Work) -> bool:
    if not work.commit:
        return True
    made = landings.brought_over(session, work.key, work.commit, work.base, work.conflicts)
    return made is not None and not landings.in_the_way(session, made[0], made[1].commit)


def _keep_its(session: Session, work: Work, gate: str) -> Path:
    """Copies of the step's version of the files, for people to look at; the work itself is kept
    elsewhere.
    """
    home = session.folder.steps(work.key) / gate.rpartition("/")[2]
    ensure_folder(home)
    for path in work.conflicts:
        data = landings.kept(session, work.key, path, work.outputs.get(path, MISSING))
        if data is None and work.commit:
            workspace = session.services.workspace()
            data = workspace.content(workspace.checkpoint_of(work.commit).tree, path)
        if data is not None:
            write_inside(home, path, data, 0o644)
    return home


def _keep_theirs(session: Session, gate: str, paths: Sequence[str]) -> None:
    """Keep a person's version before it is replaced."""
    number = gate.rpartition("-")[2]
    home = session.folder.steps(gate.rpartition("/")[0]) / f"yours-{number}"
    for path in paths:
        data = read_regular(session.place(path))
        if data is not None:
            ensure_folder(home)
            write_inside(home, path, data, 0o644)
