"""What the engine finds out itself: commands it runs, files it reads, a commit it makes, a decision in code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.agents.environment import MARK
from podium.core import events
from podium.core.digest import digest
from podium.core.effects import Check, Commit
from podium.core.verdict import Judgement
from podium.core.workflow import Step
from podium.engine import git_person, staleness
from podium.engine.dispatch import judgement_of
from podium.engine.landings import Work
from podium.engine.records import StepFiles
from podium.engine.session import Session
from podium.engine.surveying import survey
from podium.engine.workspace import trailers_of
from podium.verify.baseline import evidence
from podium.verify.commands import names_program, run_command

Evidence = Mapping[str, Any]


async def perform_check(session: Session, step: Step, key: str, check: Check) -> Judgement:
    record = session.history.steps.get(key)
    if record is not None and record.state == "finished":
        session.append(events.step_reused(key))
        return judgement_of(record)
    paths = list(check.reads(session.run))
    inputs = {path: session.digest(path) for path in paths}
    session.append(events.step_started(key, step.name, check.kind, "", 1, inputs))
    found: list[Evidence] = []
    found += _in_checkout(session, check)
    commit = check.commit(session.run) if check.commit is not None else None
    if commit is not None:
        found.append(_committed(session, key, commit))
    if check.timed:
        found.append({"name": "clock", "private": True, "passed": True, "now": session.services.now().isoformat()})
    if check.survey is not None:
        found.append(survey(session, check.survey))
        found.append({"name": "settings", "private": True, "passed": True, **session.services.commands})
    found += await _commands(session, key, check)
    if check.decide is not None:
        judgement = check.decide(session.run, {path: session.text(path) for path in paths}, found)
    else:
        passed = all(each["passed"] for each in found)
        judgement = Judgement("ok" if passed else "fail", "pass" if passed else "fail", classification="pass" if passed else "fail")
    if judgement.contradictions:
        session.pending.append(events.verdict_contradicted(key, judgement.contradictions))
    found = [each for each in found if not each.get("private")]
    made = {path: digest(text) for path, text in judgement.writes.items()}
    session.pending.append(
        events.step_finished(
            key, judgement.outcome, judgement.word, outputs=made, evidence=found,
            usage={"tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0, "seconds": 0.0}, assurance={},
            classification=judgement.classification, reason=judgement.reason, sets=judgement.sets, stop=judgement.stop,
            before={path: session.digest(path) for path in made},
        )
    )  # fmt: skip
    if made:
        session.landing = Work(key, made, judgement.writes)
    return judgement


def _in_checkout(session: Session, check: Check) -> list[Evidence]:
    """The acts in order, then how the checkout stands after them."""
    if check.branch is None:
        return []
    services, root = session.services, session.folder.root_id
    workspace, target = services.workspace(), check.branch(session.run)
    if workspace.kind == "plain":
        return [{"name": "checkout", "passed": True, "repository": False, "target": target}]
    found: list[Evidence] = []
    for act in check.acts(session.run):
        found.append(git_person.perform(workspace.git, act, target, root, services.now().isoformat()))
    seen = git_person.facts(workspace.git, target, root, born=workspace.head() is not None, ask_remote=not check.acts(session.run))
    return [*found, {"name": "checkout", "passed": True, **seen}]


def _committed(session: Session, key: str, commit: Commit) -> Evidence:
    services, root = session.services, session.folder.root_id
    message = services.redact("\n\n".join(part for part in (commit.subject, commit.body) if part))
    made = services.workspace().commit_here(
        commit.paths, message, trailers_of(root, key), services.now().isoformat()
    )
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
        ran = await run_command(name, command, services.project, marked, supervise, services.timeout_s)
        StepFiles(session, key, 0).evidence(name, ran.output)
        found.append({**evidence(ran, None), **_changed(before, staleness.code_inputs(session))})
    return found


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> Evidence:
    """A check that changes what it checks has not checked what is there now, and proves nothing."""
    paths = sorted(name.removeprefix("code/") for name in now if now[name] != before.get(name))
    if not paths:
        return {}
    return {"changed": paths, "passed": False, "new_failures": [f"it changed {', '.join(paths)}"]}
