"""What would be dispatched first, with its full prompt and contract; nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from podium.core import keys
from podium.core.advance import advance
from podium.core.contract import Contract
from podium.core.digest import MISSING, digest
from podium.core.effects import Check, Cluster, FanOut, Gate, Stage
from podium.core.errors import UsageError
from podium.core.prompt import render
from podium.core.run import Run, Status
from podium.core.workflow import Workflow
from podium.engine import documents
from podium.engine.attempts import briefing
from podium.engine.checks import observed
from podium.engine.inputs import Inputs, read
from podium.engine.services import Services
from podium.engine.session import Session
from podium.engine.surveying import read_by
from podium.state.port import Opened

FURTHEST = 20
"""How many decisions of the program itself are followed to find the first dispatch."""


def first_dispatches(services: Services, workflow: Workflow, run: Run) -> list[dict[str, Any]]:
    session = Session(services, workflow, Opened("dry-run", 0, []))
    session.run = run
    made: dict[str, str] = {}
    return [_shown(at, key, contract, made) for at, key, contract in _first(session, made)]


def _first(session: Session, made: dict[str, str]) -> Iterator[tuple[Session, str, Contract]]:
    """Every dispatch that comes first, with its session; what the program decides by itself before
    that is followed.

    `made`: what those decisions would have written.
    """
    for _ in range(FURTHEST):
        run = session.run
        if run.status is not Status.ACTIVE:
            return
        step = session.workflow.steps[run.step]
        key = session.key(step)
        match step.effect:
            case Stage(contract=contract):
                yield session, key, contract(run)
                return
            case Cluster(members=members):
                for member in members(run):
                    yield session, keys.join(key, keys.path(member.name)), member.contract(run)
                return
            case FanOut() as fan_out:
                yield from _of_children(session, key, fan_out, made)
                return
            case Check() as check if check.only_decides(run):
                session.run = _decided(session, check, made)
            case Gate() as gate if not gate.required(run):
                session.run = advance(session.workflow, run, gate.choices[0])
            case _:
                return


def _of_children(
    session: Session, key: str, fan_out: FanOut, made: dict[str, str]
) -> Iterator[tuple[Session, str, Contract]]:
    workflow = fan_out.workflow()
    for child in list(fan_out.items(session.run))[: fan_out.limit]:
        name = keys.join(key, child.key)
        below = Session(session.services, workflow, Opened(f"dry-run/{name}", 0, []), prefix=name)
        below.run = workflow.first(**child.members)
        yield from _first(below, made)


def _decided(session: Session, check: Check, made: dict[str, str]) -> Run:
    assert check.decide is not None
    texts = {path: made.get(path, session.text(path)) for path in read_by(session, check)}
    found = check.decide(session.run, texts, observed(session, check))
    made |= found.writes
    return advance(session.workflow, session.run, found.route, found.sets, found.reason, found.stop)


def _agent(services: Services, role: str) -> str:
    try:
        return services.agent_for(role).name
    except UsageError:
        return "(none set)"


def _shown(
    session: Session, key: str, contract: Contract, made: Mapping[str, str]
) -> dict[str, Any]:
    told: Mapping[str, Any] = {
        "inputs": [
            {"name": i.name, "path": i.path, "required": i.required} for i in contract.inputs
        ],
        "outputs": [{"name": o.name, "path": o.path} for o in contract.outputs],
        "code": contract.code,
        "protected": list(contract.protected),
        "evidence": list(contract.evidence),
    }
    return {
        "key": key,
        "role": contract.role,
        "agent": _agent(session.services, contract.role),
        "contract": told,
        "prompt": render(briefing.brief(session, key, contract, _inputs(session, contract, made))),
    }


def _inputs(session: Session, contract: Contract, made: Mapping[str, str]) -> Inputs:
    """The inputs as the dispatch will see them: documents of the run and of its decisions are
    written before it.
    """
    inputs = read(session, contract)
    texts = {path: text for path, text in made.items() if inputs.digests.get(path) == MISSING}
    for each in documents.projections(session):
        if inputs.digests.get(each.path) == MISSING and not (each.shared and each.needed):
            template = session.text(each.template) if each.template else ""
            texts[each.path] = each.render(None, template or "")
    data = {path: text.encode() for path, text in texts.items()}
    digests = {path: digest(content) for path, content in data.items()}
    return Inputs({**inputs.data, **data}, {**inputs.digests, **digests})
