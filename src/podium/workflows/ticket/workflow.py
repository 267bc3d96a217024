"""From a ticket to a committed branch: an outer loop of plans, an inner loop of groups of tasks, and a git gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from podium.core.effects import Check, Cluster, Commit, Effect, Gate, Member, Stage
from podium.core.errors import Blocked
from podium.core.history import History
from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.core.workflow import About, Projection, Workflow, step
from podium.workflows.ticket import (
    analysing,
    contracts,
    ending,
    files,
    gating,
    iterations,
    proofs,
    reviewing,
    working,
)
from podium.workflows.ticket.contracts import ticket
from podium.workflows.ticket.naming import DOCS, DOCS_CACHE
from podium.workflows.ticket.noting import Evidence
from podium.workflows.ticket.run import TicketRun

Texts = Mapping[str, str | None]


def _with(decide: Callable[[TicketRun, Texts, Evidence], Judgement]) -> Any:
    return lambda run, texts, found: decide(ticket(run), texts, found)


def _planners(run: Run) -> list[Member]:
    """The Initializer works beside the Planner where the documentation cannot be trusted."""
    at = ticket(run)
    found = [Member("planner", contracts.planner)]
    if not at.docs_trusted and at.iteration == 0:
        found.append(Member("initializer", contracts.initializer))
    return found


def _planned(found: Mapping[str, Judgement]) -> Judgement:
    plan = found["planner"]
    return Judgement(plan.outcome, plan.word, plan.reason, plan.classification, stop=plan.stop)


def _developers(run: Run) -> list[Member]:
    at = ticket(run)
    return [
        Member(f"{name}/{at.tasks.get(name, ['', 1])[1]}", partial(contracts.task, name), contracts.judge_task)
        for name in at.batch
    ]


def _developed(found: Mapping[str, Judgement]) -> Judgement:
    results = {name.rpartition("/")[0]: _result(each) for name, each in found.items()}
    word = ", ".join(f"{name} {each['status']}" for name, each in results.items())
    return Judgement("ok", word, sets={"results": results})


def _result(found: Judgement) -> dict[str, Any]:
    known = found.sets.get("result")
    if isinstance(known, Mapping) and found.word != "conflict":
        return dict(known)
    return {"status": "REJECTED", "evidence": [found.reason or found.word], "changed": []}


def _tasks(run: Run) -> Sequence[str]:
    return [ticket(run).paths.tasks(ticket(run).iteration)]


def _commit(run: Run) -> Commit | None:
    at = ticket(run)
    return Commit(at.summary, tuple(at.touched), f"Ticket: {at.jira}") if at.touched else None


class Ticket(Workflow):
    name = "ticket"
    run_type = TicketRun
    start = "analyse"

    def __init__(self, policy: Mapping[str, Any]) -> None:
        self.policy = policy
        self.invariants = proofs.invariants(policy)
        self.steps = {name: replace(each, effect=self._bound(name, each.effect)) for name, each in self.steps.items()}

    def _bound(self, name: str, effect: Effect) -> Effect:
        """Effects that need this project's policy."""
        match effect:
            case Check() if name == "analyse":
                return replace(effect, decide=lambda run, texts, found: analysing.analyse(ticket(run), texts, found, self.policy))
            case Check() if name == "next_group":
                return replace(effect, decide=lambda run, texts, found: working.next_move(ticket(run), texts, found, self.policy))
            case Cluster() if name == "develop":
                return replace(effect, limit=self.policy["max_parallel_tasks"] or 4)
            case _:
                return effect

    # -- startup

    @step(
        Check("commands, cores, documentation, likely files, the request", survey=analysing.wanted, timed=True,
              reads=lambda _: (*DOCS, DOCS_CACHE)),
        phase="Startup",
    )  # fmt: skip
    def analyse(
        self, run: TicketRun, outcome: Literal["clear", "ambiguous", "legacy"]
    ) -> Literal["prompted", "interpret"]:
        if outcome == "legacy":
            raise Blocked(run.reason or "legacy artifacts", "legacy")
        return "prompted" if outcome == "clear" else "interpret"

    @step(Stage("interpreter", contracts.interpreter), phase="Startup")
    def interpret(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["prompted"]:
        return "prompted"

    @step(
        Check("what prompt.yaml says", kind="document", reads=lambda run: [ticket(run).paths.prompt], decide=_with(analysing.prompted)),
        phase="Startup",
    )
    def prompted(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["plan"]:
        return "plan"

    # -- plan

    @step(Cluster(_planners, _planned, most=2), phase="Plan", key=lambda run: f"iteration/{run.iteration}/plan")
    def plan(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["settle"]:
        return "settle"

    @step(
        Check("whether tasks.yaml can be used", kind="document", reads=_tasks, decide=_with(working.settle)),
        phase="Plan", key=lambda run: f"iteration/{run.iteration}/tasks/{1 + run.split}",
    )  # fmt: skip
    def settle(
        self, run: TicketRun, outcome: Literal["use", "split", "none"]
    ) -> Literal["split_tasks", "git_look", "next_group"]:
        if outcome == "none":
            raise Blocked(run.reason or "no usable tasks.yaml", "tasks")
        if outcome == "split":
            run.split = True
            return "split_tasks"
        return "next_group" if run.gated else "git_look"

    @step(Stage("splitter", contracts.splitter), phase="Plan", key=lambda run: f"iteration/{run.iteration}/split")
    def split_tasks(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["settle"]:
        return "settle"

    # -- the git gate

    @step(
        Check("the state of your checkout", kind="git", branch=lambda run: ticket(run).branch, decide=_with(gating.look)),
        phase="Git gate", base="git-look", loops=True,
    )  # fmt: skip
    def git_look(
        self, run: TicketRun, outcome: Literal["go", "ask_dirty", "ask_branch", "refused"]
    ) -> Literal["git_move", "ask_dirty", "ask_branch"]:
        match outcome:
            case "refused":
                raise Blocked(run.reason or "refused at the git gate", "git")
            case "go":
                return "git_move"
            case _:
                return outcome

    @step(
        Gate("Your checkout has changes that are not only documents. What shall happen to them?", kind="question",
             choices=("stash", "commit", "carry", "abort")),
        phase="Git gate",
    )  # fmt: skip
    def ask_dirty(
        self, run: TicketRun, outcome: Literal["stash", "commit", "carry", "abort"]
    ) -> Literal["git_look"]:
        run.answers = {**run.answers, "dirty": outcome}
        return "git_look"

    @step(
        Gate("The run's branch exists and this run did not create it. Use it?", kind="question", choices=("use", "abort")),
        phase="Git gate",
    )
    def ask_branch(self, run: TicketRun, outcome: Literal["use", "abort"]) -> Literal["git_look"]:
        run.answers = {**run.answers, "branch": outcome}
        return "git_look"

    @step(
        Check("the run's own branch", kind="git", branch=lambda run: ticket(run).branch, acts=lambda run: ticket(run).actions,
              reads=lambda _: [".gitignore"], decide=_with(gating.moved)),
        phase="Git gate", base="git-move", loops=True,
    )  # fmt: skip
    def git_move(self, run: TicketRun, outcome: Literal["ok", "refused"]) -> Literal["next_group"]:
        if outcome == "refused":
            raise Blocked(run.reason or "refused at the git gate", "git")
        run.gated = True
        return "next_group"

    # -- groups of tasks

    @step(
        Check("the next move of the groups", kind="decision", reads=_tasks, timed=True),
        phase="Tasks", base="next-group", loops=True,
    )  # fmt: skip
    def next_group(
        self, run: TicketRun, outcome: Literal["develop", "validate", "review_task", "exhausted", "finished", "trivial"]
    ) -> Literal["develop", "validate", "review_task", "review", "accept"]:
        match outcome:
            case "exhausted":
                raise Blocked(run.reason or "a task used up its attempts", "attempts")
            case "finished":
                return "review"
            case "trivial":
                return "accept"
            case _:
                return outcome

    @step(
        Cluster(_developers, _developed, most=8, in_order=True), phase="Tasks",
        key=lambda run: f"iteration/{run.iteration}/task",
    )  # fmt: skip
    def develop(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["next_group"]:
        self._count(run)
        return "next_group"

    @step(
        Check("the group's build and test", kind="command", runs=lambda run: ticket(run).commands, decide=_with(working.validated)),
        phase="Tasks", loops=True,
    )  # fmt: skip
    def validate(self, run: TicketRun, outcome: Literal["pass", "fail"]) -> Literal["next_group"]:
        self._count(run)
        return "next_group"

    @step(
        Stage("reviewer", contracts.task_review, contracts.judge_task_review), phase="Tasks",
        key=lambda run: f"iteration/{run.iteration}/review/{run.batch[0] if run.batch else 'task'}/{run.tasks.get(run.batch[0], ['', 1])[1] if run.batch else 1}",
    )  # fmt: skip
    def review_task(self, run: TicketRun, outcome: Literal["ok", "revise"]) -> Literal["next_group"]:
        self._count(run)
        return "next_group"

    def _count(self, run: TicketRun) -> None:
        """Evidence and changed files of the last step; its statuses are written by the next."""
        for name, each in run.results.items():
            run.evidence = {**run.evidence, name: [*run.evidence.get(name, []), *each.get("evidence", [])][-20:]}
            run.touched = sorted({*run.touched, *each.get("changed", [])})

    # -- the end of an iteration

    @step(
        Check("the fast path's acceptance", kind="document", timed=True, decide=_with(reviewing.auto_accept)),
        phase="Review", key=lambda run: f"iteration/{run.iteration}/accept",
    )  # fmt: skip
    def accept(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["commit"]:
        run.accepted = True
        return "commit"

    @step(
        Stage("reviewer", contracts.prompt_review, contracts.judge_review), phase="Review",
        key=lambda run: f"iteration/{run.iteration}/review",
    )  # fmt: skip
    def review(self, run: TicketRun, outcome: Literal["ok", "revise"]) -> Literal["judge"]:
        return "judge"

    @step(
        Check("the review beside the program's own build and test", kind="command", timed=True,
              runs=lambda run: reviewing.commands(ticket(run)), decide=_with(reviewing.judged)),
        phase="Review", key=lambda run: f"iteration/{run.iteration}/verdict",
    )  # fmt: skip
    def judge(self, run: TicketRun, outcome: Literal["accepted", "rejected"]) -> Literal["commit", "plan"]:
        if outcome == "accepted":
            run.accepted = True
            return "commit"
        found = iterations.after_review(run.iteration, accepted=False, limit=self.policy["max_iterations"])
        if isinstance(found, iterations.Stop):
            raise Blocked(found.message, "iterations")
        run.iteration += 1
        run.tasks, run.batch, run.split, run.group, run.metrics = {}, [], False, "", {}
        run.trivial, run.minutes, run.evidence = False, {}, {}
        return "plan"

    @step(
        Check("the commit on the run's branch", kind="git", commit=_commit, decide=_with(reviewing.committed)), phase="Commit"
    )
    def commit(self, run: TicketRun, outcome: Literal["refresh", "none"]) -> Literal["refresh", "cache"]:
        return "refresh" if outcome == "refresh" else "cache"

    @step(Stage("initializer", contracts.initializer, reviewing.judge_refresh), phase="Documentation")
    def refresh(self, run: TicketRun, outcome: Literal["ok", "fail"]) -> Literal["cache"]:
        if outcome == "fail":
            run.warn(f"the documentation was not refreshed: {run.reason}")
        return "cache"

    @step(
        Check("the state of the documentation", kind="document", timed=True, reads=lambda _: (*DOCS, DOCS_CACHE), decide=_with(reviewing.cached)),
        phase="Documentation",
    )
    def cache(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["give_back"]:
        return "give_back"

    @step(
        Check("what was put aside is given back", kind="git", branch=lambda run: ticket(run).branch,
              acts=lambda run: ("unstash",) if ticket(run).give_back else (), decide=_with(reviewing.parted)),
        phase="Documentation", base="give-back",
    )  # fmt: skip
    def give_back(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"

    # -- what the engine asks about a run

    def variants(self) -> Sequence[Run]:
        return [self.first(docs_trusted=flag) for flag in (True, False)]

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        return proofs.imagined(ticket(run), outcome, self.policy)

    def unblocked(self, run: Run) -> None:
        """A person sends the run on: tasks that used up their attempts have them again in tasks.yaml."""
        at = ticket(run)
        at.results = {name: {"status": "PENDING", "evidence": []} for name, (status, _) in at.tasks.items() if status in {"REJECTED", "ERROR", "SYNTAX_ERROR"}}

    def parting(self, run: Run) -> Sequence[str]:
        return ("unstash",) if ticket(run).give_back else ()

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        return files.projections(ticket(run), history)

    def artifacts(self, run: Run) -> Mapping[str, str]:
        at = ticket(run)
        number = at.iteration
        return {"prompt": at.paths.prompt, "progress": at.paths.progress, "plan": at.paths.plan(number), "tasks": at.paths.tasks(number), "review": at.paths.review(number)}

    def about(self, run: Run, history: History, today: str) -> About:
        at = ticket(run)
        return About(f"{at.jira}: {at.text}", {"Ticket": at.jira, "Request": at.text, "Date": today}, (at.note,) if at.note else ())

    def roles(self) -> Mapping[str, str]:
        return dict.fromkeys(files.ROLES, "")

    def protected(self, run: Run) -> Sequence[str]:
        return contracts.PROTECTED

    def closing(self, run: Run) -> str:
        at = ticket(run)
        if at.status is not Status.COMPLETE:
            return ""
        tested = "PASSED" if at.test_command else "NOT RUN"
        built = "PASSED" if at.build_command else "NOT RUN"
        return ending.success(jira=at.jira, iteration=at.iteration, tasks=len(at.tasks), branch=at.branch, build=built, tests=tested)
