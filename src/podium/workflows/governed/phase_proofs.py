"""What must hold for every run of a phase, and the failures used to explore it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from podium.core.proofs import Exploration, moves, story
from podium.core.run import DONE
from podium.core.workflow import Invariant
from podium.workflows.governed.phase.failures import PhaseFailure, route_failure
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.run import PhaseRun
from podium.workflows.governed.terms import CLASSES


def imagined(run: PhaseRun, outcome: str, policy: Policy) -> Sequence[Mapping[str, Any]]:
    """What a step's result may set besides its outcome."""
    if run.step == "evidence" and outcome == "pass":
        return [{"reviewed": True}, {"reviewed": False}]
    if run.step == "execute":
        return ({"asked_again": False},)
    if run.step != "route":
        return ({},)
    found = []
    for kind in CLASSES:
        failures = [*run.failures, [kind, ""]]
        if moved(failures, policy) == outcome:
            found.append({"failures": failures})
    return found


def moved(failures: Sequence[Sequence[str]], policy: Policy) -> str:
    move = route_failure([PhaseFailure(kind, "") for kind, _ in failures], policy).action  # type: ignore[arg-type]
    return {"replan": "replan", "escalate": "escalate"}.get(move, "again")


def invariants(policy: Policy) -> tuple[Invariant, ...]:
    most = policy.integer("retry_budgets.max_retries_per_phase") + 1
    return (
        Invariant("no phase is complete without its checklist and todo", _marked),
        Invariant("no phase is complete without build, tests and lint", _proven),
        Invariant("no phase is complete without its review where one is due", _reviewed),
        Invariant(
            f"at most {most} failures of a phase, each class within its budget",
            partial(_bounded, most, policy),
        ),
        Invariant("whatever escalates ends the phase", _escalates),
    )


def _into(found: Exploration, step: str) -> list[tuple[PhaseRun, str, PhaseRun, int]]:
    """Every way into a step: the run before, the outcome, the run after and its number."""
    ways = []
    for each in found.transitions:
        before, after = found.states[each.source], found.states[each.target]
        if after.step == step and moves(after):
            assert isinstance(before, PhaseRun)
            assert isinstance(after, PhaseRun)
            ways.append((before, each.outcome, after, each.target))
    return ways


def _marked(found: Exploration) -> Sequence[str]:
    wrong = [
        f"complete from {before.step} {outcome}: {story(found.path(number))}"
        for before, outcome, after, number in _into(found, DONE)
        if after.result == "complete" and (before.step, outcome) != ("mark", "complete")
    ]
    return wrong[:3]


def _proven(found: Exploration) -> Sequence[str]:
    around = found.dominated("mark", "evidence", "pass", lambda run: run.step == "execute")
    return [] if around is None else [f"marked without evidence: {story(around)}"]


def _reviewed(found: Exploration) -> Sequence[str]:
    wrong = [
        f"marked from {before.step} {outcome} though a review is due: {story(found.path(number))}"
        for before, outcome, after, number in _into(found, "mark")
        if after.reviewed and (before.step, outcome) != ("review", "passes")
    ]
    return wrong[:3]


def _bounded(most: int, policy: Policy, found: Exploration) -> Sequence[str]:
    wrong = []
    for run in found.states:
        assert isinstance(run, PhaseRun)
        kinds = [kind for kind, _ in run.failures]
        over = [
            kind
            for kind in CLASSES
            if kinds.count(kind) > policy.integer(f"retry_budgets.{kind}_max") + 1
        ]
        if len(kinds) > most or over:
            wrong.append(f"a phase can fail {len(kinds)} times: {', '.join(kinds)}")
    return wrong[:3]


def _escalates(found: Exploration) -> Sequence[str]:
    wrong = [
        f"route escalate goes on to {found.states[each.target].step}"
        for each in found.transitions
        if found.states[each.source].step == "route"
        and each.outcome == "escalate"
        and found.states[each.target].step != DONE
    ]
    return wrong[:3]
