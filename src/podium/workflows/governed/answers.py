"""What the planner and the reviewers of a run send back, kept as sent; other modules decide what
it means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.effects import Report
from podium.core.verdict import Judgement
from podium.workflows.governed import contracts
from podium.workflows.governed.exchange.delegations import Delegation
from podium.workflows.governed.exchange.events import exchanged
from podium.workflows.governed.exchange.identity import doubtful
from podium.workflows.governed.plan.output import NAME
from podium.workflows.governed.plan.plan import to_data
from podium.workflows.governed.plan.reading import read_plan
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.review.scope import EXECUTABILITY


def planned(policy: Policy, report: Report) -> Judgement:
    """The planner's object; its document is checked separately, and the worse of the two counts."""
    assert report.run is not None
    said = report.verdict
    data = dict(said.data)
    outcome = "ok" if said.outcome == "fail" else said.outcome
    written = None if data else read_plan(report.outputs.get(NAME, "")).plan
    facts = exchanged(contracts.planning(policy, report.run), to_data(written) if written else data)
    word = written.status if written else said.word
    return Judgement(
        outcome, word, said.reason, "", _doubts(report, data), sets={"sent": data}, facts=facts
    )


def reviewed(policy: Policy, role: str, report: Report) -> Judgement:
    """One reviewer of several: its payload and its answer are kept until all reviewers are done."""
    assert report.run is not None
    said = report.verdict
    sent = contracts.reviewing(policy, role, report.run)
    kept: dict[str, Any] = {
        "agent": sent.agent,
        "handed": dict(sent.payload),
        "answer": dict(said.data),
    }
    return Judgement(
        "ok", said.word, said.reason, "", _doubts(report, kept["answer"]), sets={"kept": kept}
    )


def gathered(found: Mapping[str, Judgement]) -> Judgement:
    """All of them together; if one never gave a usable answer, the run stops."""
    broken = [name for name, each in found.items() if "kept" not in each.sets]
    if broken:
        reason = f"{', '.join(broken)} gave no usable answer: {found[broken[0]].reason}"
        return Judgement(
            "fail", "no answer", reason, "silent", stop=found[broken[0]].stop or "agent_failed"
        )
    kept = {name: each.sets["kept"] for name, each in sorted(found.items())}
    facts = tuple(
        fact
        for each in kept.values()
        for fact in exchanged(Delegation(each["agent"], each["handed"]), each["answer"])
    )
    words = ", ".join(f"{name} {found[name].word}" for name in kept)
    return Judgement(
        "ok",
        words,
        sets={"fresh": {name: each["answer"] for name, each in kept.items()}},
        facts=facts,
    )


def rehearsed(policy: Policy, report: Report) -> Judgement:
    assert report.run is not None
    data = dict(report.verdict.data)
    facts = exchanged(contracts.reviewing(policy, EXECUTABILITY, report.run), data)
    sets = {"fresh": {EXECUTABILITY: data}}
    return Judgement(
        "ok",
        report.verdict.word,
        report.verdict.reason,
        "",
        _doubts(report, data),
        sets=sets,
        facts=facts,
    )


def reviewed_all(policy: Policy, report: Report) -> Judgement:
    assert report.run is not None
    data = dict(report.verdict.data)
    facts = exchanged(contracts.reviewing_all(policy, report.run), data)
    doubts = _doubts(report, data, "final")
    return Judgement(
        "ok",
        report.verdict.word,
        report.verdict.reason,
        "",
        doubts,
        sets={"final": data},
        facts=facts,
    )


def _doubts(report: Report, data: Mapping[str, Any], scope: str = "") -> tuple[str, ...]:
    assert report.run is not None
    return doubtful(data, contracts.governed(report.run).trace_id, scope)
