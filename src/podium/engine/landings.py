"""Verified work goes into the project: recorded first, then written, and written again after a crash."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from podium.core import events
from podium.core.digest import digest
from podium.core.effects import Cluster
from podium.core.records import StepRecord
from podium.core.verdict import Judgement
from podium.engine.attempts import view as views
from podium.engine.attempts.records import StepFiles, stored_output
from podium.engine.attempts.view_homes import homes_of, remove
from podium.engine.guarding import announced, expected
from podium.engine.session import Session
from podium.engine.workspace import Workspace
from podium.settings.own_table import SHARED, same_table
from podium.state.disk import ensure_folder
from podium.state.regular import read_regular

if TYPE_CHECKING:
    from podium.engine.attempts.attempted import Attempted

DEAR_S = 1.0
"""Work that took longer than this is synced to disk before the journal names it."""


@dataclass(frozen=True)
class Work:
    """What one finished dispatch brings into the project."""

    key: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """Path to digest, artifacts and code alike."""
    texts: Mapping[str, str] = field(default_factory=dict)
    commit: str = ""
    base: str = ""
    conflicts: tuple[str, ...] = ()
    view: views.View | None = None
    """Where the work was done; closed once it has arrived."""
    dear: bool = False
    """Whether it took so long that no power cut may cost it."""


NOTHING = Work()


def prepare(session: Session, key: str, result: Attempted, *, code: bool) -> Work:
    """Keep a copy of every artifact in the run's folder, and look whether the code can land.

    A stage that says it failed still shows people the document in which it says why; its code stays out.
    """
    files = StepFiles(session, key, 0)
    dear = result.view is not None and result.seconds > DEAR_S
    in_memory = result.view is not None and result.view.in_memory
    for each in result.verified:
        files.output(each.path, each.text, synced=session.services.disk if dear and in_memory else None)
    if result.view is not None and dear and not in_memory:
        _sync(session, [f"{views.work_folder(result.view)}/{each.path}" for each in result.verified])
    outputs = {each.path: each.digest for each in result.verified}
    texts = {each.path: each.text for each in result.verified}
    if not result.commit or not code:
        return Work(key, outputs, texts, view=result.view, dear=dear)
    workspace = session.services.workspace()
    base = workspace.checkpoint_of(result.base)
    # Who works beside others is looked at when its turn comes.
    conflicts = () if session.base else tuple(each.path for each in workspace.conflicts(result.commit, base))
    outputs |= result.digests
    return Work(key, outputs, texts, result.commit, result.base, conflicts, result.view, dear)


def _sync(session: Session, paths: list[str]) -> None:
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            session.services.disk.sync(descriptor)
        finally:
            os.close(descriptor)


def land(session: Session, work: Work) -> None:
    """Write it into the project. Every path is old or new afterwards, and a repetition changes nothing."""
    for path, text in work.texts.items():
        where, data = f"{session.root}/{path}", text.encode()
        announced(session, where, data)
        save = partial(session.services.disk.save, where, data, sync=work.dear, via=session.cache)
        try:
            save()
        except FileNotFoundError:
            ensure_folder(os.path.dirname(where))
            save()
        expected(session, where)
    left = set()
    if work.commit:
        workspace = session.services.workspace()
        landed = workspace.land(work.commit, workspace.checkpoint_of(work.base))
        left = {each.path for each in landed.conflicts}
    session.pending += [events.document_saved(path, value) for path, value in work.outputs.items() if path not in left]
    # An edit in the moment between looking and landing: the person's file stays, and is known to differ.
    session.pending += [events.document_drifted(path, work.outputs[path], session.digest(path)) for path in sorted(left)]


def land_now(session: Session) -> None:
    """Bring in the work of the step that was just recorded."""
    work: Work | None = session.landing
    session.landing = None
    if work is not None:
        land(session, work)
        if work.view is not None:
            session.services.scribe.do(partial(views.close_view, session, work.view))


def unlanded(session: Session) -> StepRecord | None:
    """The last finished step, if the journal does not say that its work arrived.

    Members of a cluster that lands in order are left to the cluster: it is performed again until all have arrived.
    """
    record = session.history.steps.get(session.history.last_finished)
    step = session.workflow.steps.get(record.step) if record else None
    if record is None or (step is not None and isinstance(step.effect, Cluster) and step.effect.in_order):
        return None
    return None if has_arrived(session, record) else record


def has_arrived(session: Session, record: StepRecord) -> bool:
    return all(session.history.documents.get(path) == value for path, value in record.outputs.items())


async def land_in_turn(session: Session, key: str, work: Work | None) -> Judgement | None:
    """Land one of several that were made side by side; what it cannot be merged with makes it a failure.

    `work`: as just made; None where it is known from the journal only.
    """
    record = session.history.steps[key]
    if record.conflicts:
        return _conflict(record.conflicts)
    if record.commit and record.outcome != "fail":
        taken = await _carried(session, record)
        if taken and not await _merged(session, record):
            session.append(events.step_conflicted(key, taken))
            return _conflict(taken)
        if taken:
            await _carried(session, record)
    if work is not None:
        session.landing = replace(work, commit="", base="", outputs=record.outputs)
        land_now(session)
    elif not has_arrived(session, record) and not arrive(session, record):
        return Judgement("fail", "damaged", f"{key}: its kept copy is damaged", stop="documents")
    return None


async def _carried(session: Session, record: StepRecord) -> tuple[str, ...]:
    """The step's code into the checkout, all of it or none; the paths that kept it out."""
    workspace = session.services.workspace()
    landed = await asyncio.to_thread(workspace.land, record.commit, workspace.checkpoint_of(record.base))
    return tuple(each.path for each in landed.conflicts)


