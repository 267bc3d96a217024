"""What the engine finds out itself: commands it runs, files it reads, a commit it makes, a decision in code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.agents.environment import MARK
from podium.core import events
from podium.core.digest import MISSING, digest
from podium.core.effects import Check, Commit
from podium.core.errors import Halted
from podium.core.verdict import Judgement
from podium.core.workflow import Step
from podium.engine import staleness
from podium.engine.attempts.records import StepFiles
from podium.engine.checkout import in_checkout, refusal
from podium.engine.git.git import GitFailed
from podium.engine.git.person import await_lock, last_words
from podium.engine.landed import landed_of
from podium.engine.landings import Work, judgement_of
from podium.engine.session import Session
from podium.engine.surveying import below, read_by, survey
from podium.engine.workspace import trailers_of
from podium.verify.baseline import evidence
from podium.verify.commands import names_program, run_command

Evidence = Mapping[str, Any]
TAIL = 1500
"""Characters of a failed command's output that stay with its evidence; all of it is in the step's folder."""


async def perform_check(session: Session, step: Step, key: str, check: Check) -> Judgement:
    record = session.history.steps.get(key)
    if record is not None and record.state == "finished":
        session.append(events.step_reused(key))
        return judgement_of(record)
    paths = read_by(session, check)
    inputs = {path: session.digest(path) for path in paths}
    session.pending.append(events.step_started(key, step.name, check.kind, "", 1, inputs))
    if not check.only_decides(session.run):
        session.append()  # if it dies halfway, recovery must know that it began and look at what it left
    found = in_checkout(session, check)
    commit = check.commit(session.run) if check.commit is not None else None
    if commit is not None:
        found.append(_committed(session, key, commit))
    judgement = refusal(found)
    if judgement is None:
        found += observed(session, check)
        found += await _commands(session, key, check)
        judgement = _decided(session, check, paths, found)
    if judgement.contradictions:
        session.pending.append(events.verdict_contradicted(key, judgement.contradictions))
    found = [each for each in found if not each.get("private")]
    made = {path: digest(text) for path, text in judgement.writes.items()}
    session.pending.append(
        events.step_finished(
            key, judgement.outcome, judgement.word, outputs=made, evidence=found,
            usage={"tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0, "seconds": 0.0}, assurance={},
            classification=judgement.classification, reason=judgement.reason, sets=judgement.sets, stop=judgement.stop,
            facts=judgement.facts,
            before={path: session.digest(path) for path in made},
        )
    )  # fmt: skip
    for path, text in judgement.writes.items():
        StepFiles(session, key, 0).keep(path, text)
    if made:
        new = any(session.digest(path) == MISSING for path in made)
        session.landing = Work(key, made, judgement.writes, dear=new)  # a new file that is not synced is empty after a power cut
    return judgement


def _decided(session: Session, check: Check, paths: Sequence[str], found: Sequence[Evidence]) -> Judgement:
    if check.decide is not None:
        return check.decide(session.run, {path: session.text(path) for path in paths}, found)
    passed = all(each["passed"] for each in found)
    return Judgement("ok" if passed else "fail", "pass" if passed else "fail", classification="pass" if passed else "fail")


def observed(session: Session, check: Check) -> list[Evidence]:
    """What a check gets to know about the time and the project; none of it is recorded."""
    found: list[Evidence] = []
    if check.timed:
        found.append({"name": "clock", "now": session.services.now().isoformat()})
    if check.heads:
        found.append({"name": "head", "commit": session.services.workspace().head() or ""})
    if folders := check.looks(session.run):
        found.append({"name": "below", "files": [path for each in folders for path in below(session, each)]})
    if check.survey is not None:
        found += [survey(session, check.survey), {"name": "settings", **session.services.commands}]
    return [{**each, "private": True, "passed": True} for each in found]


def _committed(session: Session, key: str, commit: Commit) -> Evidence:
    services, root = session.services, session.folder.root_id
    message = services.redact("\n\n".join(part for part in (commit.subject, commit.body) if part))
    workspace = services.workspace()
    try:
        await_lock(workspace.git)
        brought = landed_of(session).brought
        made = workspace.commit_here(commit.paths, message, trailers_of(root, key), services.now().isoformat(), brought)
    except (Halted, GitFailed) as failed:
        said = last_words(failed) if isinstance(failed, GitFailed) else str(failed)
        return {"name": "git commit", "passed": False, "said": f"nothing was committed: {said}"}
    return {"name": "commit", "commit": made or "", "paths": list(commit.paths), "passed": True}


async def _commands(session: Session, key: str, check: Check) -> list[Evidence]:
    services = session.services
    named = [(name, services.commands.get(name, "")) for name in check.commands]
    named += [(f"verification-{number}", line) for number, line in enumerate(check.runs(session.run), 1)]
    supervise = services.supervisor(session.opened.inherit)
    marked = {**services.environment, MARK: session.marker(key)}
    found: list[Evidence] = []
    for name, command in named:
        if not command:
            continue
        if not names_program(command, services.project, services.environment.get("PATH", "")):
            found.append({"name": name, "command": command, "exit": None, "passed": True, "skipped": "names no program"})
            continue
        services.observer.activity(key, "command", {"name": name, "command": command})
        before = staleness.code_inputs(session)
        ran = await session.beside(run_command(name, command, services.project, marked, supervise, services.timeout_s))
        StepFiles(session, key, 0).evidence(name, ran.output)
        told: Evidence = {"output": services.redact(_tail(ran.output))} if ran.exit_code or check.tells else {}
        found.append({**evidence(ran, None), **told, **_changed(before, staleness.code_inputs(session))})
    return found


def _tail(text: str) -> str:
    """The end of a command's output, from the start of a line."""
    kept = text.strip()[-TAIL:]
    return kept if len(text.strip()) <= TAIL else kept.partition("\n")[2] or kept


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> Evidence:
    """A command that changes the files it checks proves nothing about the files that are there now."""
    paths = sorted(name.removeprefix("code/") for name in now if now[name] != before.get(name))
    if not paths:
        return {}
    return {"changed": paths, "passed": False, "new_failures": [f"it changed {', '.join(paths)}"]}
