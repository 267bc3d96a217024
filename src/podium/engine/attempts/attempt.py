"""One dispatch: view, agent, verdict, audit, verification, evidence. It decides nothing; it
reports.
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from podium.agents.environment import MARK
from podium.agents.protocol import Agent, Answer, Failure, Job
from podium.core import retry
from podium.core.contract import Brief, Contract, Output
from podium.core.verdict import Dialect, MalformedVerdict, Verdict
from podium.engine.attempts import bounds, carrying, models, proving, recorded_calls, rooms
from podium.engine.attempts import view as views
from podium.engine.attempts.attempted import Attempted
from podium.engine.attempts.hearing import activity, heard
from podium.engine.attempts.view_files import artifact
from podium.engine.calls import calls_of
from podium.engine.guarding import RunGuard
from podium.engine.inputs import Inputs
from podium.engine.session import Session
from podium.engine.standing import standing
from podium.engine.step_files import StepFiles
from podium.engine.views.code_view import Kind
from podium.verify.artifact import Rejected, Verified, verify
from podium.verify.guard import Tampered

_Result = TypeVar("_Result")
GRACE_S = 5.0
"""How long an agent may take to end after its own timeout, before the engine ends it."""


async def attempt(
    session: Session,
    key: str,
    contract: Contract,
    brief: Brief,
    inputs: Inputs,
    files: StepFiles,
    guard: RunGuard,
    call: int,
    number: int,
    turn: int,
) -> Attempted:
    agent = session.services.agent_for(contract.role)
    keeps = bool(getattr(agent, "keeps_view", False))
    try:
        confinement = rooms.confinement_of(session, agent)
        view = await _aside(
            session,
            contract,
            partial(
                _view, session, key, contract, inputs, agent, turn, apart=confinement is not None
            ),
        )
    except BaseException:
        guard.active -= 1
        raise
    result: Attempted | None = None
    try:
        began = time.monotonic()
        ran: list[str] = []
        async with models.admitted(session, key, agent, confinement) as way:
            held = rooms.hold(
                session, view, contract, confinement, agent, model=way.socket, port=way.port
            )
            answer = heard(
                await _perform(
                    session, agent, contract, brief, files, view, call, number, turn, held, way, ran
                )
            )
        models.settle(session, answer, way)
        result = Attempted(
            answer, Verdict("ok", ""), tampered=guard.tampered(), seconds=time.monotonic() - began
        )
        result.assurance, result.counted, result.stopped = held.assurance, way.counted, way.stopped
        result.commands, result.mended = tuple(ran), retry.mended(contract.retries)
        await _aside(
            session,
            contract,
            partial(
                recorded_calls.saw,
                session,
                key,
                contract,
                view,
                answer,
                result.tampered,
                call,
                turn,
            ),
        )
        if not result.parked():
            await _look(session, key, view, contract, result, files)
        return result
    finally:
        guard.active -= 1
        failure = result.failure() if result is not None else None
        if result is not None and failure is not None:
            # An agent that broke the contract starts over: nothing of that attempt may get in with
            # a good one.
            carried = (
                [*result.changed, *views.promised(view)] if failure[0] in carrying.GOES_ON else []
            )
            carrying.keep(session, key, view, carried)
        if (
            result is not None
            and failure is not None
            and (keeps or (_resumes(agent) and result.parked()))
        ):
            views.keep_view(
                view, agent.name
            )  # a person's work, or a session that waits for a person, stays where it is
        elif result is None or failure is not None:
            views.close_view(session, view)
        else:
            # open until its work has arrived in the project: a crash before that finds it here
            result.view = view


async def _aside(session: Session, contract: Contract, work: Callable[[], _Result]) -> _Result:
    """Git work takes a while and mostly waits: in a thread, so that other members of a cluster
    go on.
    """
    if contract.code == "none":
        return work()
    return await session.beside(asyncio.to_thread(work))


def _resumes(agent: Agent) -> bool:
    return bool(getattr(agent, "resumes", False))


def _view(
    session: Session,
    key: str,
    contract: Contract,
    inputs: Inputs,
    agent: Agent,
    turn: int,
    *,
    apart: bool,
) -> views.View:
    keeps = bool(getattr(agent, "keeps_view", False))
    lasting = keeps or _resumes(agent)
    kept = views.kept_view(session, key, agent.name) if lasting else None
    parked = bool(_said(session, key)[0])
    if kept is not None and (
        keeps or views.usable_again(session, key, contract, kept, inputs, parked=parked)
    ):
        return kept
    # A person, and code of this process, cannot enter what is mounted for programs.
    kind: Kind | None = None if getattr(agent, "mounts", True) else "copy"
    view = views.open_view(session, key, contract, inputs, kind=kind)
    if turn > 1 or contract.goes_on:
        carrying.put(session, key, view, contract.goes_on)
    if lasting:
        os.makedirs(view.scratch, exist_ok=True)
    if lasting and not keeps and apart:
        # If the engine dies now, the agent's session continues here. Only in a room: otherwise the
        # agent could change the
        # note that says what was here before, and then kill the engine.
        views.keep_view(view, agent.name)
    return view


async def _look(
    session: Session,
    key: str,
    view: views.View,
    contract: Contract,
    result: Attempted,
    files: StepFiles,
) -> None:
    """Look at everything after an agent ended, whatever it said."""
    files.answer(result.answer)
    await _aside(session, contract, partial(_audit, session, view, contract, result))
    if contract.weighs_git:
        look = partial(standing, session.services.workspace(), result.commands)
        result.branch, result.published = await _aside(session, contract, look)
    files.patch("quarantine.patch", [*view.quarantine, *(_kept(each) for each in result.tampered)])
    if result.answer.failure is None or result.answer.failure.kind in result.mended:
        dialect = session.services.dialects.get(contract.dialect)
        heard = _read_verdict(dialect, contract, result)
        _spell(view, contract, result)
        _verify(session, view, contract, result)
        if dialect is not None and dialect.required and not heard:
            _read_written(dialect, contract, result)
        if result.answer.verdict is None and (said := _stated(contract, result)):
            files.verdict(said)
        await proving.prove(session, key, view, contract, result, files)


async def _perform(
    session: Session,
    agent: Agent,
    contract: Contract,
    brief: Brief,
    files: StepFiles,
    view: views.View,
    call: int,
    number: int,
    turn: int,
    held: rooms.Held,
    way: models.Admitted,
    ran: list[str],
) -> Answer:
    services = session.services
    dialect = services.dialects.get(contract.dialect)
    marker = session.marker(brief.key)
    resumed, choice = _said(session, brief.key)
    job = Job(
        brief=brief,
        prompt=files.prompt,
        folder=views.work_folder(view),
        scratch=view.scratch,
        outputs=tuple(_composing(each, brief.facts) for each in contract.outputs),
        templates={
            each.name: session.text(each.source) or "" for each in contract.outputs if each.template
        },
        attempt=number,
        turn=turn,
        call=call,
        cut=calls_of(session).cut(contract.role),
        timeout_s=services.timeout_s,
        good_verdict=dialect.good if dialect else {},
        proof_of_change=contract.proof_of_change != "none",
        supervise=services.supervisor(session.opened.inherit, enclose=held),
        say=_teller(session, brief.key, files, ran),
        environment={**services.environment, "PODIUM_AGENT": "1", MARK: marker},
        resumed=resumed,
        choice=choice,
        writable=contract.writable,
        protected=bounds.protected(contract),
        verdict_schema=dialect.tool() if dialect else {},
        enclosed=held.confined,
        model=way.model,
        mounted=view.code is not None and view.code.kind != "copy",
        lacks=lambda path: view.entry(path) is None,
    )
    await asyncio.sleep(
        0
    )  # an agent that never awaits would block signals, and keep others from starting
    try:
        async with asyncio.timeout(services.timeout_s + GRACE_S):
            return await session.beside(models.bounded(agent.perform(job), way))
    except TimeoutError:
        return Answer(failure=Failure("timeout", f"no answer after {services.timeout_s:g} s"))


def _said(session: Session, key: str) -> tuple[str, str]:
    """A person's answer to the step's last parking, in words and as a choice; it counts only for
    the next dispatch.
    """
    record = session.history.steps.get(key)
    if record is None or not record.tried or record.tried[-1].classification != "parked":
        return "", ""
    parked = [
        gate
        for gate in session.history.gates.values()
        if gate.key.startswith(f"{key}/parked-") and gate.decision
    ]
    if not parked:
        return "", ""
    return parked[-1].note or parked[-1].decision, parked[-1].decision


def _teller(
    session: Session, key: str, files: StepFiles, ran: list[str]
) -> Callable[[str, Mapping[str, Any]], None]:
    """What an agent says goes to the transcript and to observers, and its commands also to the
    judge.
    """
    services, write = session.services, files.transcript()

    def say(kind: str, fields: Mapping[str, Any]) -> None:
        fields = activity(fields)
        write(kind, fields)
        if kind == "run" and "command" in fields:
            ran.append(str(fields["command"]))
        services.observer.activity(key, kind, services.redact.data(fields))

    return say


def _composing(output: Output, facts: Mapping[str, str]) -> Output:
    return (
        dataclasses.replace(output, compose=partial(_bound, output.compose, facts))
        if output.compose
        else output
    )


def _bound(
    compose: Any, facts: Mapping[str, str], members: Mapping[str, Any], template: str
) -> str:
    return str(compose(members, template, facts))


def _audit(session: Session, view: views.View, contract: Contract, result: Attempted) -> None:
    found = views.audit(session, view, contract)
    if found.strays:
        views.undo(session, view, found.strays)
    result.strays, result.changed = found.strays, found.changed


def _kept(tampered: Tampered) -> bytes:
    return (
        f"### {tampered.what}: {tampered.path} (protected)\n".encode(errors="backslashreplace")
        + tampered.now
        + b"\n"
    )


def _read_verdict(dialect: Dialect | None, contract: Contract, result: Attempted) -> bool:
    """From data, otherwise from the dialect's line; a malformed verdict is a fault of the
    answer. False if it holds none.
    """
    answer = result.answer
    if answer.failure is not None:
        result.rejected.append(Rejected("output.md", "malformed", answer.failure.detail))
        return True
    if dialect is None:
        return False
    try:
        if answer.verdict is not None:
            result.verdict = dialect.read(answer.verdict)
        elif dialect.line is not None and (said := dialect.line(answer.text)) is not None:
            result.verdict = said
        else:
            return False
    except MalformedVerdict as fault:
        result.rejected.append(Rejected("verdict.json", "malformed", str(fault)))
        return True
    if contract.belongs is not None and (foreign := contract.belongs(result.verdict.data)):
        result.rejected.append(Rejected("verdict.json", "malformed", "; ".join(foreign)))
    return True


def _read_written(dialect: Dialect, contract: Contract, result: Attempted) -> None:
    """A verdict that was not said must be in the document that stands for one; one that is
    nowhere is missing.
    """
    if said := _stated(contract, result):
        try:
            result.verdict = dialect.read(said)
        except MalformedVerdict as fault:
            result.rejected.append(Rejected("verdict.json", "malformed", str(fault)))
    elif not {each.path for each in result.rejected} & {
        each.path for each in contract.outputs if each.stated
    }:
        result.rejected.append(Rejected("verdict.json", "missing", "the answer holds no verdict"))


def _stated(contract: Contract, result: Attempted) -> Mapping[str, Any]:
    """The object of a verdict that was not sent as one, but stated in a line or in a document."""
    if result.verdict.data:
        return result.verdict.data
    reads = {each.path: each.stated for each in contract.outputs}
    texts = {each.path: each.text for each in result.verified}
    return next(
        (read(texts[path]) for path, read in reads.items() if read is not None and path in texts),
        {},
    )


def _spell(view: views.View, contract: Contract, result: Attempted) -> None:
    """Write a document that was sent as data to its place, where it is checked like any other."""
    for output in contract.outputs:
        if (
            output.spelled is None
            or result.rejected
            or result.strays
            or views.changed(view, output.path)
        ):
            continue
        if text := output.spelled(result.verdict.data):
            views.spell(view, output.path, text)


def _verify(session: Session, view: views.View, contract: Contract, result: Attempted) -> None:
    """Verify every output on disk, then all of them together."""
    for output in contract.outputs:
        for each in views.written(view, output):
            template = session.text(each.source) or "" if each.source else ""
            found = verify(each, artifact(view, each.path), template)
            if isinstance(found, Verified):
                result.verified.append(found)
            else:
                result.rejected.append(found)
    if contract.whole is not None and not result.rejected and result.verdict.outcome != "fail":
        faults = contract.whole({each.path: each.text for each in result.verified})
        if faults:
            result.rejected.append(
                Rejected(contract.outputs[0].path, "malformed", "; ".join(faults))
            )
