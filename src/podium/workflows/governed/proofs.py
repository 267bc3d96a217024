"""What must hold for every governed run, and the small plans used to explore it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from podium.core.proofs import Exploration, story
from podium.core.workflow import Invariant
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.review.scope import STEPS
from podium.workflows.governed.run import GovernedRun
from podium.workflows.governed.terms import TIERS, Tier

REHEARSAL = "executability-verifier"
WAVES = [[1, 2], [3]]


def imagined(run: GovernedRun, outcome: str, policy: Policy) -> Sequence[Mapping[str, Any]]:
    """What a step's result may set besides its outcome."""
    if outcome == "changed":
        return ({},)
    match run.step:
        case "check_plan":
            return _plans(run, outcome, policy)
        case "judge_review":
            return _rounds(run, outcome, policy)
        case "open_wave":
            return _openings(run, outcome)
        case "settle_memory":
            return ({"note": ""}, {"note": "why"})
        case "run_wave":
            return ({},)
        case "close_wave":
            return _endings(run, outcome, policy)
        case "judge_final":
            if outcome == "fix" and run.final_cycles >= policy.integer(
                "final_review_gate.max_fix_cycles"
            ):
                return ()
            return ({"fixes": [[1, []]] if outcome == "fix" else []},)
        case _:
            return ({},)


def reviewers(tier: Tier, policy: Policy) -> list[str]:
    return [role for role, name in STEPS.items() if policy.reviews(tier, name)]


def _plans(run: GovernedRun, outcome: str, policy: Policy) -> Sequence[Mapping[str, Any]]:
    """Plans of every tier, and a small one whose risk brings in all reviewers; a run keeps its
    kind.
    """
    if outcome == "research":
        return () if run.researched else ({"fit": False},)
    if outcome not in {"ok", "replan", "abstain"}:
        return ({"fit": False},)
    kinds = [(tier, reviewers(tier, policy)) for tier in TIERS]
    kinds.append(("TRIVIAL", list(STEPS)))
    if run.waves:
        kinds = [(run.tier, run.reviewers)]  # type: ignore[list-item]
    fit = outcome != "replan"
    return [
        {
            "tier": tier,
            "reviewers": list(roles),
            "waves": WAVES,
            "plan": good_plan(complexity_tier=tier, phases=[{}, {}, {"wave": 2}]),
            "fit": fit,
            "touched": ["x"],
        }
        for tier, roles in kinds
    ]


def _rounds(run: GovernedRun, outcome: str, policy: Policy) -> Sequence[Mapping[str, Any]]:
    most = policy.integer(f"max_iterations_by_tier.{run.tier}")
    rehearsal = REHEARSAL in run.reviewers
    match outcome:
        case "revise":
            return ({},) if run.revisions < most else ()
        case "rehearse":
            return ({},) if rehearsal and not run.rehearsed else ()
        case "approved":
            return ({},) if not rehearsal or run.rehearsed else ()
        case "again":
            role = REHEARSAL if run.rehearsed else run.reviewers[0]
            return () if role in run.asked_again else ({"asked_again": [*run.asked_again, role]},)
        case _:
            return ({},)


def _openings(run: GovernedRun, outcome: str) -> Sequence[Mapping[str, Any]]:
    left = [number for wave in run.waves for number in wave if number not in run.complete]
    if outcome == "finished":
        return () if left else ({},)
    if not left:
        return ()
    wave = next(at for at, each in enumerate(run.waves, 1) if left[0] in each)
    asked = [[False, False, True, True, False], [True]]
    return [{"wave": wave, "approvals": [{"high_risk": flag} for flag in flags]} for flags in asked]


def _endings(run: GovernedRun, outcome: str, policy: Policy) -> Sequence[Mapping[str, Any]]:
    if outcome == "replan" and run.replans >= policy.integer(
        "retry_budgets.needs_replan_max"
    ) * sum(map(len, run.waves)):
        return ()  # each phase has sent the plan back as often as it may
    wave = run.waves[run.wave - 1]
    left = [number for number in wave if number not in run.complete]
    if outcome == "more":
        return ({"complete": sorted({*run.complete, left[0]})},) if len(left) > 1 else ()
    return ({"complete": sorted({*run.complete, *(wave if outcome == "next" else [])})},)


