"""What the engine finds out itself: commands it runs, files it reads, a commit it makes, a
decision in code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from podium.agents.environment import MARK
from podium.agents.protocol import Finished
from podium.core import events
from podium.core.digest import MISSING, digest
from podium.core.effects import DELIVERED, Check, Commit
from podium.core.errors import Halted
from podium.core.verdict import Judgement
from podium.core.workflow import Step
from podium.engine import net_changes, proof_record, waivers
from podium.engine.checkout import in_checkout, refusal
from podium.engine.gates import Rest
from podium.engine.git.git import GitFailed
from podium.engine.git.person import await_lock, last_words
from podium.engine.landed import checkpoint, landed_of
from podium.engine.landings import Work, judgement_of
from podium.engine.portions import theirs
from podium.engine.proof import Subject, last_lines, prove, recorded
from podium.engine.session import Session
from podium.engine.step_files import StepFiles
from podium.engine.surveying import below, read_by, survey
from podium.engine.workspace import trailers_of
from podium.proof.delivery import as_text, delivery_of
from podium.proof.evidence import holds
from podium.verify.commands import names_program

Evidence = Mapping[str, Any]
_TICKS = re.compile(r"`+").findall


async def perform_check(session: Session, step: Step, key: str, check: Check) -> Judgement | Rest:
    record = session.history.steps.get(key)
    if record is not None and record.state == "finished":
        session.append(events.step_reused(key))
        return judgement_of(record)
    if (held := waivers.pending(session, key)) is not None:
        return held
    paths = read_by(session, check)
    inputs = {path: session.digest(path) for path in paths}
    session.pending.append(events.step_started(key, step.name, check.kind, "", 1, inputs))
    if not check.only_decides(session.run):
        # if it dies halfway, recovery must know that it began and look at what it left
        session.append()
    found = in_checkout(session, check)
    commit = check.commit(session.run) if check.commit is not None else None
    if commit is not None:
        found.append(_committed(session, key, commit))
    judgement = refusal(found)
    if judgement is None:
        found += observed(session, check)
        found += await _effects(session, key, check)
        evidence = await _commands(session, key, check)
        if (asked := waivers.ask(session, step.name, key, evidence)) is not None:
            return asked
        found += evidence
        judgement = _decided(session, check, paths, found)
    if judgement.contradictions:
        session.pending.append(events.verdict_contradicted(key, judgement.contradictions))
    found = [each for each in found if not each.get("private")]
    made = {path: digest(text) for path, text in judgement.writes.items()}
    session.pending.append(
        events.step_finished(
            key,
            judgement.outcome,
            judgement.word,
            outputs=made,
            evidence=found,
            usage={"tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0, "seconds": 0.0},
            assurance={},
            classification=judgement.classification,
            reason=judgement.reason,
            sets=judgement.sets,
            stop=judgement.stop,
            facts=judgement.facts,
            before={path: session.digest(path) for path in made},
        )
    )
    for path, text in judgement.writes.items():
        StepFiles(session, key, 0).keep(path, text)
    if made:
        new = any(session.digest(path) == MISSING for path in made)
        session.landing = Work(
            key, made, judgement.writes, dear=new
        )  # a new file that is not synced is empty after a power cut
    return judgement


def _decided(
    session: Session, check: Check, paths: Sequence[str], found: Sequence[Evidence]
) -> Judgement:
    if check.decide is not None:
        return check.decide(session.run, {path: session.text(path) for path in paths}, found)
    passed = all(map(holds, found))
    return Judgement(
        "ok" if passed else "fail",
        "pass" if passed else "fail",
        classification="pass" if passed else "fail",
    )


def observed(session: Session, check: Check) -> list[Evidence]:
    """What a check gets to know about the time and the project; none of it is recorded."""
    found: list[Evidence] = []
    if check.timed:
        found.append({"name": "clock", "now": session.services.now().isoformat()})
    if check.heads:
        found.append({"name": "head", "commit": session.services.workspace().head() or ""})
    if folders := check.looks(session.run):
        found.append(
            {"name": "below", "files": [path for each in folders for path in below(session, each)]}
        )
    if check.survey is not None:
        found += [survey(session, check.survey), {"name": "settings", **session.services.commands}]
    return [{**each, "private": True} for each in found]


def _committed(session: Session, key: str, commit: Commit) -> Evidence:
    services, root = session.services, session.folder.root_id
    message = services.redact("\n\n".join(part for part in (commit.subject, commit.body) if part))
    workspace = services.workspace()
    try:
        await_lock(workspace.git)
        brought = landed_of(session).brought
        before, texts = theirs(session, commit)
        made = workspace.commit_here(
            commit.paths,
            message,
            trailers_of(root, key),
            services.now().isoformat(),
            brought,
            before,
            texts,
        )
    except (Halted, GitFailed) as failed:
        said = last_words(failed) if isinstance(failed, GitFailed) else str(failed)
        return {"name": "git commit", "refused": f"nothing was committed: {said}"}
    mine = [path for path, text in texts.items() if text is None]
    return {
        "name": "commit",
        "commit": made or "",
        "paths": [path for path in commit.paths if path not in mine],
        **({"of": commit.of} if commit.of else {}),
        **({"left": mine} if mine else {}),
    }


async def _commands(session: Session, key: str, check: Check) -> list[Evidence]:
    """The commands that the settings name, and those that the run supplies: for these nothing that
    failed before may still fail, because they say what is to become of the project.
    """
    services = session.services
    path = services.environment.get("PATH", "")
    configured = [(name, services.commands.get(name, "")) for name in check.commands]
    configured = [(name, line) for name, line in configured if line]
    known = {line: name for name, line in services.commands.items()}
    supplied = [
        (known.get(line, f"verification-{number}"), line)
        for number, line in enumerate(check.runs(session.run), 1)
        if not check.words or names_program(line, services.project, path)
    ]
    if not configured and not supplied:
        return []
    point = checkpoint(session, key)
    subject = Subject(point, touched=frozenset(landed_of(session).brought.paths))
    home = services.views / f"{session.opened.run}/{key}~proof".replace("/", "+")
    proven = await prove(session, key, subject, configured, home)
    proven += await prove(session, key, replace(subject, compared=False), supplied, home)
    return list(recorded(session, key, proven, point.tree))


async def _effects(session: Session, key: str, check: Check) -> list[Evidence]:
    """Done in order until one fails."""
    services = session.services
    results: list[Evidence] = []
    lines = check.effects(session.run)
    told = {DELIVERED: _delivered(session, key)} if any(DELIVERED in line for line in lines) else {}
    for number, line in enumerate(lines, 1):
        name = f"effect-{number}"
        services.observer.activity(key, "command", {"name": name, "command": line})
        ended = await session.beside(_run(session, key, line, told))
        text = (ended.output + b"\n" + ended.errors).decode(errors="replace")
        StepFiles(session, key, 0).evidence(name, text)
        code = None if ended.not_started else 124 if ended.timed_out else ended.exit_code
        tail = {"output": services.redact(last_lines(text))} if code or check.tells else {}
        results.append({"name": name, "command": line, "exit": code, **tail})
        if code != 0:
            break
    return results


def _delivered(session: Session, key: str) -> str:
    """What is proven and every file of the code, as a block that nothing in it can end."""
    changes = net_changes.of_run(session, key)
    delivery = delivery_of({**proof_record.for_people(session), "changes": changes})
    lines = as_text(delivery)
    fence = "`" * max(3, 1 + max((len(run) for line in lines for run in _TICKS(line)), default=0))
    return session.services.redact("\n".join([fence, *lines, fence]))


async def _run(session: Session, key: str, line: str, told: Mapping[str, str]) -> Finished:
    services = session.services
    return await services.supervisor(session.opened.inherit)(
        ("/bin/sh", "-c", line),
        cwd=services.project,
        env={**services.environment, **told, MARK: session.marker(key)},
        timeout_s=services.timeout_s,
    )
