"""A request through plan, adversarial review, waves of phases and gates; every number comes from
the policy file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from podium.core.contract import Contract
from podium.core.effects import Check, Child, Cluster, Effect, FanOut, Gate, Member, Stage
from podium.core.errors import Blocked
from podium.core.run import Run
from podium.core.workflow import step
from podium.workflows.governed import (
    answers,
    closing,
    completing,
    contracts,
    deciding,
    earlier_phases,
    moments,
    paths,
    proofs,
    remembering,
    researching,
)
from podium.workflows.governed.contracts import governed, plan_file
from podium.workflows.governed.decided import telling
from podium.workflows.governed.phase.hazards import planned_hazards
from podium.workflows.governed.phase_workflow import PhaseWork
from podium.workflows.governed.policy.policy import DEFAULT, Policy
from podium.workflows.governed.research import decided
from podium.workflows.governed.review.final_review import final_review_due
from podium.workflows.governed.review.scope import EXECUTABILITY
from podium.workflows.governed.run import GovernedRun
from podium.workflows.governed.standing import Standing
from podium.workflows.governed.words import counted

DECIDES: Mapping[str, Any] = {
    "check_plan": deciding.check_plan,
    "judge_research": researching.weigh,
    "judge_review": deciding.judge_round,
    "open_wave": closing.open_wave,
    "close_wave": closing.close_wave,
    "judge_final": closing.judge_final,
    "remember": remembering.keep_facts,
    "summarise": completing.summarise,
}
READS = {"summarise": completing.summary_reads, "close_wave": closing.notes_reads}


class Governed(Standing):
    name = "governed"
    start = "draft"

    def __init__(self, policy: Policy, backoff_s: float = 2.0, final_wanted: bool = False) -> None:
        self.policy, self.backoff_s, self.final_wanted = policy, backoff_s, final_wanted
        self.phase_work = PhaseWork(policy, backoff_s)
        self.invariants = proofs.invariants(policy)
        closed = self._closed()
        self.steps = {
            name: replace(
                each,
                effect=self._bound(name, each.effect),
                exits=tuple(to for to in each.exits if (name, to) not in closed),
                outcomes=tuple(said for said in each.outcomes if (name, said) not in closed),
            )
            for name, each in self.steps.items()
            if ("", name) not in closed
        }

    def _closed(self) -> set[tuple[str, str]]:
        """Ways that a policy without such a budget never takes, and steps that nothing else
        leads to.
        """
        ways: set[tuple[str, str]] = set()
        if not self.policy.integer("final_review_gate.max_fix_cycles"):
            ways |= {("judge_final", "fix"), ("", "fix")}
        if not self.policy.integer("retry_budgets.needs_replan_max"):
            ways |= {("check_plan", "draft"), ("close_wave", "draft"), ("close_wave", "replan")}
        return ways

    def _bound(self, name: str, effect: Effect) -> Effect:
        """The effect, bound to the policy if it needs it."""
        match effect:
            case Check():
                known = READS[name](self.policy) if name in READS else ()
                survey = earlier_phases.wanted(self.policy) if name == "open_wave" else None
                return replace(
                    effect,
                    decide=self._decider(name),
                    reads=(lambda _: known) if known else effect.reads,
                    survey=survey,
                )
            case Stage() if name == "draft":
                return replace(
                    effect,
                    contract=partial(contracts.planner, self.policy),
                    judge=partial(answers.planned, self.policy),
                )
            case Stage() if name == "rehearse":
                return replace(
                    effect,
                    contract=partial(contracts.reviewer, self.policy, EXECUTABILITY),
                    judge=partial(answers.rehearsed, self.policy),
                )
            case Stage():
                return replace(
                    effect,
                    contract=partial(contracts.final_reviewer, self.policy),
                    judge=partial(answers.reviewed_all, self.policy),
                )
            case Cluster() if name == "look_up":
                return replace(effect, members=partial(researching.members, self.policy))
            case Cluster():
                return replace(effect, members=self._reviewers)
            case FanOut():
                return replace(
                    effect,
                    workflow=lambda: self.phase_work,
                    items=self._phases if name == "run_wave" else self._fixes,
                )
            case _:
                return telling(name, effect, self.policy)

    def _decider(self, name: str) -> Any:
        return lambda run, texts, found: DECIDES[name](governed(run), texts, found, self.policy)

    def _reviewers(self, run: Run) -> list[Member]:
        at = governed(run)
        wanted = [
            role
            for role in at.reviewers
            if role != EXECUTABILITY and (not at.asked_again or role in at.asked_again)
        ]
        return [
            Member(
                role,
                partial(contracts.reviewer, self.policy, role),
                partial(answers.reviewed, self.policy, role),
            )
            for role in wanted
        ]

    def _phases(self, run: Run) -> list[Child]:
        at = governed(run)
        return [
            self._child(at, number, earlier=at.failed.get(str(number), ()))
            for number in closing.batch(at)
        ]

    def _fixes(self, run: Run) -> list[Child]:
        at = governed(run)
        return [
            self._child(at, int(number), told=[f"Fix: {each}" for each in issues])
            for number, issues in at.fixes
        ]

    def _child(
        self,
        run: GovernedRun,
        number: int,
        told: Sequence[str] = (),
        earlier: Sequence[Sequence[str]] = (),
    ) -> Child:
        plan = deciding.plan_of(run)
        named = {file.path for each in plan.phases for file in each.files}
        members = {
            "task": run.task,
            "trace_id": run.trace_id,
            "plan": run.plan,
            "plan_file": plan_file(run),
            "phase_id": number,
            "tier": run.tier,
            "title": plan.phase(number).title,
            "told": [*decided(plan), *told],
            "complete": run.complete,
            "undeclared": sorted(set(run.touched) - named),
            "unmarked": closing.unmarked_before(run, number),
            "earlier": list(earlier),
            # Whoever approved the wave was shown these actions; destructive ones were approved one
            # by one.
            "allowed": sorted(
                {each.action for each in planned_hazards(plan.phase(number), self.policy)}
            ),
        }
        # A repeated visit may follow a change of the plan: no phase continues with an old one.
        return Child(str(number), members, anew=True)

    # -- planning

    @step(
        Stage("planner", lambda _: Contract("planner")), phase="PLANNING", base="plan", loops=True
    )
    def draft(
        self, run: GovernedRun, outcome: Literal["ok", "revise", "abstain"]
    ) -> Literal["check_plan"]:
        return "check_plan"

    @step(
        Check(
            "the plan, read and checked",
            kind="document",
            reads=lambda run: [paths.plan_path(governed(run).task)],
        ),
        phase="PLANNING",
        base="plan-check",
        loops=True,
    )
    def check_plan(
        self,
        run: GovernedRun,
        outcome: Literal["ok", "research", "replan", "abstain", "unreadable"],
    ) -> Literal["approve_plan", "look_up", "audit", "draft", "resolve_plan"]:
        run.asked_again, run.reviews, run.fresh, run.rehearsed, run.consented, run.sound = (
            [],
            {},
            {},
            False,
            False,
            False,
        )
        run.researched = True
        if outcome == "research":
            return "look_up"
        if outcome == "ok":
            run.returned = 0
            return "audit" if run.reviewing and run.reviewers else "approve_plan"
        if outcome == "replan" and deciding.may_go_back(run, self.policy):
            run.returned += 1
            return moments.redraft(run)
        return "resolve_plan"

    @step(researching.LOOK_UP, phase="PLANNING", rare=True, base="research", loops=True)
    def look_up(self, run: GovernedRun, outcome: Literal["ok"]) -> Literal["judge_research"]:
        return "judge_research"

    @step(researching.RESULT, phase="PLANNING", base="research-result", loops=True)
    def judge_research(self, run: GovernedRun, outcome: Literal["ok"]) -> Literal["draft"]:
        return "draft"

    @step(
        Gate(
            "Approve this plan?",
            choices=("approved", "draft"),
            default_rejection="draft",
            subject=lambda run: [plan_file(governed(run))],
            detail=lambda run: moments.plan_shown(governed(run)),
        ),
        phase="WAITING_APPROVAL",
    )
    def approve_plan(
        self, run: GovernedRun, outcome: Literal["approved", "draft"]
    ) -> Literal["audit", "open_wave", "draft"]:
        if outcome == "draft":
            run.reviewing = False
            return moments.redraft(run, "a person sent the plan back")
        run.consented = True
        return "audit" if run.reviewers and not run.sound else "open_wave"

    # -- plan review

    @step(
        Cluster(lambda _: [], answers.gathered, most=2),
        phase="PLAN_REVIEW",
        base="plan-review",
        loops=True,
    )
    def audit(self, run: GovernedRun, outcome: Literal["ok"]) -> Literal["judge_review"]:
        run.reviews, run.fresh = {**run.reviews, **run.fresh}, {}
        return "judge_review"

    @step(
        Check(
            "the round of reviews, weighed",
            kind="document",
            reads=contracts.plan_reads,
            edited=("changed",),
        ),
        phase="PLAN_REVIEW",
        base="plan-verdict",
        loops=True,
    )
    def judge_review(
        self,
        run: GovernedRun,
        outcome: Literal["approved", "rehearse", "revise", "again", "ask", "changed"],
    ) -> Literal[
        "approve_plan", "open_wave", "rehearse", "draft", "audit", "resolve_plan", "check_plan"
    ]:
        match outcome:
            case "changed":
                return moments.reread(run)
            case "approved":
                moments.settled(run)
                run.sound = True
                return "open_wave" if run.consented else "approve_plan"
            case "rehearse":
                return "rehearse"
            case "revise":
                run.revisions += 1
                run.iterations += 1
                run.reviewing = True
                return moments.redraft(run)
            case "again":
                return "rehearse" if run.rehearsed else "audit"
            case _:
                moments.settled(run)
                return "resolve_plan"

    @step(
        Stage(EXECUTABILITY, lambda _: Contract(EXECUTABILITY)),
        phase="PLAN_REVIEW",
        base="plan-rehearsal",
        loops=True,
    )
    def rehearse(self, run: GovernedRun, outcome: Literal["ok"]) -> Literal["judge_review"]:
        run.reviews, run.fresh, run.rehearsed = {**run.reviews, **run.fresh}, {}, True
        return "judge_review"

    @step(
        Gate(
            "What should happen with the plan?",
            kind="question",
            choices=("proceed", "replan", "stop"),
            subject=lambda run: [plan_file(governed(run))],
            detail=lambda run: moments.plan_stuck(governed(run)),
        ),
        phase="WAITING_APPROVAL",
        rare=True,
    )
    def resolve_plan(
        self, run: GovernedRun, outcome: Literal["proceed", "replan", "stop"]
    ) -> Literal["open_wave", "draft", "summarise"]:
        if outcome == "proceed" and run.fit:
            run.consented = run.sound = True
            return "open_wave"
        if outcome == "stop":
            return self._stop(run)
        run.returned = 0
        return moments.redraft(run)

    def _stop(self, run: GovernedRun) -> Literal["summarise"]:
        moments.settled(run)
        run.stopped, run.approvals, run.wave = True, [], 0
        if not run.plan:
            raise Blocked("stopped by a person before there was a plan", "stopped")
        return "summarise"

    # -- waves

    @step(
        Check("the next wave and its approvals", reads=contracts.plan_reads, edited=("changed",)),
        phase="WAITING_APPROVAL",
        loops=True,
    )
    def open_wave(
        self, run: GovernedRun, outcome: Literal["ask", "finished", "changed"]
    ) -> Literal["approve_wave", "approve_risk", "final_review", "remember", "check_plan"]:
        if outcome == "ask":
            return _approval(run)
        if outcome == "changed":
            return moments.reread(run)
        run.wave = 0
        return "final_review" if self._final_due(run) else "remember"

    def _final_due(self, run: GovernedRun) -> bool:
        return bool(run.touched) and bool(
            final_review_due(deciding.plan_of(run), self.policy, asked=self.final_wanted)
        )

    @step(
        Gate(
            "Approve?",
            choices=("approved", "draft", "stop"),
            default_rejection="stop",
            detail=lambda run: moments.wave_shown(governed(run)),
            subject=lambda run: [plan_file(governed(run))],
        ),
        phase="WAITING_APPROVAL",
        loops=True,
    )
    def approve_wave(
        self, run: GovernedRun, outcome: Literal["approved", "draft", "stop"]
    ) -> Literal["approve_wave", "approve_risk", "run_wave", "draft", "summarise"]:
        return self._approved(run, outcome)

    @step(
        Gate(
            "Approve this high-risk work?",
            kind="high_risk",
            choices=("approved", "draft", "stop"),
            default_rejection="stop",
            detail=lambda run: moments.wave_shown(governed(run)),
            subject=lambda run: [plan_file(governed(run))],
        ),
        phase="WAITING_APPROVAL",
        rare=True,
        loops=True,
    )
    def approve_risk(
        self, run: GovernedRun, outcome: Literal["approved", "draft", "stop"]
    ) -> Literal["approve_wave", "approve_risk", "run_wave", "draft", "summarise"]:
        return self._approved(run, outcome)

    def _approved(
        self, run: GovernedRun, outcome: str
    ) -> Literal["approve_wave", "approve_risk", "run_wave", "draft", "summarise"]:
        if outcome == "stop":
            return self._stop(run)
        if outcome == "draft":
            return moments.redraft(run, "a person sent the plan back before a wave")
        run.approvals = run.approvals[1:]
        return _approval(run) if run.approvals else "run_wave"

    @step(
        FanOut(
            lambda: PhaseWork(DEFAULT),
            lambda _: [],
            closing.wave_ended,
            limit=10,
            width=lambda run: governed(run).limit,
            most=2,
            noun="phase",
        ),
        phase="ACTING",
        key=lambda run: f"wave/{closing.wave_number(governed(run))}/phase",
    )
    def run_wave(
        self, run: GovernedRun, outcome: Literal["complete", "replan", "escalated"]
    ) -> Literal["close_wave"]:
        return "close_wave"

    @step(
        Check("todos, throttle, and what follows", kind="document"),
        phase="REVIEWING",
        base="close-wave",
        loops=True,
    )
    def close_wave(
        self, run: GovernedRun, outcome: Literal["next", "more", "replan", "escalated"]
    ) -> Literal["open_wave", "run_wave", "draft", "resolve_wave"]:
        if outcome in {"next", "more"}:
            return "open_wave" if outcome == "next" else "run_wave"
        if outcome == "replan":
            run.replans += 1
            return moments.redraft(run)
        return "resolve_wave"

    @step(
        Gate(
            "A phase could not be completed. What now?",
            kind="question",
            choices=("retry", "replan", "stop"),
            detail=lambda run: moments.wave_stuck(governed(run)),
        ),
        phase="WAITING_APPROVAL",
        rare=True,
        loops=True,
    )
    def resolve_wave(
        self, run: GovernedRun, outcome: Literal["retry", "replan", "stop"]
    ) -> Literal["open_wave", "draft", "summarise"]:
        if outcome == "stop":
            return self._stop(run)
        run.replans, run.failed = 0, {}
        return "open_wave" if outcome == "retry" else moments.redraft(run)

    # -- completion

    @step(
        Stage("code-reviewer", lambda _: Contract("code-reviewer")),
        phase="REVIEWING",
        base="final-review",
        loops=True,
    )
    def final_review(self, run: GovernedRun, outcome: Literal["ok"]) -> Literal["judge_final"]:
        return "judge_final"

    @step(
        Check("the final review, weighed", kind="document"),
        phase="REVIEWING",
        base="final-verdict",
        loops=True,
    )
    def judge_final(
        self, run: GovernedRun, outcome: Literal["passes", "fix", "again", "ask"]
    ) -> Literal["remember", "fix", "final_review", "resolve_final"]:
        match outcome:
            case "passes":
                return "remember"
            case "fix":
                run.final_cycles += 1
                return "fix"
            case "again" if not run.final_asked:
                run.final_asked = True
                return "final_review"
            case _:
                return "resolve_final"

    @step(
        FanOut(
            lambda: PhaseWork(DEFAULT),
            lambda _: [],
            closing.wave_ended,
            limit=10,
            width=lambda run: governed(run).limit,
            most=2,
            noun="phase",
        ),
        phase="ACTING",
        rare=True,
        key=lambda run: f"final-fix/{run.final_cycles}/phase",
    )
    def fix(
        self, run: GovernedRun, outcome: Literal["complete", "replan", "escalated"]
    ) -> Literal["final_review", "resolve_final"]:
        moments.fixed(run)
        return "final_review" if outcome == "complete" else "resolve_final"

    @step(
        Gate(
            "The final review is not clean. Accept the result?",
            kind="question",
            choices=("accept", "stop"),
            detail=lambda run: "; ".join(governed(run).findings[:5]),
        ),
        phase="WAITING_APPROVAL",
        rare=True,
        loops=True,
    )
    def resolve_final(
        self, run: GovernedRun, outcome: Literal["accept", "stop"]
    ) -> Literal["remember", "summarise"]:
        run.stopped = outcome == "stop"
        return "summarise" if run.stopped else "remember"

    @step(remembering.KEEP, phase="REVIEWING", base="memory", loops=True)
    def remember(
        self, run: GovernedRun, outcome: Literal["kept", "ask"]
    ) -> Literal["summarise", "settle_memory"]:
        return "summarise" if outcome == "kept" else "settle_memory"

    @step(remembering.ASK, phase="WAITING_APPROVAL", rare=True, loops=True)
    def settle_memory(
        self, run: GovernedRun, outcome: Literal["skip", "merge", "create"]
    ) -> Literal["remember", "settle_memory"]:
        run.choice = outcome
        # Two facts that look alike are kept only with a reason.
        return "settle_memory" if outcome == "create" and not run.note.strip() else "remember"

    @step(
        Check("the session's outcome and the summary", kind="document", timed=True),
        phase="REVIEWING",
        base="summary",
    )
    def summarise(self, run: GovernedRun, outcome: Literal["ok"]) -> Literal["approve_completion"]:
        if run.stopped:
            raise Blocked(
                (
                    f"stopped by a person with {counted(len(run.complete))} complete; what was "
                    "done is kept"
                ),
                "stopped",
            )
        return "approve_completion"

    @step(
        Gate(
            "Accept the result?",
            choices=("approved", "draft"),
            default_rejection="draft",
            subject=lambda run: [paths.complete_path(governed(run).task)],
            detail=lambda run: moments.result_shown(governed(run)),
        ),
        phase="COMPLETE",
    )
    def approve_completion(
        self, run: GovernedRun, outcome: Literal["approved", "draft"]
    ) -> Literal["done", "draft"]:
        if outcome == "approved":
            return "done"
        run.replans, run.failed = 0, {}
        return moments.redraft(run, "a person did not accept the result")


def _approval(run: GovernedRun) -> Literal["approve_wave", "approve_risk"]:
    return "approve_risk" if run.approvals[0].get("high_risk") else "approve_wave"
