"""One phase: a last look, its executor, the program's own evidence, the review; every failure has a class and a route."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from podium.core.contract import Contract, Input
from podium.core.effects import Check, Effect, Gate, Report, Stage
from podium.core.history import History
from podium.core.proofs import Exploration, story
from podium.core.run import DONE, Run
from podium.core.verdict import Judgement
from podium.core.workflow import About, Invariant, Workflow, step
from podium.workflows.governed import delegations, paths
from podium.workflows.governed.code_review import decide_review, read_code_review
from podium.workflows.governed.contracts import PROTECTED, handed
from podium.workflows.governed.dialects import dialect_name
from podium.workflows.governed.events import gate, phase_of
from podium.workflows.governed.failures import PhaseFailure, classify, route_failure
from podium.workflows.governed.good import good_plan
from podium.workflows.governed.hazards import Change, planned_hazards, seen_hazards
from podium.workflows.governed.phase_checklist import Checklist, phase_checklist
from podium.workflows.governed.phase_documents import PhaseRecord, write_phase
from podium.workflows.governed.plan import Phase, from_data
from podium.workflows.governed.policy import Policy
from podium.workflows.governed.preflect import Beforehand, preflect
from podium.workflows.governed.reports import read_report
from podium.workflows.governed.roster import BY_NAME, READ_ONLY, executor_fault
from podium.workflows.governed.run import PhaseRun

Texts = Mapping[str, str | None]
Evidence = Sequence[Mapping[str, Any]]


def phase(run: Run) -> PhaseRun:
    assert isinstance(run, PhaseRun)
    return run


class PhaseWork(Workflow):
    name = "governed-phase"
    run_type = PhaseRun
    start = "preflect"

    def __init__(self, policy: Policy, backoff_s: float = 2.0) -> None:
        self.policy, self.backoff_s = policy, backoff_s
        self.invariants = _invariants(policy)
        self.steps = {name: replace(each, effect=self._bound(name, each.effect)) for name, each in self.steps.items()}

    def _bound(self, name: str, effect: Effect) -> Effect:
        decides: Mapping[str, Any] = {
            "preflect": self._preflect, "hazards": self._hazards, "evidence": self._evidence,
            "mark": self._mark, "route": self._route,
        }  # fmt: skip
        match effect:
            case Check():
                return replace(effect, decide=lambda run, texts, found: decides[name](phase(run), texts, found))
            case Stage() if name == "execute":
                return replace(effect, contract=self._execution, judge=_judge_report)
            case Stage() if name == "review":
                return replace(effect, contract=self._reviewing, judge=_judge_review)
            case _:
                return effect

    @step(Check("a last look before the executor is asked"), phase="PreFlect", loops=True)
    def preflect(self, run: PhaseRun, outcome: Literal["GO", "REPLAN", "ABSTAIN"]) -> Literal["execute", "done"]:
        if outcome == "GO":
            return "execute"
        run.result = "replan" if outcome == "REPLAN" else "escalated"
        return "done"

    @step(Stage("executor", lambda _: Contract("executor")), phase="Execute", loops=True)
    def execute(
        self, run: PhaseRun, outcome: Literal["ok", "revise", "fail", "abstain", "needs_input"]
    ) -> Literal["hazards", "route", "clarify"]:
        if outcome == "needs_input":
            return "clarify"
        if outcome == "ok":
            return "hazards"
        run.failing = run.failing or [classify("artifact"), run.reason or outcome]
        return "route"

    @step(
        Gate("Which of these?", kind="question", choices=("A", "B", "C", "stop"), detail=lambda run: _asked(phase(run))),
        phase="Question",
    )
    def clarify(self, run: PhaseRun, outcome: Literal["A", "B", "C", "stop"]) -> Literal["execute", "done"]:
        if outcome == "stop":
            run.result = "escalated"
            return "done"
        options = run.question.get("options", [])
        at = "ABC".index(outcome)
        chosen = options[at]["description"] if at < len(options) else outcome
        run.told = [*run.told, f"You asked; a person answered: {chosen}"]
        return "execute"

    @step(Check("high-risk actions in what was done", reads=lambda run: phase(run).changed), phase="Evidence", loops=True)
    def hazards(self, run: PhaseRun, outcome: Literal["clear", "high_risk"]) -> Literal["evidence", "accept_risk"]:
        return "evidence" if outcome == "clear" else "accept_risk"

    @step(
        Gate("Accept this high-risk change?", kind="high_risk", choices=("approved", "stop"), default_rejection="stop",
             subject=lambda run: phase(run).changed),
        phase="Evidence",
    )  # fmt: skip
    def accept_risk(self, run: PhaseRun, outcome: Literal["approved", "stop"]) -> Literal["evidence", "done"]:
        if outcome == "stop":
            run.result = "escalated"
            return "done"
        return "evidence"

    @step(Check("build, tests and lint", kind="command", commands=("build", "test", "lint")), phase="Evidence", loops=True)
    def evidence(self, run: PhaseRun, outcome: Literal["pass", "fail"]) -> Literal["review", "mark", "route"]:
        if outcome == "fail":
            return "route"
        return "review" if run.reviewed else "mark"

    @step(Stage("code-reviewer", lambda _: Contract("code-reviewer")), phase="Review", loops=True)
    def review(
        self, run: PhaseRun, outcome: Literal["passes", "again", "ask", "blocked", "fail"]
    ) -> Literal["mark", "review", "route", "done"]:
        match outcome:
            case "passes":
                return "mark"
            case "again" if not run.asked_again:
                run.asked_again = True
                return "review"
            case "again" | "ask":
                run.result = "escalated"
                return "done"
            case _:
                run.failing = run.failing or [classify("artifact"), run.reason]
                return "route"

    @step(Check("the phase's checklist and document", kind="document"), phase="Complete", loops=True)
    def mark(self, run: PhaseRun, outcome: Literal["complete", "open"]) -> Literal["done", "route"]:
        if outcome == "open":
            return "route"
        run.result = "complete"
        return "done"

    @step(Check("what the failure's class and budgets allow"), phase="Failure", loops=True)
    def route(self, run: PhaseRun, outcome: Literal["again", "replan", "escalate"]) -> Literal["execute", "done"]:
        run.failing = []
        if outcome == "again":
            return "execute"
        run.result = "replan" if outcome == "replan" else "escalated"
        return "done"

    # -- decisions

    def _here(self, run: PhaseRun) -> Phase:
        return phase_of(run.plan, run.phase_id)

    def _preflect(self, run: PhaseRun, _texts: Texts, _found: Evidence) -> Judgement:
        here = self._here(run)
        handed_over = delegations.phase(from_data(run.plan), here, self.policy, task_id=run.task) if not executor_fault(here.executor_agent) else None
        seen = Beforehand(
            executor_fault=executor_fault(here.executor_agent),
            payload_faults=handed_over.faults if handed_over else (),
            hazards=[each.action for each in planned_hazards(here, self.policy)],
            approved=run.approved,
        )
        found = preflect(seen)
        event = gate(
            run, self.policy, "PREFLECT_GATE", "ACTING", found.decision, found.reason, "dispatch the executor" if found.decision == "GO" else "stop",
            phase_id=run.phase_id, needs_person=found.needs_person, checks=("scope_checked", "policy_checked"),
        )  # fmt: skip
        return Judgement("ok", found.decision, found.reason, found.decision, facts=(event,))

    def _execution(self, run: Run) -> Contract:
        at = phase(run)
        here = self._here(at)
        agent = BY_NAME[here.executor_agent]
        retry = len(at.failures)
        told = [*at.told, *(f"Attempt {n} failed ({kind}): {why}" for n, (kind, why) in enumerate(at.failures, 1))]
        sent = delegations.phase(from_data(at.plan), here, self.policy, task_id=at.task, told=told, retry_attempt=retry)
        writes = tuple(here.writes)
        reads = agent.role in READ_ONLY or not agent.writes
        return Contract(
            role=agent.role,
            inputs=(Input("plan", paths.plan_path(at.task), required=False),),
            code="read" if reads else "write",
            writable=writes if writes and not reads else (),
            protected=PROTECTED,
            hidden=(".podium/**",),
            dialect=dialect_name(agent.role),
            proof_of_change=not reads and bool(writes),
            told=(*handed(sent), *told),
            retries={"violation": 0, "crash": 0, "timeout": 0},
        )

    def _hazards(self, run: PhaseRun, texts: Texts, _found: Evidence) -> Judgement:
        changes = [Change(path=path, deleted=text is None, created=False, added=()) for path, text in texts.items()]
        found = seen_hazards(changes, (), self.policy)
        if not found or (run.approved and {each.action for each in found} <= {each.action for each in planned_hazards(self._here(run), self.policy)}):
            return Judgement("ok", "clear", "", "clear")
        reason = "; ".join(f"{each.action}: {each.evidence}" for each in found)
        event = gate(run, self.policy, "HIGH_RISK_APPROVAL_GATE", "WAITING_APPROVAL", "BLOCKED", reason, "ask a person", phase_id=run.phase_id, needs_person=True)
        return Judgement("ok", "high risk", reason, "high_risk", facts=(event,))

    def _evidence(self, run: PhaseRun, _texts: Texts, found: Evidence) -> Judgement:
        ran = {str(each["name"]): bool(each["passed"]) for each in found}
        listed = self._checklist(run, ran, None)
        if listed.failure:
            failing = [classify(listed.failure), "; ".join(listed.reasons)]
            return Judgement("revise", "fail", failing[1], "fail", sets={"ran": ran, "failing": failing})
        return Judgement("ok", "pass", "", "pass", sets={"ran": ran})

    def _checklist(self, run: PhaseRun, ran: Mapping[str, bool], review: bool | None) -> Checklist:
        return phase_checklist(read_report(run.report), ran, review=review, todo=True)

    def _reviewing(self, run: Run) -> Contract:
        at = phase(run)
        sent = delegations.code_review(at.changed or ["none"], self.policy, phase=self._here(at), report=at.report)
        return Contract(
            role="code-reviewer", inputs=(Input("plan", paths.plan_path(at.task), required=False),), code="read", protected=PROTECTED,
            hidden=(".podium/**",), dialect=dialect_name("code-reviewer"), told=handed(sent), changes=f"plans/artifacts/{at.task}/changes.patch",
        )  # fmt: skip

    def _mark(self, run: PhaseRun, _texts: Texts, _found: Evidence) -> Judgement:
        here = self._here(run)
        listed = self._checklist(run, run.ran, True if run.review else None)
        if not listed.complete:
            failing = [classify(listed.failure), "; ".join(listed.reasons)]
            return Judgement("revise", "open", failing[1], "open", sets={"failing": failing})
        summary = str(run.report.get("summary") or here.objective)
        record = PhaseRecord(here, summary, tuple(run.changed), str(run.review.get("status", "not due")), listed)
        event = gate(
            run, self.policy, "PHASE_REVIEW_GATE", "REVIEWING", "GO", f"{here.name} is complete", "mark its todo", phase_id=run.phase_id,
            checks=("todo_verified", "scope_checked"),
        )  # fmt: skip
        todo = {"type": "governed.todo", "phase": run.phase_id, "title": here.name, "done": True}
        return Judgement("ok", "complete", "", "complete", facts=(event, todo), writes={paths.phase_path(run.task, run.phase_id): write_phase(record)})

    def _route(self, run: PhaseRun, _texts: Texts, _found: Evidence) -> Judgement:
        failures = [*run.failures, run.failing or ["escalate", "nobody knows why"]]
        history = [PhaseFailure(kind, why) for kind, why in failures]  # type: ignore[arg-type]
        move = route_failure(history, self.policy, self.backoff_s)
        outcome = {"replan": "replan", "escalate": "escalate", "sleep": "again"}.get(move.action, "again")
        decision = {"again": "GO", "replan": "REPLAN"}.get(outcome, "BLOCKED")
        why = f"{move.classification}: {move.reason}" + (f" ({move.rule})" if move.rule else "")
        event = gate(
            run, self.policy, "PHASE_REVIEW_GATE", "REVIEWING" if outcome == "again" else "WAITING_APPROVAL", decision, why, move.action.replace("_", " "),
            phase_id=run.phase_id, needs_person=outcome == "escalate",
        )  # fmt: skip
        transient = run.transient or move.classification == "transient"
        return Judgement("ok", move.action, why, outcome, sets={"failures": failures, "transient": transient}, facts=(event,))

    # -- what the engine asks about a run

    def variants(self) -> Sequence[Run]:
        return [self.first(reviewed=flag, plan=good_plan()) for flag in (True, False)]

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        at = phase(run)
        if at.step == "route":
            found = []
            for kind in ("transient", "fixable", "needs_replan", "escalate"):
                failures = [*at.failures, [kind, ""]]
                move = route_failure([PhaseFailure(each, "") for each, _ in failures], self.policy).action  # type: ignore[arg-type]
                if {"replan": "replan", "escalate": "escalate"}.get(move, "again") == outcome:
                    found.append({"failures": failures})
            return found
        return ({},)

    def about(self, run: Run, history: History, today: str) -> About:
        at = phase(run)
        here = self._here(at)
        return About(f"{here.name}\n{here.objective}", {"Task": at.task, "Phase": str(at.phase_id)}, (at.note,) if at.note else ())

    def protected(self, run: Run) -> Sequence[str]:
        return PROTECTED


def _asked(run: PhaseRun) -> str:
    letters = zip("ABC", run.question.get("options", []), strict=False)
    told = "; ".join(f"{letter}: {each['description']} (+ {', '.join(each.get('pros', ())) or '-'} / - {', '.join(each.get('cons', ())) or '-'})" for letter, each in letters)
    return f"{run.question.get('impact', '')} {told}. Recommended: {run.question.get('recommended', '')}."


def _judge_report(report: Report) -> Judgement:
    said = report.verdict
    data = dict(said.data)
    sets: dict[str, Any] = {"report": data, "changed": list(report.changed), "failing": []}
    if said.outcome == "needs_input":
        asked = read_report(data).question
        options = [{"description": each.description, "pros": list(each.pros), "cons": list(each.cons)} for each in asked.options] if asked else []
        sets["question"] = {"options": options, "impact": asked.impact if asked else "", "recommended": asked.recommended if asked else ""}
    elif said.outcome != "ok":
        known = read_report(data) if data else None
        sets["failing"] = [known.classification if known else classify("malformed"), said.reason or said.word]
    return Judgement(said.outcome, said.word, said.reason, sets=sets)


def _judge_review(report: Report) -> Judgement:
    run, said = report.run, report.verdict
    assert isinstance(run, PhaseRun)
    data = dict(said.data)
    found = decide_review(read_code_review(data), asked_again=run.asked_again)
    sets: dict[str, Any] = {"review": data}
    outcome = {"passes": "passes", "again": "again", "ask": "ask"}.get(found.kind, "blocked")
    if outcome == "blocked":
        sets["failing"] = [classify("review_blocked"), "; ".join(map(str, found.blockers))]
    return Judgement("ok" if outcome == "passes" else "revise", said.word, found.reason, outcome, sets=sets)


def _invariants(policy: Policy) -> tuple[Invariant, ...]:
    most = policy.integer("retry_budgets.max_retries_per_phase") + 1
    return (
        Invariant("no phase is complete without its evidence", partial(_before_complete, "evidence", "pass")),
        Invariant("no phase is complete without its checklist", partial(_before_complete, "mark", "complete")),
        Invariant(f"at most {most} executions of a phase without a person", partial(_bounded, most)),
    )


def _before_complete(at: str, outcome: str, found: Exploration) -> Sequence[str]:
    ends = [n for n in found.at(DONE) if getattr(found.states[n], "result", "") == "complete"]
    around = [each for each in ends if (at, outcome) not in found.path(each)]
    return [f"complete without {at}: {story(found.path(n))}" for n in around[:3]]


def _bounded(most: int, found: Exploration) -> Sequence[str]:
    seen = max((len(each.failures) for each in found.states if isinstance(each, PhaseRun)), default=0)
    return [] if seen <= most else [f"a phase can fail {seen} times"]
