"""One dispatch until it settles: try, record, decide, try again. Also the one place that
prepares its work for landing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from podium.core import events, retry
from podium.core.contract import Contract
from podium.core.digest import MISSING
from podium.core.effects import Report, Stage
from podium.core.prompt import render
from podium.core.records import StepRecord
from podium.core.verdict import Judgement
from podium.core.workflow import Step
from podium.engine import budget, drift, landings, questions, staleness, weakened
from podium.engine.attempts import briefing, models
from podium.engine.attempts.attempt import attempt
from podium.engine.attempts.attempted import Attempted
from podium.engine.calls import calls_of
from podium.engine.gates import Rest
from podium.engine.guarding import guard_of
from podium.engine.inputs import Inputs, absent
from podium.engine.inputs import read as read_inputs
from podium.engine.session import Session
from podium.engine.step_files import StepFiles

Judge = Callable[[Report], Judgement]
Settled = Judgement | Rest

STOPS: Mapping[str, str] = {
    "artifact": "verification",
    "violation": "contract",
    "validation": "validation",
    "not_dispatchable": "not_dispatchable",
}
"""Why a run stops when the retries of a class are used up; any other class means that the agent
failed.
"""
HELD = "held"
"""An outcome that no workflow declares, so that the run blocks: something kept the dispatch from
its work.
"""
BUDGET = "budget"
"""The class of a dispatch that lost its model halfway because of the budget; it uses up no
retry.
"""


async def dispatch(
    session: Session, step: Step, key: str, contract: Contract, judge: Judge
) -> Settled:
    """Run one agent under one contract until its step is settled or must rest."""
    record = session.history.steps.get(key)
    if record is not None and record.state == "finished":
        session.append(events.step_reused(key))
        return landings.judgement_of(record)
    while True:
        held = (
            questions.pending(session, key)
            or weakened.decided(session, key)
            or drift.decided(session, key)
            or budget.reached(session, key)
        )
        if held is not None:
            return held
        inputs = read_inputs(session, contract)
        if gone := absent(contract, inputs):
            reason = f"{key} cannot proceed within its input contract: {', '.join(gone)} is missing"
            return Judgement("fail", "", reason, HELD, stop="contract")
        result = await _try(session, step, key, contract, inputs)
        failure = _failure(session, key, contract, result)
        if failure is None:
            return _settle(session, key, judge, result)
        if (alarm := _alarm(session, step, result)) is not None:
            facts = _facts(key, result, session.history.steps[key].repair)
            return _over(session, key, result, facts, _named(key, alarm))
        if result.stopped:
            return _out_of_budget(session, key, result)
        settled = await _after_failure(session, key, result, failure, contract)
        if settled is not None:
            return settled


async def _try(
    session: Session, step: Step, key: str, contract: Contract, given: Inputs
) -> Attempted:
    session.services.agent_for(
        contract.role
    )  # a missing agent must be reported before anything says that it was asked
    record = session.history.steps.get(key)
    tried = record.tried if record else []
    number = 1 + sum(each.classification != "artifact" for each in tried)
    repair = int(bool(tried) and tried[-1].classification == "artifact")
    brief = briefing.brief(session, key, contract, given)
    earlier = record.calls if record else 0
    files = StepFiles(session, key, earlier)
    files.brief(brief, render(brief))
    seen = {name: value for name, _, value in brief.inputs}
    inputs = seen | staleness.material(session, contract, given)
    guard = guard_of(
        session
    )  # before the record: recovery of an unfinished step needs to know what was protected
    definition = {"from": brief.definition_source, "digest": brief.definition_digest}
    started = events.step_started(
        key,
        step.name,
        "dispatch",
        contract.role,
        number,
        inputs,
        repair=repair,
        definition=definition,
    )
    session.append(
        started, durable=False
    )  # synced in the agent's first milliseconds, or with the next events
    call = calls_of(session).take(contract.role)
    return await attempt(
        session, key, contract, brief, given, files, guard, call, number, earlier + 1
    )


def _failure(
    session: Session, key: str, contract: Contract, result: Attempted
) -> tuple[str, tuple[str, ...]] | None:
    """What keeps the dispatch from being done. If errors are retried, the agent's own `fail` is
    one while retries are left.
    """
    found = result.failure()
    if found is not None:
        return retry.as_error(found[0], contract.retries), found[1]
    if retry.ERROR not in contract.retries or result.verdict.outcome != "fail":
        return None
    said = (result.verdict.reason or result.verdict.word,)
    move = _next(session, key, contract, retry.ERROR, said, result)
    return None if isinstance(move, retry.GiveUp) else (retry.ERROR, said)


def _next(
    session: Session,
    key: str,
    contract: Contract,
    kind: str,
    detail: tuple[str, ...],
    result: Attempted,
) -> retry.Move:
    """The next move after a failure, by the run's policy and the contract's own limits."""
    attempts = _attempts(session.history.steps[key], kind, detail, result)
    return retry.next_move(attempts, session.services.retry, contract.retries)


def _settle(session: Session, key: str, judge: Judge, result: Attempted) -> Settled:
    """Everything was verified: judge, keep, record. Landing comes after the record and can be
    repeated.
    """
    found = _named(key, judge(_report(session, result)))
    work = landings.prepare(session, key, result, code=found.outcome not in {"fail", "needs_input"})
    drifted = [
        events.document_drifted(path, work.outputs.get(path, MISSING), session.digest(path))
        for path in work.conflicts
    ]
    facts = [
        *drifted,
        *(events.artifact_verified(key, each.path, each.digest) for each in result.verified),
    ]
    if found.contradictions:
        facts.append(events.verdict_contradicted(key, found.contradictions))
    facts.append(
        events.step_finished(
            key,
            found.outcome,
            found.word,
            outputs=work.outputs,
            evidence=result.evidence,
            usage=_usage(result),
            assurance=result.assurance,
            classification=found.classification,
            reason=found.reason,
            sets=found.sets,
            commit=work.commit,
            base=work.base,
            before={path: session.digest(path) for path in work.texts},
            stop=found.stop,
            facts=found.facts,
        )
    )
    session.pending += facts
    blocking = any(finding.blocks for finding in result.weakened)
    if result.weakened and found.outcome not in {"fail", "needs_input"}:
        weakened.tell(session, work.key, result.weakened, held=blocking)
    if blocking and found.outcome not in {"fail", "needs_input"}:
        return weakened.hold(session, work, result.weakened, result.evidence)
    if work.conflicts:
        return drift.hold(session, work)
    session.landing = work
    return found


def _alarm(session: Session, step: Step, result: Attempted) -> Judgement | None:
    """Something a failed dispatch did that matters more than its failure. A parked dispatch has
    not ended: no alarm yet.
    """
    if not isinstance(step.effect, Stage) or result.parked():
        return None
    return step.effect.alarm(_report(session, result))


def _report(session: Session, result: Attempted) -> Report:
    return Report(
        verdict=result.verdict,
        answer=result.answer.text,
        outputs={each.name: each.text for each in result.verified},
        changed=result.changed,
        patch=result.patch.decode(errors="replace"),
        commands=result.commands,
        branch=result.branch,
        published=result.published,
        evidence=result.evidence,
        run=session.run,
    )


def _named(key: str, found: Judgement) -> Judgement:
    """A failure names its step, unless its reason already begins with the key."""
    if found.outcome != "fail" or found.reason.startswith(key):
        return found
    return replace(
        found,
        reason=f"{key}: {found.word or 'failed'}: {found.reason}"
        if found.reason
        else f"{key}: {found.word}",
    )


def _usage(result: Attempted) -> dict[str, Any]:
    return models.usage(result.answer, result.counted, result.seconds)


def _out_of_budget(session: Session, key: str, result: Attempted) -> Judgement:
    """A dispatch that lost its model halfway did not fail: it uses up no retry and continues
    with a higher cap.
    """
    record = session.history.steps[key]
    again = events.retry_scheduled(
        key, BUDGET, record.attempt, 0, 0.0, (result.stopped,), _usage(result)
    )
    session.append(*_facts(key, result, record.repair), again)
    return budget.reached(session, key) or Judgement(
        "fail", "budget", result.stopped, HELD, stop="budget"
    )


async def _after_failure(
    session: Session,
    key: str,
    result: Attempted,
    failure: tuple[str, tuple[str, ...]],
    contract: Contract,
) -> Settled | None:
    """Record what went wrong and what follows; None means: try again."""
    record = session.history.steps[key]
    kind, detail = failure
    facts = _facts(key, result, record.repair)
    used = _usage(result)
    if kind == "needs_input":  # it asks before it writes, so missing artifacts are not faults yet
        facts = [each for each in facts if each["type"] != "artifact.rejected"]
        asked = questions.ask(session, key, result.answer, facts, used)
        return asked if isinstance(asked, Rest) else _over(session, key, result, facts, asked)
    match _next(session, key, contract, kind, detail, result):
        case retry.Retry(classification, number, limit, delay_s):
            again = events.retry_scheduled(
                key, classification, number + 1, limit, delay_s, detail, used
            )
            session.append(*facts, again)
            await session.beside(asyncio.sleep(delay_s))
            return None
        case retry.Repair():
            limit = session.services.retry.repair_attempts
            session.append(
                *facts,
                events.retry_scheduled(key, "artifact", record.attempt, limit, 0.0, detail, used),
            )
            return None
        case retry.Sleep(seconds):
            until = (session.services.now() + timedelta(seconds=seconds)).isoformat(
                timespec="milliseconds"
            )
            session.append(
                *facts, events.retry_scheduled(key, kind, record.attempt, 0, seconds, detail, used)
            )
            return Rest(
                f"{record.role} hit a usage limit", "timer", until=until.replace("+00:00", "Z")
            )
        case retry.Park():
            assert result.answer.failure is not None
            return questions.park(session, key, result.answer.failure, facts, used)
        case retry.GiveUp(classification, rule):
            # If the workflow itself decides what follows, it must know everything that was wrong.
            if contract.retries.get(classification) == 0:
                return _give_up(session, key, result, facts, classification, "", detail)
            return _give_up(
                session,
                key,
                result,
                facts,
                classification,
                rule,
                tuple(line.splitlines()[0] for line in detail),
            )


def _over(
    session: Session,
    key: str,
    result: Attempted,
    facts: Sequence[Mapping[str, Any]],
    found: Judgement,
    failure: str = "",
) -> Judgement:
    """End a dispatch whose work is not kept, only what was seen and used. `failure`: its class,
    if the workflow decides.
    """
    session.pending += [
        *map(dict, facts),
        events.step_finished(
            key,
            found.outcome,
            found.word or result.verdict.word,
            outputs={},
            evidence=result.evidence,
            usage=_usage(result),
            assurance=result.assurance,
            classification=found.classification,
            reason=found.reason,
            sets=found.sets,
            stop=found.stop,
            facts=found.facts,
            failure=failure,
        ),
    ]
    return found


def _facts(key: str, result: Attempted, repair: int) -> list[dict[str, Any]]:
    facts = [
        events.artifact_rejected(key, each.path, each.failure, each.detail, repair)
        for each in result.rejected
    ]
    stray = [each.path for each in result.strays if not each.protected]
    if stray:
        facts.append(events.contract_violated(key, stray, "write"))
    protected = [each.path for each in result.strays if each.protected] + [
        each.path for each in result.tampered
    ]
    if protected:
        facts.append(events.contract_violated(key, protected, "protected"))
    return facts


def _attempts(
    record: StepRecord, kind: str, detail: tuple[str, ...], result: Attempted
) -> list[retry.Attempt]:
    """This visit's failures, oldest first; an attempt after a rejected artifact was a repair."""
    found: list[retry.Attempt] = []
    for each in record.tried:
        if each.classification in {"needs_input", BUDGET}:
            continue
        reset = each.delay_s if each.classification == "rate_limit" and not each.limit else None
        repair = bool(found) and found[-1].failure == "artifact"
        found.append(
            retry.Attempt(each.attempt, repair, each.classification, "; ".join(each.detail), reset)
        )
    reset = result.answer.failure.retry_after if result.answer.failure else None
    found.append(retry.Attempt(record.attempt, bool(record.repair), kind, "; ".join(detail), reset))
    return found


def _give_up(
    session: Session,
    key: str,
    result: Attempted,
    facts: list[dict[str, Any]],
    classification: str,
    rule: str,
    detail: tuple[str, ...],
) -> Judgement:
    """`rule`: the limit that was reached; "" if the workflow decides, because then attempts may
    be left.
    """
    reason = f"{key}: {'; '.join(' | '.join(each.splitlines()) for each in detail)}"
    stop = STOPS.get(classification, "agent_failed")
    if classification in {retry.ARTIFACT, retry.TRANSIENT} and any(
        each.failure == "missing" for each in result.rejected
    ):
        stop = "artifact_missing"
    held = HELD if classification == "not_dispatchable" else ""
    exhausted = [events.retry_exhausted(key, classification, rule)] if rule else []
    found = Judgement("fail", result.verdict.word, reason, held, stop=stop)
    return _over(session, key, result, [*facts, *exhausted], found, "" if rule else classification)
