"""A request through plan, adversarial review, waves of phases and gates; every number comes from the policy file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from podium.core.contract import Contract
from podium.core.effects import Check, Child, Cluster, Effect, FanOut, Gate, Member, Report, Stage
from podium.core.errors import Blocked
from podium.core.history import History
from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.core.workflow import About, Projection, Workflow, step
from podium.workflows.governed import contracts, deciding, files, paths, proofs
from podium.workflows.governed.contracts import governed
from podium.workflows.governed.final_review import final_review_due
from podium.workflows.governed.good import good_plan
from podium.workflows.governed.phase_workflow import PhaseWork
from podium.workflows.governed.policy import DEFAULT, Policy
from podium.workflows.governed.review_scope import EXECUTABILITY
from podium.workflows.governed.roster import ROSTER
from podium.workflows.governed.run import GovernedRun


def _reviewed(report: Report) -> Judgement:
    """A plan reviewer's object, kept for the round; what it means is recomputed there."""
    said = report.verdict
    outcome = "ok" if said.outcome != "fail" or said.data else "fail"
    return Judgement(outcome, said.word, said.reason, sets={"answer": dict(said.data)})  # type: ignore[arg-type]


def _gathered(found: Mapping[str, Judgement]) -> Judgement:
    broken = [name for name, each in found.items() if "answer" not in each.sets]
    if broken:
        return Judgement("fail", "no answer", f"{', '.join(broken)} gave no usable answer: {found[broken[0]].reason}", "silent", stop="agent_failed")
    return Judgement("ok", ", ".join(f"{name} {each.word}" for name, each in found.items()), sets={"reviews": {name: each.sets["answer"] for name, each in found.items()}})


def _rehearsed(report: Report) -> Judgement:
    run, said = report.run, report.verdict
    assert isinstance(run, GovernedRun)
    return Judgement("ok", said.word, said.reason, sets={"reviews": {**run.reviews, EXECUTABILITY: dict(said.data)}})


def _final(report: Report) -> Judgement:
    return Judgement("ok", report.verdict.word, report.verdict.reason, sets={"final": dict(report.verdict.data)})


