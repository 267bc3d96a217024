"""Verified work goes into the project: recorded first, then written, and written again after a
crash.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from podium.core import events
from podium.core.digest import MISSING, digest
from podium.core.effects import Cluster
from podium.core.records import StepRecord
from podium.core.verdict import Judgement
from podium.core.workflow import Step
from podium.engine.attempts import view as views
from podium.engine.attempts.view_homes import home_of, remove
from podium.engine.guarding import announced, expected
from podium.engine.landed import landed_of
from podium.engine.session import Session
from podium.engine.step_files import StepFiles, stored_output
from podium.engine.workspace import Checkpoint, Workspace
from podium.settings.own_table import SHARED, same_table
from podium.state.disk import ensure_folder
from podium.state.regular import read_regular
from podium.state.sealing import encodable

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
    """Its files that somebody else changed while it was made."""
    view: views.View | None = None
    """Where the work was done; closed once it has arrived."""
    dear: bool = False
    """Whether it took so long that a power cut must not destroy it."""


def prepare(session: Session, key: str, result: Attempted, *, code: bool) -> Work:
    """Keep a copy of every artifact in the run's folder, and check whether the code can land.

    A stage that says it failed still delivers the document in which it says why; its code stays
    out.
    """
    files = StepFiles(session, key, 0)
    dear = result.view is not None and result.seconds > DEAR_S
    for each in result.verified:
        files.output(each.path, each.text, synced=session.services.disk if dear else None)
    outputs = {each.path: each.digest for each in result.verified}
    texts = {each.path: each.text for each in result.verified}
    stood = result.view.stood if result.view is not None else None
    conflicts = _overtaken(session, outputs, stood) if stood is not None else ()
    if not result.commit or not code:
        return Work(key, outputs, texts, "", "", conflicts, result.view, dear)
    # Work done side by side is checked when its turn comes.
    conflicts += () if session.base else in_the_way(session, result.commit, result.base)
    outputs |= result.digests
    return Work(key, outputs, texts, result.commit, result.base, conflicts, result.view, dear)


def in_the_way(session: Session, commit: str, base: str) -> tuple[str, ...]:
    """Files of the checkout that keep this code out now."""
    workspace = session.services.workspace()
    return (
        tuple(each.path for each in workspace.conflicts(commit, workspace.checkpoint_of(base)))
        if commit
        else ()
    )


def _overtaken(
    session: Session, outputs: Mapping[str, str], stood: Mapping[str, str]
) -> tuple[str, ...]:
    """Documents that somebody has overwritten since; what Podium itself wrote there does not
    count.
    """
    found = []
    for path in outputs:
        now = session.digest(path)
        if now not in {
            stood.get(path, MISSING),
            outputs[path],
            session.history.documents.get(path),
        }:
            found.append(path)
    return tuple(found)


def land(session: Session, work: Work) -> tuple[str, ...]:
    """Write it into the project. Returns the files that kept all its code out, if somebody changed
    them at the last moment.

    Afterwards every path is either old or new, and a repetition changes nothing.
    """
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
    workspace = session.services.workspace() if work.commit else None
    landed = workspace.land(work.commit, workspace.checkpoint_of(work.base)) if workspace else None
    left = tuple(each.path for each in landed.conflicts) if landed else ()
    arrived = work.texts if left else work.outputs
    if not left and work.key in session.history.steps:
        # The record was read from the journal, which spells names that are no text in its own way.
        landed_of(session).absorb(session.history.steps[work.key], encodable([*arrived]))
    session.pending += [events.document_saved(path, work.outputs[path]) for path in arrived]
    session.pending += [
        events.document_drifted(path, work.outputs[path], session.digest(path)) for path in left
    ]
    return left


def land_now(session: Session) -> tuple[str, ...]:
    """Land the work of the step that was just recorded; returns the files that kept its code
    out.
    """
    work: Work | None = session.landing
    session.landing = None
    if work is None:
        return ()
    left = land(session, work)
    if work.view is not None:
        session.services.scribe.do(partial(views.close_view, session, work.view))
    return left


def late(paths: Sequence[str]) -> str:
    """Why recorded work is done again: somebody changed its files at the last moment."""
    return f"{', '.join(paths)} changed in your checkout before its work had arrived"


def unlanded(session: Session) -> StepRecord | None:
    """The last finished step, if the journal does not say that its work arrived.

    Members of a cluster that lands in order are left to the cluster, which is performed again until
    all have arrived.
    """
    record = session.history.steps.get(session.history.last_finished)
    step = session.workflow.steps.get(record.step) if record else None
    if record is None or (step is not None and _lands_in_order(step)):
        return None
    return None if has_arrived(session, record) else record


def has_arrived(session: Session, record: StepRecord) -> bool:
    return all(
        session.history.documents.get(path) == value for path, value in record.outputs.items()
    )


async def land_in_turn(
    session: Session, key: str, work: Work | None
) -> Judgement | tuple[str, ...] | None:
    """Land one of several works made side by side; if it cannot be merged with the others, it
    fails.

    `work`: as just made; None if it is known only from the journal. A tuple: a person's files with
    which it conflicts.
    """
    record = session.history.steps[key]
    if record.conflicts:
        return _conflict(record.conflicts)
    if changed := _overtaken(
        session, {path: record.outputs[path] for path in record.before}, record.before
    ):
        return changed
    if record.commit and record.outcome != "fail":
        taken = await _carried(session, record)
        if taken and not await asyncio.to_thread(merged, session, record):
            if own := a_persons(session, key, taken):
                return own
            session.append(events.step_conflicted(key, taken))
            return _conflict(taken)
        if taken:
            await _carried(session, record)
    if work is not None:
        session.landing = replace(work, commit="", base="", outputs=record.outputs)
        land_now(session)
    elif not has_arrived(session, record) and (why := arrive(session, record)):
        return Judgement("fail", "damaged", f"{key}: {why}", stop="documents")
    return None


async def _carried(session: Session, record: StepRecord) -> tuple[str, ...]:
    """Bring the step's code into the checkout, all of it or none; returns the paths that kept it
    out.
    """
    workspace = session.services.workspace()
    landed = await asyncio.to_thread(
        workspace.land, record.commit, workspace.checkpoint_of(record.base)
    )
    return tuple(each.path for each in landed.conflicts)


def a_persons(session: Session, key: str, paths: Sequence[str]) -> tuple[str, ...]:
    """The files in a step's way that are not as a parallel step made them."""
    beside = _made_beside(session, key)
    return tuple(
        path
        for path in paths
        if all(each.outputs.get(path) != session.digest(path) for each in beside)
    )


