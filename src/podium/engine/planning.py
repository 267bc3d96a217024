"""What would be dispatched first, with its whole prompt and contract; nothing is written."""

from __future__ import annotations

from typing import Any

from podium.core.effects import Cluster, Stage
from podium.core.errors import UsageError
from podium.core.prompt import render
from podium.core.run import Run
from podium.core.workflow import Workflow
from podium.engine import briefing
from podium.engine.services import Services
from podium.engine.session import Session
from podium.state.port import Opened


def _agent(services: Services, role: str) -> str:
    try:
        return services.agent_for(role).name
    except UsageError:
        return "(none set)"


def first_dispatches(services: Services, workflow: Workflow, run: Run) -> list[dict[str, Any]]:
    session = Session(services, workflow, Opened("dry-run", 0, []))
    session.run = run
    step = workflow.steps[run.step]
    key = session.key(step)
    match step.effect:
        case Stage(role=role, contract=contract):
            found = [(key, role, contract(run))]
        case Cluster(members=members):
            found = [(f"{key}/{each.name}", each.contract(run).role, each.contract(run)) for each in members(run)]
        case _:
            found = []
    return [
        {
            "key": each,
            "role": role,
            "agent": _agent(services, role),
            "contract": {
                "inputs": [{"name": i.name, "path": i.path, "required": i.required} for i in contract.inputs],
                "outputs": [{"name": o.name, "path": o.path} for o in contract.outputs],
                "code": contract.code,
                "protected": list(contract.protected),
                "evidence": list(contract.evidence),
            },
            "prompt": render(briefing.brief(session, each, contract)),
        }
        for each, role, contract in found
    ]