class Governed(Workflow):
    name = "governed"
    run_type = GovernedRun
    start = "draft"

    def __init__(self, policy: Policy, backoff_s: float = 2.0, final_wanted: bool = False) -> None:
        self.policy, self.backoff_s, self.final_wanted = policy, backoff_s, final_wanted
        self.phase_work = PhaseWork(policy, backoff_s)
        self.invariants = proofs.invariants(policy)
        self.steps = {name: replace(each, effect=self._bound(name, each.effect)) for name, each in self.steps.items()}

    def _bound(self, name: str, effect: Effect) -> Effect:
        """Effects that need the policy."""
        decides: Mapping[str, Any] = {
            "check_plan": deciding.check_plan, "judge_review": deciding.judge_round, "open_wave": deciding.open_wave,
            "close_wave": deciding.close_wave, "judge_final": deciding.judge_final, "summarise": deciding.summarise,
        }  # fmt: skip
        match effect:
            case Check() if name in decides:
                return replace(effect, decide=lambda run, texts, found: decides[name](governed(run), texts, found, self.policy))
            case Stage() if name == "draft":
                return replace(effect, contract=partial(contracts.planner, self.policy))
            case Stage() if name == "rehearse":
                return replace(effect, contract=partial(contracts.reviewer, self.policy, EXECUTABILITY))
            case Stage() if name == "final_review":
                return replace(effect, contract=partial(contracts.final_reviewer, self.policy))
            case Cluster():
                return replace(effect, members=self._reviewers)
            case FanOut():
                return replace(effect, workflow=lambda: self.phase_work, items=self._phases if name == "run_wave" else self._fixes)
            case _:
                return effect

    def _reviewers(self, run: Run) -> list[Member]:
        at = governed(run)
        wanted = [role for role in at.reviewers if role != EXECUTABILITY and (not at.asked_again or role in at.asked_again or role not in at.reviews)]
        return [Member(role, partial(contracts.reviewer, self.policy, role), _reviewed) for role in wanted]

    def _phases(self, run: Run) -> list[Child]:
        at = governed(run)
        wave = at.waves[at.wave - 1] if 0 < at.wave <= len(at.waves) else []
        return [self._child(at, number) for number in wave if number not in at.complete]

    def _fixes(self, run: Run) -> list[Child]:
        at = governed(run)
        return [self._child(at, int(number), told=[f"Mend: {each}" for each in issues]) for number, issues in at.fixes]

    def _child(self, run: GovernedRun, number: int, told: Sequence[str] = ()) -> Child:
        reads = not self.policy.reviews(run.tier, "code_review")  # type: ignore[arg-type]
        members = {"task": run.task, "trace_id": run.trace_id, "plan": run.plan, "phase_id": number, "tier": run.tier, "reviewed": not reads, "told": list(told)}
        return Child(str(number), members)

    # -- planning

    @step(Stage("planner", lambda _: Contract("planner")), phase="PLANNING", base="plan", loops=True)
    def draft(self, run: GovernedRun, outcome: Literal["ok", "revise", "abstain"]) -> Literal["check_plan", "resolve_plan"]:
        return "resolve_plan" if outcome == "abstain" else "check_plan"

    @step(
        Check("the plan, read and checked", kind="document", reads=lambda run: [paths.plan_path(governed(run).task), *([governed(run).given] if governed(run).given else [])]),
        phase="PLANNING", base="plan-check", loops=True,
    )  # fmt: skip
    def check_plan(
        self, run: GovernedRun, outcome: Literal["ok", "replan", "abstain", "unreadable"]
    ) -> Literal["approve_plan", "draft", "resolve_plan"]:
        run.asked_again, run.reviews = [], {}
        if outcome == "ok":
            return "approve_plan"
        if outcome == "replan" and run.replans < self.policy.integer("retry_budgets.needs_replan_max"):
            run.replans += 1
            return "draft"
        return "resolve_plan"

    @step(
        Gate("Approve this plan?", choices=("approved", "draft"), default_rejection="draft", subject=lambda run: [paths.plan_path(governed(run).task)]),
        phase="WAITING_APPROVAL",
    )
    def approve_plan(self, run: GovernedRun, outcome: Literal["approved", "draft"]) -> Literal["audit", "open_wave", "draft"]:
        if outcome == "draft":
            run.findings = ["a person sent the plan back"]
            return "draft"
        return "audit" if run.reviewers else "open_wave"

    # -- plan review

    @step(Cluster(lambda _: [], _gathered, most=2), phase="PLAN_REVIEW", base="plan-review", loops=True)
    def audit(self, run: GovernedRun, outcome: Literal["ok"]) -> Literal["judge_review"]:
        return "judge_review"

    @step(Check("the round of reviews, weighed"), phase="PLAN_REVIEW", base="plan-verdict", loops=True)
    def judge_review(
        self, run: GovernedRun, outcome: Literal["approved", "rehearse", "revise", "again", "ask"]
    ) -> Literal["open_wave", "rehearse", "draft", "audit", "resolve_plan"]:
        match outcome:
            case "approved":
                return "open_wave"
            case "rehearse":
                return "rehearse"
            case "revise":
                run.revisions += 1
                return "draft"
            case "again":
                return "audit"
            case _:
                return "resolve_plan"

    @step(Stage(EXECUTABILITY, lambda _: Contract(EXECUTABILITY), _rehearsed), phase="PLAN_REVIEW", loops=True)
    def rehearse(self, run: GovernedRun, outcome: Literal["ok"]) -> Literal["judge_review"]:
        return "judge_review"

    @step(
        Gate("What shall happen with the plan?", kind="question", choices=("proceed", "replan", "stop"),
             detail=lambda run: "; ".join(governed(run).findings[:5])),
        phase="WAITING_APPROVAL",
    )  # fmt: skip
    def resolve_plan(
        self, run: GovernedRun, outcome: Literal["proceed", "replan", "stop"]
    ) -> Literal["open_wave", "draft", "summarise"]:
        if outcome == "proceed" and run.plan:
            return "open_wave"
        if outcome == "replan" or not run.plan:
            run.revisions, run.replans = 0, 0
            return "draft"
        run.stopped = True
        return "summarise"

    # -- waves

    @step(Check("the next wave and its approvals"), phase="WAITING_APPROVAL", base="wave", loops=True)
    def open_wave(self, run: GovernedRun, outcome: Literal["ask", "finished"]) -> Literal["approve_wave", "final_review", "summarise"]:
        if outcome == "ask":
            return "approve_wave"
        return "final_review" if self._final_due(run) else "summarise"

    def _final_due(self, run: GovernedRun) -> bool:
        return bool(final_review_due(deciding.plan_of(run), self.policy, asked=self.final_wanted)) if run.plan else False

    @step(
        Gate("Approve?", choices=("approved", "draft", "stop"), default_rejection="stop", detail=lambda run: _asking(governed(run)),
             subject=lambda run: [paths.plan_path(governed(run).task)]),
        phase="WAITING_APPROVAL", loops=True,
    )  # fmt: skip
    def approve_wave(
        self, run: GovernedRun, outcome: Literal["approved", "draft", "stop"]
    ) -> Literal["approve_wave", "run_wave", "draft", "summarise"]:
        if outcome == "stop":
            run.stopped = True
            return "summarise"
        if outcome == "draft":
            run.findings = ["a person sent the plan back before a wave"]
            return "draft"
        run.approvals = run.approvals[1:]
        return "approve_wave" if run.approvals else "run_wave"

    @step(
        FanOut(lambda: PhaseWork(DEFAULT), lambda _: [], deciding.wave_ended, limit=10, width=lambda run: governed(run).limit, most=4),
        phase="ACTING", key=lambda run: f"wave/{run.wave}/phase",
    )  # fmt: skip
    def run_wave(
        self, run: GovernedRun, outcome: Literal["complete", "replan", "escalated"]
    ) -> Literal["close_wave"]:
        return "close_wave"

    @step(Check("todos, throttle, and what follows"), phase="REVIEWING", base="close-wave", loops=True)
    def close_wave(
        self, run: GovernedRun, outcome: Literal["next", "replan", "escalated"]
    ) -> Literal["open_wave", "draft", "resolve_wave"]:
        if outcome == "next":
            return "open_wave"
        if outcome == "replan" and run.replans < self.policy.integer("retry_budgets.needs_replan_max"):
            run.replans += 1
            return "draft"
        return "resolve_wave"

    @step(
        Gate("A phase could not be completed. What now?", kind="question", choices=("retry", "replan", "stop"),
             detail=lambda run: "; ".join(governed(run).findings[:3])),
        phase="WAITING_APPROVAL", loops=True,
    )  # fmt: skip
    def resolve_wave(
        self, run: GovernedRun, outcome: Literal["retry", "replan", "stop"]
    ) -> Literal["open_wave", "draft", "summarise"]:
        if outcome == "retry":
            return "open_wave"
        if outcome == "replan":
            run.revisions, run.replans = 0, 0
            return "draft"
        run.stopped = True
        return "summarise"

    # -- completion

    @step(Stage("code-reviewer", lambda _: Contract("code-reviewer"), _final), phase="REVIEWING", base="final-review", loops=True)
    def final_review(self, run: GovernedRun, outcome: Literal["ok"]) -> Literal["judge_final"]:
        return "judge_final"

    @step(Check("the final review, weighed", kind="document"), phase="REVIEWING", base="final-verdict", loops=True)
    def judge_final(
        self, run: GovernedRun, outcome: Literal["passes", "fix", "again", "ask"]
    ) -> Literal["summarise", "fix", "final_review", "resolve_final"]:
        match outcome:
            case "passes":
                return "summarise"
            case "fix":
                run.final_cycles += 1
                return "fix"
            case "again" if not run.final_asked:
                run.final_asked = True
                return "final_review"
            case _:
                return "resolve_final"

    @step(
        FanOut(lambda: PhaseWork(DEFAULT), lambda _: [], deciding.wave_ended, limit=10, width=lambda run: governed(run).limit, most=2),
        phase="ACTING", key=lambda run: f"final-fix/{run.final_cycles}/phase",
    )  # fmt: skip
    def fix(self, run: GovernedRun, outcome: Literal["complete", "replan", "escalated"]) -> Literal["final_review", "resolve_final"]:
        run.touched = sorted({*run.touched, *(path for each in run.ended.values() for path in each["changed"])})
        run.ended, run.fixes = {}, []
        return "final_review" if outcome == "complete" else "resolve_final"

    @step(
        Gate("The final review is not clean. Accept the result?", kind="question", choices=("accept", "stop"),
             detail=lambda run: "; ".join(governed(run).findings[:5])),
        phase="WAITING_APPROVAL", loops=True,
    )  # fmt: skip
    def resolve_final(self, run: GovernedRun, outcome: Literal["accept", "stop"]) -> Literal["summarise"]:
        run.stopped = outcome == "stop"
        return "summarise"

    @step(
        Check("the session's outcome and the summary", kind="document", timed=True, reads=lambda _: ("plans/session-outcomes.md",)),
        phase="REVIEWING", base="summary",
    )  # fmt: skip
    def summarise(self, run: GovernedRun, outcome: Literal["ok"]) -> Literal["approve_completion"]:
        return "approve_completion"

    @step(
        Gate("Accept the result?", choices=("approved", "draft"), default_rejection="draft", subject=lambda run: [paths.complete_path(governed(run).task)]),
        phase="COMPLETE",
    )
    def approve_completion(self, run: GovernedRun, outcome: Literal["approved", "draft"]) -> Literal["done", "draft"]:
        if outcome == "draft":
            run.findings, run.stopped = ["a person did not accept the result"], False
            return "draft"
        if run.stopped:
            raise Blocked("stopped by a person before all phases were complete", "stopped")
        return "done"

    # -- what the engine asks about a run

    def variants(self) -> Sequence[Run]:
        return [self.first(plan=good_plan())]

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        return proofs.imagined(governed(run), outcome, self.policy)

    def first(self, **members: Any) -> Run:
        at = "check_plan" if members.get("given") else self.start
        run: Run = self.run_type(step=at, visits={at: 1}, **members)
        return run

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        return files.projections(governed(run), history)

    def artifacts(self, run: Run) -> Mapping[str, str]:
        at = governed(run)
        return {"plan": paths.plan_path(at.task), "complete": paths.complete_path(at.task)}

    def about(self, run: Run, history: History, today: str) -> About:
        at = governed(run)
        return About(at.request, {"Task": at.task, "Title": at.request[:60], "Date": today}, (at.note,) if at.note else ())

    def roles(self) -> Mapping[str, str]:
        return {each.role: "" for each in ROSTER}

    def protected(self, run: Run) -> Sequence[str]:
        return contracts.PROTECTED[:-1]

    def closing(self, run: Run) -> str:
        at = governed(run)
        return f"COMPLETE: {len(at.complete)} phases, plan {paths.plan_path(at.task)}" if at.status is Status.COMPLETE else ""


def _asking(run: GovernedRun) -> str:
    return " ".join([run.approvals[0]["prompt"], *run.approvals[0]["details"]]) if run.approvals else ""
