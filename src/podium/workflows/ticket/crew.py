"""Who works side by side, and the result: the Planner with the Initializer, the tasks of a
batch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from podium.core import keys
from podium.core.effects import Member
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.workflows.ticket import contracts, judges, plan_document
from podium.workflows.ticket.contracts import ticket
from podium.workflows.ticket.noting import noted


def planners(run: Run) -> list[Member]:
    """The Initializer works beside the Planner if the documentation cannot be trusted."""
    at = ticket(run)
    found = [Member("planner", contracts.planner, judges.plan)]
    if not at.docs_trusted and at.iteration == 0:
        found.append(Member("initializer", contracts.initializer, judges.documents))
    return found


def planned(found: Mapping[str, Judgement]) -> Judgement:
    """The plan decides; documentation that could not be written does not stop it."""
    plan = found["planner"]
    sets: dict[str, Any] = dict(plan.sets)
    if (docs := found.get("initializer")) is not None and docs.outcome == "ok":
        sets |= docs.sets
    if plan.outcome == "fail" and plan_document.PUTS_OFF in plan.reason:
        number = re.search(r"iteration/(\d+)/", plan.reason)
        said = f"{plan_document.DEFERRED} {plan.reason}"
        facts = (
            noted(int(number[1]) if number else None, "planner.complete", said, level="ERROR"),
        )
        return Judgement(
            plan.outcome, plan.word, said, plan.classification, facts=facts, stop="deferred"
        )
    return Judgement(
        plan.outcome, plan.word, plan.reason, plan.classification, sets=sets, stop=plan.stop
    )


def member_name(run: Run, task: str) -> str:
    """The last parts of a task's key: its id and its number of starts."""
    return keys.join(task, ticket(run).tries.get(task, 1))


def developers(run: Run) -> list[Member]:
    at = ticket(run)
    return [
        Member(member_name(at, name), partial(contracts.task, name), judges.task)
        for name in at.batch
    ]


def developed(found: Mapping[str, Judgement]) -> Judgement:
    results = {name.rpartition("/")[0]: _result(each) for name, each in found.items()}
    word = ", ".join(f"{name} {each['status']}" for name, each in results.items())
    return Judgement("ok", word, sets={"results": results})


def _result(found: Judgement) -> dict[str, Any]:
    """The result of a task's dispatch; work that never reached the project is rejected with the
    reason.
    """
    known = found.sets.get("result")
    if isinstance(known, Mapping) and found.word != "conflict":
        return dict(known)
    return {"status": "REJECTED", "evidence": [found.reason or found.word], "changed": []}
