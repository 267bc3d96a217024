"""From a ticket to a committed branch: an outer loop of plans, an inner loop of groups of tasks,
and a git gate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from podium.core import keys
from podium.core.effects import Check, Cluster, Effect, Gate, Stage
from podium.core.errors import Blocked
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import step
from podium.workflows.ticket import (
    analysing,
    contracts,
    crew,
    gating,
    iterations,
    judges,
    legacy,
    proofs,
    proposing,
    reviewing,
    settling,
    working,
)
from podium.workflows.ticket.contracts import ticket
from podium.workflows.ticket.noting import Evidence
from podium.workflows.ticket.request import request
from podium.workflows.ticket.request.naming import DOCS, DOCS_CACHE
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.standing import Standing

Texts = Mapping[str, str | None]


def _with(decide: Callable[[TicketRun, Texts, Evidence], Judgement]) -> Any:
    return lambda run, texts, found: decide(ticket(run), texts, found)


def _tasks(run: Run) -> Sequence[str]:
    return [ticket(run).paths.tasks(ticket(run).iteration)]


def _branch(run: Run) -> str:
    return ticket(run).branch


def _reviewed_task(run: TicketRun) -> str:
    name = run.batch[0] if run.batch else "task"
    return keys.join("iteration", run.iteration, "review", keys.path(crew.member_name(run, name)))


class Ticket(Standing):
    name = "ticket"
    run_type = TicketRun
    start = "analyse"
    lasting: ClassVar[frozenset[str] | None] = frozenset(
        {
            "touched",
            "refreshed",
            "give_back",
            "answers",
            "warnings",
            "created_at",
            "build_command",
            "test_command",
            "parallel",
        }
    )

    def __init__(self, policy: Mapping[str, Any], *, asks_which: bool = False) -> None:
        self.policy = policy
        self.invariants = proofs.invariants(policy)
        self.start = "which_ticket" if asks_which else "analyse"
        once = (
            {("judge", "begin"), ("settle", "next_group")}
            if policy["max_iterations"] < 2
            else set()
        )
        self.steps = {
            name: replace(
                each,
                effect=self._bound(name, each.effect),
                exits=tuple(to for to in each.exits if (name, to) not in once),
            )
            for name, each in self.steps.items()
        }

    def _bound(self, name: str, effect: Effect) -> Effect:
        """The effect, bound to this project's policy if it needs it."""
        match effect:
            case Check() if name == "analyse":
                return replace(
                    effect,
                    decide=lambda run, texts, found: analysing.analyse(
                        ticket(run), texts, found, self.policy
                    ),
                )
            case Check() if name == "begin":
                return replace(
                    effect,
                    decide=lambda run, texts, found: analysing.begin(
                        ticket(run), texts, found, self.policy
                    ),
                )
            case Check() if name == "next_group":
                return replace(
                    effect,
                    decide=lambda run, texts, found: working.next_move(
                        ticket(run), texts, found, self.policy
                    ),
                )
            case _:
                return effect

    # -- startup

    @step(
        Gate(
            "The request names several tickets. Which one is this run about?",
            kind="question",
            choices=("chosen",),
            offers=lambda run: ticket(run).ids,
            into="chosen",
        ),
        phase="Startup",
        rare=True,
    )
    def which_ticket(self, run: TicketRun, outcome: Literal["chosen"]) -> Literal["analyse"]:
        if run.chosen:
            run.jira, run.text = run.chosen, request.about_ticket(run.original, run.chosen).text
        return "analyse"

    @step(
        Check(
            "commands, cores, documentation, likely files, the request",
            survey=analysing.wanted,
            timed=True,
            heads=True,
            looks=lambda run: [ticket(run).paths.folder],
            reads=lambda _: (*DOCS, DOCS_CACHE),
        ),
        phase="Startup",
    )
    def analyse(
        self, run: TicketRun, outcome: Literal["clear", "ambiguous", "restored", "legacy"]
    ) -> Literal["prompted", "interpret"]:
        if outcome == "legacy":
            raise Blocked(run.reason or legacy.MIXED, "legacy")
        return "interpret" if outcome == "ambiguous" else "prompted"

    @step(Stage("interpreter", contracts.interpreter), phase="Startup", rare=True)
    def interpret(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["prompted"]:
        return "prompted"

    @step(
        Check(
            "what prompt.yaml says",
            kind="document",
            reads=lambda run: [ticket(run).paths.prompt],
            decide=_with(analysing.prompted),
        ),
        phase="Startup",
    )
    def prompted(
        self, run: TicketRun, outcome: Literal["ok"]
    ) -> Literal["begin", "settle", "git_look"]:
        """A run that continues from its files always passes the git gate before it reaches code."""
        at, run.resumes_at = run.resumes_at, ""
        if at == "O4":
            run.by_hand = True
            return "settle"
        return "git_look" if at in {"O4.5", "O5", "O6", "O7"} else "begin"

    # -- plan

    @step(
        Check("the beginning of an iteration", timed=True, heads=True, reads=_tasks),
        phase="Plan",
        key=lambda run: f"iteration/{run.iteration}/begin",
    )
    def begin(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["plan"]:
        return "plan"

    @step(
        Cluster(crew.planners, crew.planned, most=2),
        phase="Plan",
        key=lambda run: f"iteration/{run.iteration}/plan",
    )
    def plan(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["settle"]:
        return "settle"

    @step(
        Check(
            "whether tasks.yaml can be used",
            kind="document",
            reads=_tasks,
            timed=True,
            decide=_with(settling.settle),
        ),
        phase="Plan",
        key=lambda run: f"iteration/{run.iteration}/tasks/{run.settled}",
    )
    def settle(
        self, run: TicketRun, outcome: Literal["use", "split", "none"]
    ) -> Literal["split_tasks", "git_look", "next_group"]:
        if outcome == "none":
            raise Blocked(run.reason or "no usable tasks.yaml", "tasks")
        run.settled += 1
        if outcome == "split":
            run.split = True
            return "split_tasks"
        return "next_group" if run.gated else "git_look"

    @step(
        Stage("splitter", contracts.splitter, judges.plan),
        phase="Plan",
        rare=True,
        key=lambda run: f"iteration/{run.iteration}/split",
    )
    def split_tasks(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["settle"]:
        return "settle"

    # -- the git gate

    @step(
        Check(
            "the state of your checkout",
            kind="git",
            branch=_branch,
            reads=_tasks,
            decide=_with(gating.look),
        ),
        phase="Git gate",
        base="git-look",
        loops=True,
    )
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
        Gate(
            "Your checkout has uncommitted changes, not only to documents. What should happen "
            "to them: stash (put aside, given back when the "
            "run ends), commit first (on the run's branch), carry along (they stay where they "
            "are), abort?",
            kind="question",
            choices=("stash", "commit", "carry", "abort"),
            detail=lambda run: ticket(run).question,
        ),
        phase="Git gate",
        rare=True,
    )
    def ask_dirty(
        self, run: TicketRun, outcome: Literal["stash", "commit", "carry", "abort"]
    ) -> Literal["git_look"]:
        run.answers = {**run.answers, "dirty": outcome}
        return "git_look"

    @step(
        Gate(
            "It exists and this run did not create it. Use it?",
            kind="question",
            choices=("use", "abort"),
            detail=lambda run: ticket(run).question,
        ),
        phase="Git gate",
        rare=True,
    )
    def ask_branch(self, run: TicketRun, outcome: Literal["use", "abort"]) -> Literal["git_look"]:
        run.answers = {**run.answers, "branch": outcome}
        return "git_look"

    @step(
        Check(
            "the run's own branch",
            kind="git",
            branch=_branch,
            acts=lambda run: ticket(run).actions,
            leaves=lambda run: (*ticket(run).touched, *ticket(run).refreshed),
            reads=lambda _: [".gitignore"],
            decide=_with(gating.moved),
        ),
        phase="Git gate",
        base="git-move",
        loops=True,
    )
    def git_move(self, run: TicketRun, outcome: Literal["ok", "refused"]) -> Literal["next_group"]:
        if outcome == "refused":
            raise Blocked(run.reason or "refused at the git gate", "git")
        run.gated = True
        return "next_group"

    # -- groups of tasks

    @step(
        Check("the next move of the groups", reads=_tasks, timed=True),
        phase="Tasks",
        base="next-group",
        loops=True,
        onward=True,
    )
    def next_group(
        self,
        run: TicketRun,
        outcome: Literal[
            "develop", "validate", "review_task", "exhausted", "invalid", "finished", "trivial"
        ],
    ) -> Literal["develop", "validate", "review_task", "review", "accept"]:
        match outcome:
            case "exhausted":
                raise Blocked(run.reason or "a task used up its attempts", "attempts")
            case "invalid":
                raise Blocked(run.reason or "tasks.yaml cannot be used", "tasks")
            case "finished":
                return "review"
            case "trivial":
                return "accept"
            case _:
                return outcome

    @step(
        Cluster(
            crew.developers,
            crew.developed,
            width=lambda run: ticket(run).parallel,
            most=8,
            in_order=True,
        ),
        phase="Tasks",
        key=lambda run: f"iteration/{run.iteration}/task",
        onward=True,
    )
    def develop(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["next_group"]:
        self._remember(run)
        return "next_group"

    @step(
        Check(
            "the group's build and test",
            kind="command",
            runs=lambda run: working.commands(ticket(run)),
            decide=_with(working.validated),
        ),
        phase="Tasks",
        loops=True,
        onward=True,
    )
    def validate(self, run: TicketRun, outcome: Literal["pass", "fail"]) -> Literal["next_group"]:
        self._remember(run)
        return "next_group"

    @step(
        Stage("reviewer", contracts.task_review, judges.task_review),
        phase="Tasks",
        key=_reviewed_task,
        onward=True,
    )
    def review_task(
        self, run: TicketRun, outcome: Literal["ok", "revise"]
    ) -> Literal["next_group"]:
        self._remember(run)
        return "next_group"

    def _remember(self, run: TicketRun) -> None:
        """Keep evidence and changed files of the last step; the next step writes its statuses."""
        for name, each in run.results.items():
            if said := each.get("evidence"):
                run.evidence = {**run.evidence, name: list(said)}
            run.touched = sorted({*run.touched, *each.get("changed", [])})

    # -- the end of an iteration

    @step(
        Check(
            "the fast path's acceptance",
            kind="document",
            timed=True,
            decide=_with(reviewing.auto_accept),
        ),
        phase="Review",
        key=lambda run: f"iteration/{run.iteration}/accept",
    )
    def accept(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["commit"]:
        run.accepted = True
        return "commit"

    @step(
        Stage("reviewer", contracts.prompt_review, judges.review),
        phase="Review",
        key=lambda run: f"iteration/{run.iteration}/review",
    )
    def review(self, run: TicketRun, outcome: Literal["ok", "revise"]) -> Literal["judge"]:
        return "judge"

    @step(
        Check(
            "the review beside the program's own build and test",
            kind="command",
            timed=True,
            runs=lambda run: reviewing.commands(ticket(run)),
            reads=lambda run: [ticket(run).paths.review(ticket(run).iteration)],
            decide=_with(reviewing.judged),
        ),
        phase="Review",
        base="verdict",
        loops=True,
    )
    def judge(
        self, run: TicketRun, outcome: Literal["accepted", "rejected"]
    ) -> Literal["commit", "begin"]:
        if outcome == "accepted":
            run.accepted = True
            return "commit"
        found = iterations.after_review(
            run.iteration, accepted=False, limit=self.policy["max_iterations"]
        )
        if isinstance(found, iterations.Stop):
            raise Blocked(found.message, "iterations")
        reviewing.next_iteration(run)
        return "begin"

    @step(
        Check(
            "the commit on the run's branch",
            kind="git",
            commit=lambda run: reviewing.commit(ticket(run)),
            decide=_with(reviewing.committed),
        ),
        phase="Commit",
        seals=True,
    )
    def commit(
        self, run: TicketRun, outcome: Literal["refresh", "none"]
    ) -> Literal["refresh", "cache"]:
        return "refresh" if outcome == "refresh" else "cache"

    @step(Stage("initializer", contracts.initializer, reviewing.refreshed), phase="Documentation")
    def refresh(self, run: TicketRun, outcome: Literal["ok", "fail"]) -> Literal["cache"]:
        if outcome == "fail":
            run.warn(f"the documentation was not refreshed: {run.reason}")
        return "cache"

    @step(
        Check(
            "the state of the documentation",
            kind="document",
            timed=True,
            reads=lambda _: (*DOCS, DOCS_CACHE),
            decide=_with(reviewing.cached),
        ),
        phase="Documentation",
    )
    def cache(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["commit_docs"]:
        return "commit_docs"

    @step(
        Check(
            "the documents on the run's branch",
            kind="git",
            commit=lambda run: reviewing.commit_documents(ticket(run)),
            decide=_with(reviewing.documented),
        ),
        phase="Documentation",
        seals=True,
    )
    def commit_docs(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["propose"]:
        run.proposes = self.policy.get(
            "pull_request", "off"
        )  # a run begun before the key existed has none
        return "propose"

    @step(
        Check(
            "the pull request",
            kind="git",
            effects=lambda run: proposing.commands(ticket(run)),
            tells=True,
            decide=_with(proposing.proposed),
        ),
        phase="Documentation",
        seals=True,
    )
    def propose(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["give_back"]:
        return "give_back"

    @step(
        Check(
            "what was put aside is given back",
            kind="git",
            branch=_branch,
            acts=lambda run: ("unstash",) if ticket(run).give_back else (),
            decide=_with(reviewing.parted),
        ),
        phase="Documentation",
        seals=True,
    )
    def give_back(self, run: TicketRun, outcome: Literal["ok"]) -> Literal["done"]:
        return "done"

    # -- what is explored

    def variants(self) -> Sequence[Run]:
        asked = self.run_type(step="which_ticket", visits={"which_ticket": 1})
        begun = [
            self.run_type(step="analyse", visits={"analyse": 1}, resumes_at=at)
            for at in ("", "O4", "O5")
        ]
        return [asked, *begun]

    def imagined(self, run: Run, outcome: str) -> Sequence[Mapping[str, Any]]:
        return proofs.imagined(ticket(run), outcome, self.policy)
