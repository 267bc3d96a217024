"""The end of a run: whether its code is proven as it is now, and what the end is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core import events
from podium.core.advance import advance, ending
from podium.core.run import DONE, Run
from podium.core.verdict import Judgement
from podium.engine import net_changes, preflight, proof_record
from podium.engine.landed import checkpoint, landed_below, landed_of
from podium.engine.proof import Subject, prove, recorded
from podium.engine.session import Session
from podium.project.kinds import kind_of
from podium.proof.evidence import from_json, holds
from podium.proof.sentences import line_of, proof_of

UNPROVEN = "complete_unproven"
Record = Mapping[str, Any]


def would_complete(session: Session, judgement: Judgement) -> bool:
    """Whether this result ends the root run."""
    if session.prefix:
        return False
    after = advance(session.workflow, session.run, judgement.route, judgement.sets)
    return after.step == DONE


async def prove_now(session: Session, key: str) -> str:
    """Run what does not speak for the code as it is now; what fails, or nothing.

    A command ran on the code as it was then: since then work done side by side may have come
    together, other steps may have landed, and a person may have edited it.
    """
    commands = preflight.names(session)
    if not landed_of(session).brought.paths:
        return ""
    if not commands:
        return _without_commands(session)
    now = checkpoint(session, key)
    latest = {str(record["name"]): record for record in proof_record.records(session)}
    missing = [
        (name, line)
        for name, line in commands
        if name not in session.history.waived
        and not _speaks_for(session, latest.get(name), line, now.tree)
    ]
    if missing:
        subject = Subject(now, touched=frozenset(landed_of(session).brought.paths))
        home = session.services.views / f"{session.opened.run}+now"
        proven = await prove(session, key, subject, missing, home)
        records = recorded(session, key, proven, now.tree)
        session.append(events.proof_checked(key, records))
        latest |= {str(record["name"]): record for record in records}
    failing = [latest[name] for name, _ in commands if name in latest and not holds(latest[name])]
    return "; ".join(map(line_of, failing))


def _without_commands(session: Session) -> str:
    """Why code that no command judged does not count as proven; "" if it need not be."""
    made = landed_of(session).brought.paths
    wanted = session.services.requires_proof and session.workflow.proven_by(session.run)
    if not wanted or proof_record.records(session) or {*map(kind_of, made)} <= {"document", "text"}:
        return ""
    return (
        'no command judged it; set [commands] test = "…" in podium.toml, or go on unproven with '
        f"`podium resume {session.folder.root_id} --set proof=none`"
    )


def _speaks_for(session: Session, record: Record | None, line: str, tree: str) -> bool:
    if record is None or record.get("command") != line:
        return False
    return record.get("tree") == tree or not _code_between(session, str(record.get("tree")), tree)


def _code_between(session: Session, old: str, new: str) -> list[str]:
    """The files that differ between two trees and could matter to a command."""
    workspace = session.services.workspace()
    documents = {path for history in proof_record.histories(session) for path in history.documents}
    documents -= set(landed_of(session).brought.paths)
    return [
        path
        for path in workspace.changed_between(old, new)
        if path not in documents and kind_of(path) != "document"
    ]


def completed(session: Session, run: Run) -> events.Fact:
    """The event that a run has ended: by what it may be called, and what that rests on."""
    latest = {(r.get("name"), r.get("command")): r for r in proof_record.records(session)}
    proof = proof_of(map(from_json, latest.values()))
    own = landed_below(session) if session.prefix else None
    changes = net_changes.of_run(session, "the end", own)
    waived = any(history.waivers for history in proof_record.histories(session))
    judged = session.services.requires_proof and proof != "none" and not waived
    outcome = ending(run) if judged and net_changes.has_code(changes) else UNPROVEN
    evidence = [proof_record.short(record) for record in latest.values()]
    return events.run_completed(run, outcome, proof, evidence=evidence, changes=changes)
