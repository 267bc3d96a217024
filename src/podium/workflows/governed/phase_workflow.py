"""One phase: a last look, its executor, the program's own evidence, the review; every failure
has a class and a route.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from podium.core.contract import Contract, Input
from podium.core.effects import ANSWERED, Check, Effect, Gate, Report, Stage
from podium.core.events import by_workflow, retry_exhausted, retry_scheduled
from podium.core.history import History
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import About, Projection, Step, Workflow, step
from podium.workflows import ecosystems
from podium.workflows.governed import paths, phase_proofs
from podium.workflows.governed.contracts import HIDDEN, PROTECTED, handed
from podium.workflows.governed.decided import telling
from podium.workflows.governed.dialects import dialect_name
from podium.workflows.governed.exchange import delegations, files
from podium.workflows.governed.exchange.delegations import Delegation
from podium.workflows.governed.exchange.events import FAILURE, MARKED, gate, phase_of
from podium.workflows.governed.exchange.identity import foreign
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.payloads.questions import (
    Question,
    answered,
    read_question,
    unanswerable,
)
from podium.workflows.governed.phase.checklist import COMMANDS, Checklist, phase_checklist, sought
from podium.workflows.governed.phase.commit_message import commit_message
from podium.workflows.governed.phase.detecting import detected
from podium.workflows.governed.phase.documents import PhaseRecord, write_phase
from podium.workflows.governed.phase.failures import (
    DIAGNOSED,
    FailureRoute,
    PhaseFailure,
    classify,
    diagnosis_fault,
    route_failure,
)
from podium.workflows.governed.phase.hazards import planned_hazards
from podium.workflows.governed.phase.preflect import Beforehand, preflect
from podium.workflows.governed.phase_judging import (
    judge_report,
    judge_review,
    judge_wreck,
    unanswered,
)
from podium.workflows.governed.phase_reports import read_phase_report
from podium.workflows.governed.plan.plan import Phase, from_data
from podium.workflows.governed.policy.budgets import reflects
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.review.code_review import review_due
from podium.workflows.governed.roster import BY_NAME, executor_fault
from podium.workflows.governed.run import PhaseRun
from podium.workflows.governed.terms import CLASSES
from podium.workflows.protected import GUARDED

Texts = Mapping[str, str | None]
Evidence = Sequence[Mapping[str, Any]]
_COUNTED_HERE: Mapping[str, int] = dict.fromkeys(
    ("violation", "validation", "crash", "timeout", "rate_limit", "transient"), 0
)
"""No dispatch of a phase is repeated by itself: `route` counts every failure against the phase's
budgets.
"""


def phase(run: Run) -> PhaseRun:
    assert isinstance(run, PhaseRun)
    return run


def here(run: Run) -> Phase:
    return phase_of(phase(run).plan, phase(run).phase_id)


class PhaseWork(Workflow):
    name = "governed-phase"
    run_type = PhaseRun
    start = "preflect"

    def __init__(self, policy: Policy, backoff_s: float = 2.0) -> None:
        self.policy, self.backoff_s = policy, backoff_s
        self.invariants = phase_proofs.invariants(policy)
        self.steps = {
            name: replace(each, effect=self._bound(name, each.effect))
            for name, each in self.steps.items()
        }
        self.steps = {**self.steps, "route": self._budgeted(self.steps["route"])}

    def _budgeted(self, route: Step) -> Step:
        """The routing step without ways for which the policy has no budget."""
        said = {"escalate", *(phase_proofs.moved([[kind, ""]], self.policy) for kind in CLASSES)}
        exits = tuple(to for to in route.exits if to == "done" or "again" in said)
        return replace(
            route, outcomes=tuple(each for each in route.outcomes if each in said), exits=exits
        )

    def _bound(self, name: str, effect: Effect) -> Effect:
        decides: Mapping[str, Any] = {
            "preflect": self._preflect,
            "evidence": self._evidence,
            "mark": self._mark,
            "route": self._route,
        }
        match effect:
            case Check():
                return replace(
                    effect, decide=lambda run, texts, found: decides[name](phase(run), texts, found)
                )
            case Stage() if name == "execute":
                return replace(
                    effect, contract=self._execution, judge=self._executed, alarm=self._alarmed
                )
            case Stage() if name == "review":
                return replace(effect, contract=self._review, judge=self._reviewed)
            case _:
                return telling(name, effect, self.policy)

    @step(
        Check(
            "a last look before the executor is asked",
            reads=lambda run: _modified(here(run)),
            survey=ecosystems.wanted,
        ),
        phase="PreFlect",
        loops=True,
    )
    def preflect(
        self, run: PhaseRun, outcome: Literal["GO", "REPLAN", "ABSTAIN"]
    ) -> Literal["execute", "done"]:
        if outcome == "GO":
            return "execute"
        run.result, run.why = ("replan" if outcome == "REPLAN" else "escalated"), run.reason
        return "done"

    @step(Stage("executor", lambda _: Contract("executor")), phase="Execute", loops=True)
    def execute(
        self, run: PhaseRun, outcome: Literal["ok", "fail", "needs_input", "high_risk"]
    ) -> Literal["evidence", "route", "clarify", "accept_risk", "done"]:
        match outcome:
            case "ok":
                return "evidence"
            case "needs_input":
                return "clarify"
            case "high_risk" if run.granted:
                run.result, run.why = (
                    "escalated",
                    f"more high-risk actions than a person allowed: {_actions(run)}",
                )
                return "done"
            case "high_risk":
                return "accept_risk"
            case _:
                run.failing = run.failing or unanswered(run)
                return "route"

    @step(
        Gate(
            "Which of these?",
            kind="question",
            choices=(ANSWERED, "stop"),
            offers=lambda run: _offered(phase(run)),
            into="choice",
            detail=lambda run: _asked(phase(run)),
        ),
        phase="Question",
        loops=True,
    )
    def clarify(
        self, run: PhaseRun, outcome: Literal["answered", "stop"]
    ) -> Literal["execute", "done"]:
        if outcome == "stop":
            run.result, run.why = "escalated", "a person stopped the phase instead of answering"
            return "done"
        run.told, run.note = [*run.told, _answer(run)], ""
        run.choice = ""
        return "execute"

    @step(
        Gate(
            "Let it be done?",
            kind="high_risk",
            choices=("approved", "stop"),
            default_rejection="stop",
            detail=lambda run: _risks(phase(run)),
        ),
        phase="Question",
        loops=True,
    )
    def accept_risk(
        self, run: PhaseRun, outcome: Literal["approved", "stop"]
    ) -> Literal["execute", "done"]:
        if outcome == "stop":
            run.result, run.why = "escalated", f"a person did not allow {_actions(run)}"
            return "done"
        run.granted = True
        run.allowed = sorted({*run.allowed, *(action for action, _ in run.hazards)})
        run.told = [*run.told, f"A person allowed this phase: {_actions(run)}"]
        return "execute"

    @step(Check("build, tests and lint, as the program ran them"), phase="Evidence", loops=True)
    def evidence(
        self, run: PhaseRun, outcome: Literal["pass", "fail"]
    ) -> Literal["review", "mark", "route"]:
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
                run.result, run.why = "escalated", "the code reviewer abstained twice"
                return "done"
            case _:
                run.unheard = not run.failing
                run.failing = run.failing or unanswered(run)
                return "route"

    @step(
        Check("the phase's checklist, todo and document", kind="document"),
        phase="Complete",
        loops=True,
    )
    def mark(self, run: PhaseRun, outcome: Literal["complete", "open"]) -> Literal["done", "route"]:
        if outcome == "open":
            return "route"
        run.result = "complete"
        return "done"

    @step(Check("what the failure's class and budgets allow"), phase="Failure", loops=True)
    def route(
        self, run: PhaseRun, outcome: Literal["again", "replan", "escalate"]
    ) -> Literal["execute", "review", "done"]:
        unheard, run.failing, run.unheard = run.unheard, [], False
        if outcome == "again":
            return "review" if unheard else "execute"
        run.result, run.why = ("replan" if outcome == "replan" else "escalated"), run.reason
        return "done"

    # -- decisions

    def _preflect(self, run: PhaseRun, texts: Texts, evidence: Evidence) -> Judgement:
        at = here(run)
        fault = executor_fault(at.executor_agent)
        seen = Beforehand(
            executor_fault=fault,
            undeclared=run.undeclared,
            payload_faults=() if fault else self._sent(run).faults,
            open_dependencies=[each for each in at.dependencies if each not in run.complete],
            unmarked=run.unmarked,
            missing_inputs=[path for path, text in texts.items() if text is None],
            hazards=[
                each.action
                for each in planned_hazards(at, self.policy)
                if each.action not in run.allowed
            ],
        )
        found = preflect(seen)
        event = gate(
            run,
            self.policy,
            "PREFLECT_GATE",
            "ACTING",
            found.decision,
            found.reason,
            "dispatch the executor" if found.decision == "GO" else "stop",
            phase_id=run.phase_id,
            needs_person=found.needs_person,
            checks=(
                "todo_verified",
                "scope_checked",
                "policy_checked",
                "destructive_action_checked",
            ),
        )
        return Judgement(
            "ok",
            found.decision,
            found.reason,
            found.decision,
            facts=(event,),
            sets={"commands": detected(evidence, at.writes)},
        )

    def _told(self, run: PhaseRun) -> list[str]:
        failed = [
            f"Attempt {n} failed ({kind}): {why}" for n, (kind, why) in enumerate(run.failures, 1)
        ]
        if (
            run.failures
            and run.failures[-1][0] == "fixable"
            and (missing := diagnosis_fault(run.tier, run.report, self.policy))  # type: ignore[arg-type]
        ):
            failed.append(f"Find the cause first: {missing}")
        return [*run.told, *failed]

    def _asides(self, run: PhaseRun) -> list[str]:
        spill = (
            f"Long output of tools may go to {paths.spill_folder(run.task, self.policy)}; it "
            "stays in your copy."
        )
        return [
            spill,
            *(["Say in next_steps what this phase taught."] if reflects(self.policy) else []),
        ]

    def _sent(self, run: PhaseRun) -> Delegation:
        return delegations.phase(
            from_data(run.plan),
            here(run),
            self.policy,
            task_id=run.task,
            told=self._told(run),
            retry_attempt=len(run.failures),
        )

    def _execution(self, run: Run) -> Contract:
        at, now = phase(run), here(run)
        agent = BY_NAME[now.executor_agent]
        # A phase that names no file to write writes none, whoever executes it.
        writes = agent.writes and bool(now.writes) and not now.read_only
        before = at.visits.get("execute", 1) - 1
        return Contract(
            role=agent.role,
            inputs=(Input("plan", at.plan_file or paths.plan_path(at.task), required=False),),
            code="write" if writes else "read",
            writable=now.writes if writes else (),
            protected=PROTECTED,
            hidden=HIDDEN,
            spill=(f"{paths.spill_folder(at.task, self.policy)}**",) if writes else (),
            most_spilled=paths.most_spilled(self.policy),
            dialect=dialect_name(agent.role, self.policy.generation),
            belongs=partial(foreign, from_data(at.plan)),
            evidence=tuple(COMMANDS.values()) if writes else (),
            survey=ecosystems.wanted,
            guessed=lambda data, seen: (
                sought({**at.commands, **detected([seen], now.writes)}, read_phase_report(data))
                if data
                else {}
            ),
            weighs_git=True,
            proof_of_change="standing" if writes else "none",
            told=(*handed(self._sent(at)), *self._asides(at)),
            goes_on=f"execute/{before}" if before else "",
            retries=_COUNTED_HERE,
        )

    def _executed(self, report: Report) -> Judgement:
        assert report.run is not None
        return judge_report(self.policy, self._sent(phase(report.run)), report)

    def _alarmed(self, report: Report) -> Judgement | None:
        return judge_wreck(self.policy, report)

    def _evidence(self, run: PhaseRun, _texts: Texts, _found: Evidence) -> Judgement:
        listed = self._checklist(run, None)
        if listed.failure:
            failing = [classify(listed.failure), "; ".join(listed.reasons)]
            return Judgement(
                "revise",
                "fail",
                failing[1],
                "fail",
                listed.contradictions,
                sets={"failing": failing},
            )
        due = review_due(here(run), run.tier, run.changed, self.policy)  # type: ignore[arg-type]
        return Judgement("ok", "pass", "", "pass", sets={"reviewed": due})

    def _checklist(self, run: PhaseRun, review: bool | None) -> Checklist:
        return phase_checklist(
            read_phase_report(run.report),
            run.ran,
            review=review,
            todo=True,
            gates=here(run).quality_gates,
        )

    def _asked_review(self, run: PhaseRun) -> Delegation:
        return delegations.code_review(run.changed, self.policy, phase=here(run), report=run.report)

    def _review(self, run: Run) -> Contract:
        at = phase(run)
        return Contract(
            role="code-reviewer",
            inputs=(Input("plan", at.plan_file or paths.plan_path(at.task), required=False),),
            code="read",
            protected=PROTECTED,
            hidden=HIDDEN,
            dialect=dialect_name("code-reviewer", self.policy.generation),
            told=handed(self._asked_review(at)),
            retries=_COUNTED_HERE,
            changes=f"plans/artifacts/{at.task}/changes.patch",
            belongs=partial(foreign, from_data(at.plan)),
        )

    def _reviewed(self, report: Report) -> Judgement:
        assert report.run is not None
        return judge_review(self.policy, self._asked_review(phase(report.run)), report)

    def _mark(self, run: PhaseRun, _texts: Texts, _found: Evidence) -> Judgement:
        now = here(run)
        listed = self._checklist(run, True if run.reviewed else None)
        if not listed.complete:
            failing = [classify(listed.failure), "; ".join(listed.reasons)]
            return Judgement("revise", "open", failing[1], "open", sets={"failing": failing})
        review = str(run.review["status"]) if run.reviewed else "not due"
        record = PhaseRecord(
            now,
            str(run.report.get("summary") or now.objective),
            tuple(run.changed),
            review,
            listed,
            commit_message("feat", now.title),
            tuple(run.advice),
        )
        event = gate(
            run,
            self.policy,
            "PHASE_REVIEW_GATE",
            "REVIEWING",
            "GO",
            f"{now.name} is complete",
            "mark its todo",
            phase_id=run.phase_id,
            checks=("todo_verified", "scope_checked"),
            confidence=read_phase_report(run.report).confidence,
        )
        todo = {"type": MARKED, "phase": run.phase_id, "title": now.name, "done": True}
        writes = {paths.phase_path(run.task, run.phase_id): write_phase(record)}
        return Judgement("ok", "complete", "", "complete", facts=(event, todo), writes=writes)

    def _route(self, run: PhaseRun, _texts: Texts, _found: Evidence) -> Judgement:
        failures = [*run.failures, run.failing or ["escalate", "nobody knows why"]]
        counted = [PhaseFailure(kind, why) for kind, why in (*run.earlier, *failures)]  # type: ignore[arg-type]
        move = route_failure(counted, self.policy, self.backoff_s)
        outcome = {"replan": "replan", "escalate": "escalate"}.get(move.action, "again")
        decision = {"again": "GO", "replan": "REPLAN"}.get(outcome, "BLOCKED")
        why = f"{move.classification}: {move.reason}" + (f" ({move.rule})" if move.rule else "")
        event = gate(
            run,
            self.policy,
            "PHASE_REVIEW_GATE",
            "REVIEWING" if outcome != "escalate" else "WAITING_APPROVAL",
            decision,
            why,
            move.action.replace("_", " "),
            phase_id=run.phase_id,
            needs_person=outcome == "escalate",
            diagnosis=self._diagnosis(run, move),
        )
        failed = {
            "type": FAILURE,
            "phase": run.phase_id,
            "classification": move.classification,
            "action": move.action,
            "retry_attempt": move.retry_attempt,
            "delay_s": move.delay_s,
            "rule": move.rule,
            "reason": move.reason,
        }
        sets = {
            "failures": failures,
            "transient": run.transient or move.classification == "transient",
        }
        told = (event, failed, self._counted(run, move))
        return Judgement(
            "ok",
            move.action,
            why,
            outcome,
            sets=sets,
            facts=told,
            delay_s=move.delay_s if outcome == "again" else 0.0,
        )

    def _counted(self, run: PhaseRun, move: FailureRoute) -> Mapping[str, Any]:
        """How the retry budgets count the dispatch that failed; if they end it, the policy's
        number is named.
        """
        asked = "review" if run.unheard else "execute"
        key = f"{asked}/{run.visits.get(asked, 1)}"
        if move.action == "escalate":
            return by_workflow(
                retry_exhausted(key, move.classification, move.rule or "retry_budgets.escalate_max")
            )
        limit = self.policy.integer(f"retry_budgets.{move.classification}_max")
        return by_workflow(
            retry_scheduled(
                key,
                move.classification,
                move.retry_attempt + 1,
                limit,
                move.delay_s,
                (move.reason,),
            )
        )

    def _diagnosis(self, run: PhaseRun, move: FailureRoute) -> Mapping[str, Any] | None:
        """Larger plans retry a fix only with a diagnosis: the report's, or what the program
        itself knows.
        """
        if move.action != "retry_with_hint" or run.tier not in DIAGNOSED:
            return None
        sent = run.report.get("diagnosis_evidence")
        if isinstance(sent, Mapping):
            return {
                name: str(sent[name])
                for name in ("reproduction_steps", "root_cause_hypothesis", "affected_component")
                if name in sent
            } or None
        component = ", ".join(run.changed or here(run).writes) or here(run).name
        return {
            "reproduction_steps": f"attempt {move.retry_attempt} of {here(run).name}",
            "root_cause_hypothesis": move.reason[:500],
            "affected_component": component,
        }

    # -- what the engine asks about a run

    def variants(self) -> Sequence[Run]:
        return [self.first(plan=good_plan())]

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        return phase_proofs.imagined(phase(run), outcome, self.policy)

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        return files.projections(phase(run).task, phase(run).trace_id, history)

    def about(self, run: Run, history: History, today: str) -> About:
        at, now = phase(run), here(run)
        return About(
            f"{now.name}\n{now.objective}",
            {"Task": at.task, "Phase": str(at.phase_id)},
            (at.note,) if at.note else (),
        )

    def protected(self, run: Run) -> Sequence[str]:
        # Other phases work beside this one, and the program writes their results.
        return (*GUARDED, phase(run).plan_file or paths.plan_path(phase(run).task))


def _modified(now: Phase) -> list[str]:
    """Files that must exist before the phase can change them."""
    return [
        each.path
        for each in now.files
        if each.action == "modify" and not set("*?") & set(each.path)
    ]


def _question(run: PhaseRun) -> Question | None:
    return read_question(run.report) if run.question else None


def _offered(run: PhaseRun) -> list[str]:
    question = _question(run)
    return [each.id for each in question.options] if question else []


def _asked(run: PhaseRun) -> str:
    question = _question(run)
    head = f"{here(run).name} ({here(run).executor_agent}) needs a decision."
    return (
        f"{head}\n{question.prompt()}\n"
        if question
        else f"{head} {'; '.join(unanswerable(run.report))}."
    )


def _answer(run: PhaseRun) -> str:
    """The answer as the next delegation states it; a person may also answer in their own words."""
    question = _question(run)
    if question is None or not run.choice:
        return f"You asked; a person answered: {run.note}"
    return answered(question, run.choice, run.note)


def _actions(run: PhaseRun) -> str:
    return ", ".join(dict.fromkeys(action for action, _ in run.hazards))


def _risks(run: PhaseRun) -> str:
    seen = "".join(f"\n  {action}: {evidence}" for action, evidence in run.hazards)
    return (
        f"{here(run).name} did what needs a person's approval, and none of it is in the project "
        f"yet:{seen}\n"
    )