async def _merged(session: Session, record: StepRecord) -> bool:
    """Bring the step's code over what was made beside it, recorded before it lands; False if they clash."""
    services = session.services
    workspace = services.workspace()
    label, base = f"{record.key} over what was made beside it", workspace.checkpoint_of(record.base)
    made = await asyncio.to_thread(
        workspace.merge, record.commit, base, label, services.now().isoformat(), session.folder.root_id
    )
    if made is None:
        return False
    commit, now = made
    code = [path for path in workspace.changed_in(commit, now) if path not in record.before]
    if not all(_same_settings(workspace, now.tree, workspace.checkpoint_of(commit).tree, path) for path in code):
        return False  # what neither side wrote, lines of both can say together
    outputs = {path: record.outputs[path] for path in record.before if path in record.outputs}
    outputs |= workspace.digests_in(commit, code)
    session.append(events.step_merged(record.key, commit, now.commit, outputs))
    return True


def _same_settings(workspace: Workspace, was: str, now: str, path: str) -> bool:
    return path.rpartition("/")[2] != SHARED or same_table(workspace.content(was, path), workspace.content(now, path))


def _conflict(paths: Sequence[str]) -> Judgement:
    reason = f"cannot be merged with what was made beside it: {', '.join(paths)} changed in both"
    return Judgement("fail", "conflict", reason, stop="conflict")


def _found(session: Session, key: str, path: str, wanted: str) -> bytes | None:
    """A recorded artifact, from where it was made or from its kept copy; only the very bytes that were verified."""
    places = homes_of(session, key)
    if os.path.exists(f"{places[-1]}/.git") and (inner := session.services.workspace().prefix):
        places[-1] += f"/{inner}"
    for where in (*(f"{place}/{path}" for place in places), f"{stored_output(session, key, path)}"):
        data = read_regular(where)
        if data is not None and digest(data) == wanted:
            return data
    return None


def land_again(session: Session) -> bool:
    """After a crash: bring in what was recorded but may not have arrived; False if the copy is damaged."""
    record = unlanded(session)
    return record is None or arrive(session, record)


def arrive(session: Session, record: StepRecord) -> bool:
    """Bring in a finished step's work from what was kept of it; False if the copy is damaged."""
    texts: dict[str, str] = {}
    for path, wanted in record.outputs.items():
        if path not in record.before:
            continue  # code: git has it
        if session.digest(path) == wanted:
            continue  # it is there: only that it arrived could not be recorded
        data = _found(session, record.key, path, wanted)
        if data is None:
            return False
        # What is neither old nor new there is a person's edit since the crash, and stays.
        if session.digest(path) == record.before.get(path, "missing"):
            texts[path] = data.decode()
    land(session, Work(record.key, record.outputs, texts, record.commit, record.base))
    session.append()
    for home in homes_of(session, record.key):
        remove(home)
    return True