def invariants(policy: Policy) -> tuple[Invariant, ...]:
    most = max(policy.integer(f"max_iterations_by_tier.{tier}") for tier in TIERS)
    return (
        Invariant("nothing acts before a person approved this version of the plan", _approved),
        Invariant("nothing acts before the reviewers approved it, or a person said so", _sound),
        Invariant("no wave starts without its approval", _asked),
        Invariant("high-risk work has an approval of its own", _risky),
        Invariant("no wave before the one before it is complete", _in_order),
        Invariant(
            f"revisions stay within the tier's limit (at most {most})", partial(_bounded, policy)
        ),
        Invariant("whatever escalates waits for a person", _escalates),
        Invariant("the session's outcome comes before acceptance", _recorded),
        Invariant("nothing is complete without a person", _accepted),
    )


def _acting(found: Exploration) -> list[tuple[GovernedRun, int]]:
    return [
        (run, n) for n in found.at("run_wave") if isinstance(run := found.states[n], GovernedRun)
    ]


def _approved(found: Exploration) -> Sequence[str]:
    wrong = [story(found.path(n)) for run, n in _acting(found) if not run.consented]
    given = {"approve_plan", "resolve_plan"}
    taken = [
        f"{found.states[each.source].step} {each.outcome} counts as a person's approval"
        for each in found.transitions
        if getattr(found.states[each.target], "consented", False)
        and not getattr(found.states[each.source], "consented", False)
        and found.states[each.source].step not in given
    ]
    return [*wrong[:3], *taken[:3]]


def _sound(found: Exploration) -> Sequence[str]:
    return [story(found.path(n)) for run, n in _acting(found) if run.reviewers and not run.sound][
        :3
    ]


def _asked(found: Exploration) -> Sequence[str]:
    wrong = [
        f"a wave begins from {found.states[each.source].step}: {story(found.path(each.target))}"
        for each in found.transitions
        if found.states[each.target].step == "run_wave"
        and found.states[each.source].step
        not in {"approve_wave", "approve_risk", "close_wave", "run_wave"}
    ]
    left = [story(found.path(n)) for run, n in _acting(found) if run.approvals]
    return [*wrong[:3], *left[:3]]


def _risky(found: Exploration) -> Sequence[str]:
    wrong = [
        story(found.path(n))
        for n in found.at("approve_wave")
        if isinstance(run := found.states[n], GovernedRun)
        and run.approvals
        and run.approvals[0].get("high_risk")
    ]
    return wrong[:3]


def _in_order(found: Exploration) -> Sequence[str]:
    wrong = [
        story(found.path(n))
        for run, n in _acting(found)
        if any(number not in run.complete for wave in run.waves[: run.wave - 1] for number in wave)
    ]
    return wrong[:3]


def _bounded(policy: Policy, found: Exploration) -> Sequence[str]:
    wrong = [
        f"{run.tier} reaches {run.revisions} revisions"
        for run in found.states
        if isinstance(run, GovernedRun)
        and run.revisions > policy.integer(f"max_iterations_by_tier.{run.tier}")
    ]
    return wrong[:3]


def _escalates(found: Exploration) -> Sequence[str]:
    asking = {
        ("judge_review", "ask"): "resolve_plan",
        ("close_wave", "escalated"): "resolve_wave",
        ("judge_final", "ask"): "resolve_final",
    }
    wrong = [
        (
            f"{found.states[each.source].step} {each.outcome} goes on to "
            f"{found.states[each.target].step}"
        )
        for each in found.transitions
        if (wanted := asking.get((found.states[each.source].step, each.outcome)))
        and found.states[each.target].step != wanted
    ]
    return wrong[:3]


def _recorded(found: Exploration) -> Sequence[str]:
    around = found.dominated(
        "approve_completion", "summarise", "ok", lambda run: run.step == "open_wave"
    )
    return [] if around is None else [f"accepted without a record: {story(around)}"]


def _accepted(found: Exploration) -> Sequence[str]:
    around = found.dominated("done", "approve_completion", "approved")
    return [] if around is None else [f"complete without a person: {story(around)}"]
