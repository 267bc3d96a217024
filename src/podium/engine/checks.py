"""What the engine finds out itself: commands it runs, files it reads, a decision in code."""

from __future__ import annotations

from podium.agents.environment import MARK
from podium.core import events
from podium.core.effects import Check
from podium.core.verdict import Judgement
from podium.core.workflow import Step
from podium.engine.dispatch import judgement_of
from podium.engine.session import Session
from podium.verify.baseline import evidence
from podium.verify.commands import run_command


async def perform_check(session: Session, step: Step, key: str, check: Check) -> Judgement:
    record = session.history.steps.get(key)
    if record is not None and record.state == "finished":
        session.append(events.step_reused(key))
        return judgement_of(record)
    paths = list(check.reads(session.run))
    inputs = {path: session.digest(path) for path in paths}
    session.append(events.step_started(key, step.name, check.kind, "", 1, inputs))
    services = session.services
    supervise = services.supervisor(session.opened.inherit)
    found = []
    for name in check.commands:
        if command := services.commands.get(name, ""):
            marked = {**services.environment, MARK: session.marker(key)}
            ran = await run_command(name, command, services.project, marked, supervise, services.timeout_s)
            found.append(evidence(ran, None))
    if check.decide is not None:
        judgement = check.decide(session.run, {path: session.text(path) for path in paths}, found)
    else:
        passed = all(each["passed"] for each in found)
        judgement = Judgement("ok" if passed else "fail", "pass" if passed else "fail", classification="pass" if passed else "fail")
    session.pending.append(
        events.step_finished(
            key, judgement.outcome, judgement.word, outputs={}, evidence=found,
            usage={"tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0, "seconds": 0.0}, assurance={},
            classification=judgement.classification, reason=judgement.reason, sets=judgement.sets,
        )
    )  # fmt: skip
    return judgement
