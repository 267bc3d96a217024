"""The documents that people read: written, read back and checked; and people's edits to them,
taken into the run.
"""

from __future__ import annotations

import contextlib
import os

from podium.core import events
from podium.core.advance import blocked
from podium.core.digest import digest
from podium.core.effects import Gate
from podium.core.errors import Halted, InputError
from podium.core.run import Run, Status
from podium.core.workflow import Projection
from podium.engine import staleness
from podium.engine.attempts.hearing import plain
from podium.engine.guarding import announced, expected
from podium.engine.session import Session
from podium.state.disk import DISK_FAILURES, ensure_folder

UNREADABLE = "does not read back as written"


def projections(session: Session, run: Run | None = None) -> list[Projection]:
    services = session.services
    return list(session.workflow.projections(run or session.run, session.history, services.today()))


def save(session: Session, *, only_own: bool = False) -> None:
    """Write every document as the run stands now; a write counts only if the file reads back as
    written.

    `only_own`: skip a document that has changed since this run last wrote it, because a later run
    may own it.
    """
    for document in projections(session):
        if not only_own or _own(session, document):
            _save(session, document)


def _own(session: Session, document: Projection) -> bool:
    return document.grows or session.digest(document.path) == session.history.documents.get(
        document.path
    )


def owed(session: Session) -> bool:
    """Whether a document that is still this run's own does not yet say where the run stands."""
    return any(
        _rendered(session, each) != session.text(each.path)
        for each in projections(session)
        if _own(session, each)
    )


def _rendered(session: Session, document: Projection) -> str:
    template = session.text(document.template) if document.template else ""
    return plain(
        document.render(session.text(document.path), template or "")
    )  # a file's name may not be valid text


def _save(session: Session, document: Projection) -> None:
    before = session.text(document.path)
    if document.shared and document.needed and not (before or "").strip():
        return  # people's own document: if it is gone, the program does not invent one
    if (
        not (before or "").strip()
        and not document.needed
        and (was := _last_written(session, document.path))
    ):
        session.pending.append(
            events.document_drifted(document.path, was, session.digest(document.path))
        )
    text = _rendered(session, document)
    if text != before:
        faults = _written(session, document, text) and _written(session, document, text)
        if faults:
            _refuse(
                session,
                session.run.step,
                document.path,
                "unreadable" if faults == UNREADABLE else "missing",
                faults,
            )
            raise Halted(session.workflow.documents_missing(f"{document.path}: {faults}"))
    now = digest(text)
    if session.history.documents.get(document.path) != now:
        session.pending = [
            each
            for each in session.pending
            if not (each["type"] == "document.saved" and each["path"] == document.path)
        ]
        session.pending.append(events.document_saved(document.path, now))


def _written(session: Session, document: Projection, text: str) -> str:
    """Write, read back, compare, check the structure; returns what is wrong, in words. The
    caller tries once more.
    """
    where = session.place(document.path)
    try:
        ensure_folder(where.parent)
        announced(session, where, text.encode())
        # After a power cut a new file that was not synced is empty; an existing one stays until its
        # replacement is complete.
        session.services.disk.save(
            where, text.encode(), sync=not os.path.lexists(where), via=session.cache
        )
        expected(session, where)  # an agent of another child run may be working
        found = where.read_bytes().decode()
    except OSError as fault:
        if fault.errno in DISK_FAILURES:
            raise  # the document is not at fault, and nothing could be recorded about it
        return f"cannot be written: {fault.strerror}"
    if found != text:
        return UNREADABLE
    return "; ".join(document.check(found)) or ("is empty" if not found.strip() else "")


def save_what_can_be(session: Session, *, only_own: bool = False) -> list[str]:
    """At a halt or an end: write the documents that can still be written, so that they say so;
    returns what is wrong with the others.
    """
    wrong = []
    for document in projections(session):
        if only_own and not _own(session, document):
            continue
        try:
            _save(session, document)
        except Halted:
            wrong.append(f"{document.path} could not be written and does not say how the run ended")
        except InputError as fault:
            wrong.append(str(fault))
    # Documents that could not be written were reported when the run halted.
    session.pending = [each for each in session.pending if each["type"] != "artifact.rejected"]
    session.append()
    return wrong


