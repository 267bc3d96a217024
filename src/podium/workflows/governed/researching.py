"""The research gate: what the first draft leaves open is looked up before anybody approves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from podium.core.contract import Contract, Input
from podium.core.effects import Check, Cluster, Member, Report
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.workflows.governed import contracts, paths, research
from podium.workflows.governed.contracts import governed, handed, patient
from podium.workflows.governed.dialects import dialect_name
from podium.workflows.governed.exchange import delegations
from podium.workflows.governed.exchange.delegations import Delegation
from podium.workflows.governed.exchange.events import exchanged, gate
from podium.workflows.governed.memory import file as memory_file
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.run import GovernedRun


def members(policy: Policy, run: Run) -> list[Member]:
    return [
        Member(role, partial(asked, policy, role), partial(answered, policy, role))
        for role in governed(run).seekers
    ]


def sent(policy: Policy, role: str, run: Run) -> Delegation:
    at = governed(run)
    text = "; ".join([at.request, *at.findings])
    return (
        delegations.mapping(text, policy)
        if role == research.MAPPER
        else delegations.research(text, policy)
    )


def asked(policy: Policy, role: str, run: Run) -> Contract:
    return Contract(
        role=role,
        inputs=(
            Input("memory", paths.MEMORY, required=False),
            Input("plan", paths.plan_path(governed(run).task), required=False),
        ),
        code="read",
        protected=contracts.PROTECTED,
        hidden=contracts.HIDDEN,
        dialect=dialect_name(role, policy.generation),
        told=handed(sent(policy, role, run)),
        retries=patient(policy),
    )


def answered(policy: Policy, role: str, report: Report) -> Judgement:
    assert report.run is not None
    said, handed_over = report.verdict, sent(policy, role, report.run)
    kept = {
        "agent": handed_over.agent,
        "handed": dict(handed_over.payload),
        "answer": dict(said.data),
    }
    return Judgement("ok", said.word, said.reason, sets={"kept": kept})


def gathered(found: Mapping[str, Judgement]) -> Judgement:
    """All answers together; if one gave none, the planner is told that it found nothing."""
    kept = {name: each.sets.get("kept", {}) for name, each in sorted(found.items())}
    told = tuple(
        fact
        for each in kept.values()
        if each
        for fact in exchanged(Delegation(each["agent"], each["handed"]), each["answer"])
    )
    words = ", ".join(f"{name} {found[name].word or 'no answer'}" for name in kept)
    return Judgement(
        "ok",
        words,
        sets={"discovered": {name: each.get("answer", {}) for name, each in kept.items()}},
        facts=told,
    )


def weigh(
    run: GovernedRun,
    _texts: Mapping[str, str | None],
    _found: Sequence[Mapping[str, Any]],
    policy: Policy,
) -> Judgement:
    """The findings as a document for the planner, and as facts that may outlive the task."""
    lines = research.found(run.discovered)
    questions = tuple(run.findings)
    complete = sum(each.get("status") == "COMPLETE" for each in run.discovered.values())
    said = f"research: {complete} of {len(run.discovered)} found something out"
    event = gate(
        run,
        policy,
        "PLAN_GATE",
        "PLANNING",
        "GO" if complete else "ABSTAIN",
        said,
        "back to the planner",
    )
    facts = memory_file.candidates(
        run.discovered.get(research.RESEARCHER, {}), f"Found while planning {run.task}."
    )
    document = research.write_research(run.request[:80], questions, run.discovered)
    sets = {"facts": [*run.facts, *facts], "findings": [f"Found out: {each}" for each in lines]}
    return Judgement(
        "ok",
        said,
        "",
        "ok",
        sets=sets,
        facts=(event,),
        writes={paths.research_path(run.task): document},
    )


LOOK_UP = Cluster(lambda _: [], gathered, most=2)
RESULT = Check("what was found out", kind="document")