def merged(session: Session, record: StepRecord, over: Sequence[str] = ()) -> bool:
    """Merge the step's code with what the checkout has now, and record that before it lands; False
    if they conflict.

    `over`: a person's files that it replaces, keeping what other steps had made of them.
    """
    made = brought_over(session, record.key, record.commit, record.base, over)
    if made is None:
        return False
    commit, now = made
    code = [
        path
        for path in session.services.workspace().changed_in(commit, now)
        if path not in record.before
    ]
    outputs = {path: record.outputs[path] for path in record.before if path in record.outputs}
    outputs |= session.services.workspace().digests_in(commit, code)
    before = {path: session.digest(path) for path in record.before}
    session.append(
        events.step_merged(record.key, commit, now.commit, outputs, over=over, before=before)
    )
    return True


def brought_over(
    session: Session, key: str, commit: str, base: str, over: Sequence[str] = ()
) -> tuple[str, Checkpoint] | None:
    """A step's code merged with what the checkout has now, and the checkout itself; None if they
    conflict.
    """
    services = session.services
    workspace = services.workspace()
    label, point = f"{key} over what was made beside it", workspace.checkpoint_of(base)
    beside = _made_beside(session, key) if over else []
    known = {}
    for path in set(over).intersection(workspace.changed_in(commit, point)):
        known[path] = next((each.commit for each in beside if path in each.outputs), base)
    made = workspace.merge(
        commit,
        point,
        label,
        services.now().isoformat(),
        session.folder.root_id,
        known,
        landed_of(session).brought,
    )
    if made is None:
        return None
    code, now = workspace.changed_in(*made), made[1]
    if not all(
        _same_settings(workspace, now.tree, workspace.checkpoint_of(made[0]).tree, path)
        for path in code
    ):
        return None  # lines of both sides together can form settings that neither side wrote
    return made