def begin(session: Session) -> None:
    """Set aside the documents of an earlier, ended run, because a new run writes its own.
    Nothing is lost.
    """
    for document in projections(session):
        where = session.place(document.path)
        if not document.shared and os.path.lexists(where):
            aside = session.folder.path / "before" / document.path
            ensure_folder(aside.parent)
            os.rename(where, aside)


def missing(session: Session) -> list[str]:
    """Documents that this run wrote and that are now gone or empty. They are not written again."""
    return [
        each.path
        for each in projections(session)
        if each.needed
        and each.path in session.history.documents
        and not (session.text(each.path) or "").strip()
    ]


def take_back(session: Session) -> str:
    """Obey what a person changed in a document since the program wrote it.

    Returns "" if nothing changed, "blocked" if the change breaks a rule and stopped the run,
    otherwise "edited". The document is written again at once, so that one edit is read only once.
    """
    found = ""
    for document in projections(session):
        text = session.text(document.path)
        if document.read_back is None or text is None or not text.strip():
            continue
        if digest(text) == _last_written(session, document.path):
            continue
        after, changes = document.read_back(text, session.changed_run())
        if not changes:  # our own text: the process died between writing and recording it
            session.pending.append(events.document_saved(document.path, digest(text)))
        else:
            was, moved = session.run.status, after.step != session.run.step
            at = session.workflow.steps.get(after.step)
            if at is not None and not isinstance(
                at.effect, Gate
            ):  # moving to a gate does not leave the path of the run
                staleness.forget_visit(session, session.run.step, after)
            gates, steps = staleness.marks(staleness.behind(session, after.step) if moved else ())
            refused = (
                after.status is Status.BLOCKED
                and after.stop in {"lifecycle", "person"}
                and was is not Status.BLOCKED
            )
            key = session.key(session.workflow.steps[after.step]) if refused else ""
            stopped = [events.run_blocked(after, after.reason, key)] if refused else []
            session.commit(
                after, *gates, events.run_edited(after, document.path, changes), *steps, *stopped
            )
            found = "blocked" if refused else "edited"
    if found:
        save(session)
        session.append()
    return found


def recognise(session: Session) -> None:
    """Record documents that this run wrote just before it died; once the run has moved on, they
    would look like edits.
    """
    for document in projections(session):
        text = session.text(document.path)
        if (
            document.read_back is None
            or not (text or "").strip()
            or digest(text or "") == _last_written(session, document.path)
        ):
            continue
        with contextlib.suppress(InputError):  # a person's edit; `take_back` will refuse it
            if not document.read_back(text or "", session.changed_run())[1]:
                session.pending.append(events.document_saved(document.path, digest(text or "")))


def _last_written(session: Session, path: str) -> str | None:
    for fact in reversed(session.pending):
        if fact["type"] == "document.saved" and fact["path"] == path:
            return str(fact["digest"])
    return session.history.documents.get(path)


def checkpoint(session: Session, key: str) -> bool:
    """Refuse to dispatch while a document is missing; the run halts with the workflow's own
    words.
    """
    gone = missing(session)
    if not gone:
        return True
    for path in gone:
        empty = session.text(path) is not None
        what = "the file holds nothing" if empty else "the file does not exist"
        _refuse(session, key, path, "empty" if empty else "missing", what)
    words = session.workflow.documents_missing(", ".join(gone))
    session.block(blocked(session.run, words, "documents"), key)
    return False


def _refuse(session: Session, key: str, path: str, failure: str, detail: str) -> None:
    """Record which document it was and what is wrong with it, since the workflow's own words for
    this are fixed.
    """
    session.pending.append(events.artifact_rejected(key, path, failure, detail, 1))
