"""What must hold for every governed run, and the small plans it is explored with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from podium.core.proofs import Exploration, story
from podium.core.workflow import Invariant
from podium.workflows.governed.good import good_plan
from podium.workflows.governed.policy import Policy
from podium.workflows.governed.run import GovernedRun

TIERS = {
    "TRIVIAL": [],
    "SMALL": ["plan-auditor"],
    "MEDIUM": ["plan-auditor", "assumption-verifier"],
    "LARGE": ["plan-auditor", "assumption-verifier", "executability-verifier"],
}


def imagined(run: GovernedRun, outcome: str, policy: Policy) -> Sequence[Mapping[str, Any]]:
    match run.step:
        case "check_plan" if outcome in {"ok", "replan"}:
            override = [("SMALL", TIERS["LARGE"])]
            kinds = [*TIERS.items(), *override] if not run.waves else [(run.tier, run.reviewers)]
            return [{"tier": tier, "reviewers": list(roles), "waves": [[1], [2]], "plan": good_plan(complexity_tier=tier)} for tier, roles in kinds]
        case "judge_review":
            return _rounds(run, outcome, policy)
        case "open_wave":
            left = [number for wave in run.waves for number in wave if number not in run.complete]
            if outcome == "finished":
                return () if left else ({},)
            if not left:
                return ()
            wave = next(at for at, each in enumerate(run.waves, 1) if left[0] in each)
            return [{"wave": wave, "approvals": [{"phases": [left[0]]}] * count} for count in (1, 2)]
        case "close_wave":
            done = sorted({*run.complete, *(run.waves[run.wave - 1] if outcome == "next" else [])})
            return ({"complete": done},)
        case "judge_final":
            if outcome == "fix" and run.final_cycles >= policy.integer("final_review_gate.max_fix_cycles"):
                return ()
            return ({"fixes": [[1, []]] if outcome == "fix" else []},)
        case _:
            return ({},)


def _rounds(run: GovernedRun, outcome: str, policy: Policy) -> Sequence[Mapping[str, Any]]:
    most = policy.integer(f"max_iterations_by_tier.{run.tier}")
    rehearsed = "rehearsed" in run.asked_again
    if outcome == "revise":
        return ({},) if run.revisions < most else ()
    if outcome == "rehearse":
        return ({"asked_again": [*run.asked_again, "rehearsed"]},) if "executability-verifier" in run.reviewers and not rehearsed else ()
    if outcome == "approved":
        return ({},) if "executability-verifier" not in run.reviewers or rehearsed else ()
    if outcome == "again":
        return () if any(each != "rehearsed" for each in run.asked_again) else ({"asked_again": [*run.asked_again, run.reviewers[0]]},)
    return ({},)


def invariants(policy: Policy) -> tuple[Invariant, ...]:
    most = max(policy.integer(f"max_iterations_by_tier.{tier}") for tier in TIERS)
    return (
        Invariant("nothing acts before the plan is approved", _approved),
        Invariant("no wave starts without its approval", _asked),
        Invariant("no wave before the one before it is complete", _in_order),
        Invariant(f"revisions stay within the tier's limit (at most {most})", partial(_bounded, most, policy)),
        Invariant("nothing is complete without a person", _accepted),
    )


def _approved(found: Exploration) -> Sequence[str]:
    around = found.dominated("run_wave", "approve_plan", "approved")
    if around is None:
        return []
    # The other way in is a person who says `proceed`.
    return [] if ("resolve_plan", "proceed") in around else [f"acting without approval: {story(around)}"]


def _asked(found: Exploration) -> Sequence[str]:
    around = found.dominated("run_wave", "approve_wave", "approved", lambda run: run.step == "open_wave")
    return [] if around is None else [f"a wave without approval: {story(around)}"]


def _in_order(found: Exploration) -> Sequence[str]:
    wrong = []
    for n in found.at("run_wave"):
        run = found.states[n]
        assert isinstance(run, GovernedRun)
        earlier = [number for wave in run.waves[: run.wave - 1] for number in wave]
        if any(number not in run.complete for number in earlier):
            wrong.append(story(found.path(n)))
    return wrong[:3]


def _bounded(most: int, policy: Policy, found: Exploration) -> Sequence[str]:
    wrong = [
        f"{run.tier} reaches {run.revisions} revisions"
        for run in found.states
        if isinstance(run, GovernedRun) and run.revisions > policy.integer(f"max_iterations_by_tier.{run.tier}")
    ]
    return wrong[:3]


def _accepted(found: Exploration) -> Sequence[str]:
    around = found.dominated("done", "approve_completion", "approved")
    return [] if around is None else [f"complete without a person: {story(around)}"]