def _made_beside(session: Session, key: str) -> list[StepRecord]:
    """Members of the same cluster whose code landed before this one's turn, latest first; they
    began in order.
    """
    known = session.history.steps
    step = session.workflow.steps.get(known[key].step)
    if step is None or not _lands_in_order(step):
        return []
    entered = max(
        (
            each["seq"]
            for each in session.opened.events
            if each["type"] == "run.advanced" and each["to"] == step.name
        ),
        default=0,
    )
    earlier = [known[each] for each in reversed(list(known)[: list(known).index(key)])]
    beside = [each for each in earlier if each.step == step.name and each.ending > entered]
    return [
        each for each in beside if each.state == "finished" and each.commit and not each.conflicts
    ]


def _lands_in_order(step: Step) -> bool:
    return isinstance(step.effect, Cluster) and step.effect.in_order


def _same_settings(workspace: Workspace, was: str, now: str, path: str) -> bool:
    return path.rpartition("/")[2] != SHARED or same_table(
        workspace.content(was, path), workspace.content(now, path)
    )


def _conflict(paths: Sequence[str]) -> Judgement:
    reason = f"cannot be merged with parallel work: {', '.join(paths)} changed in both"
    return Judgement("fail", "conflict", reason, stop="conflict")


def kept(session: Session, key: str, path: str, wanted: str) -> bytes | None:
    """A recorded artifact, from where it was made or from its kept copy; only if the bytes are
    those that were verified.
    """
    home = home_of(session, key)
    places = [home]
    if (home / "upper").is_dir() or (home / "copy").is_dir():
        inner = session.services.workspace().prefix
        places = [home / layer / inner for layer in ("upper", "copy")]
    for where in (*(place / path for place in places), stored_output(session, key, path)):
        data = read_regular(where)
        if data is not None and digest(data) == wanted:
            return data
    return None


DAMAGED = "its kept copy is damaged"


def land_again(session: Session) -> str:
    """After a crash: land what was recorded but may not have arrived; returns why that is
    impossible, otherwise "".
    """
    record = unlanded(session)
    return arrive(session, record) if record is not None else ""


def arrive(session: Session, record: StepRecord) -> str:
    """Land a finished step's work from its kept copies; returns why that is impossible,
    otherwise "".
    """
    texts: dict[str, str] = {}
    for path, wanted in record.outputs.items():
        if path not in record.before:
            continue  # code: git has it
        if session.digest(path) == wanted:
            continue  # it has arrived; the crash came before that was recorded
        data = kept(session, record.key, path, wanted)
        if data is None:
            return DAMAGED
        # Content that is neither old nor new is a person's edit since the crash, and stays.
        if session.digest(path) == record.before.get(path, "missing"):
            texts[path] = data.decode()
    left = land(session, Work(record.key, record.outputs, texts, record.commit, record.base))
    session.append()
    if left:
        return late(left)
    remove(home_of(session, record.key))
    return ""


def judgement_of(record: StepRecord) -> Judgement:
    """What a recorded step said, without asking anyone again."""
    outcome: Any = record.outcome
    return Judgement(
        outcome,
        record.verdict,
        record.reason,
        record.classification,
        sets=record.sets,
        stop=record.stop,
        facts=record.facts,
    )
