"""The story of a ticket as its journal tells it: groups of tasks, attempts, reviews, iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from tests.views.conftest import Teller, proven

from podium.core import events
from podium.core.run import Status
from podium.core.workflow import Step
from podium.workflows.ticket import reviewing
from podium.workflows.ticket.progress.metrics import GroupWork, Metrics, measure
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.workflow import Ticket

POLICY = {"max_iterations": 5, "max_attempts": 5, "max_parallel_tasks": 0, "pull_request": "off"}
STEPS: list[Step] = list(Ticket(POLICY).steps.values())
TWO = [("A", "parallel", ["TASK-1", "TASK-2", "TASK-3"]), ("B", "sequential", ["TASK-4"])]
LINES = "tests/test_lines.py::test_lines"
BROKEN = {
    **proven("failed", 2, [LINES], command="/usr/bin/make test", exit=2, why="1 test failed"),
    "output": "=====\nFAIL: test_lines\n-----\nAssertionError: 2 != 3",
}
SAID = f"test: 1 failed: {LINES}"


class TicketStory:
    """Tells of a run as the engine would write it, with the workflow's own record of a run."""

    def __init__(self, **members: Any) -> None:
        self.t = Teller()
        self.rounds: dict[str, int] = {}
        self.run = TicketRun(
            step="analyse", created_at="2026-01-31T12:03:04Z", branch="feature/X-1_a_b_c", **members
        )
        self.t.tell(events.run_started(self.run, "ticket", ["X-1 add words"], "1.0.0"))
        self.go("begin", max_iterations=5)
        self.go("plan")

    @property
    def told(self) -> list[dict[str, Any]]:
        return self.t.events

    @property
    def now(self) -> float:
        return self.t.now.timestamp()

    def go(self, to: str, outcome: str = "ok", **sets: Any) -> None:
        before = deepcopy(self.run)
        for name, value in {"step": to, **sets}.items():
            setattr(self.run, name, value)
        self.t.tell(events.run_advanced(before, self.run, outcome), 0.01)

    def check(
        self,
        key: str,
        step: str,
        kind: str,
        outcome: str,
        verdict: str,
        took: float = 0.1,
        **more: Any,
    ) -> None:
        self.rounds[key] = self.rounds.get(key, 0) + 1
        key = f"{key}/{self.rounds[key]}"
        self.t.tell(events.step_started(key, step, kind, "", 1, {}))
        self.t.end(key, outcome, verdict, took, assurance={}, **more)

    def plan(self, groups: Sequence[tuple[str, str, Sequence[str]]] = TWO) -> None:
        """The Planner's groups are there and the git gate is passed."""
        key = f"iteration/{self.run.iteration}/plan/planner"
        self.t.begin(key, "plan", "planner")
        self.t.end(key, "ok", "DONE", 4.0)
        self.go("settle")
        order = [
            {"group": name, "strategy": how, "tasks": list(tasks), "rounds": 1}
            for name, how, tasks in groups
        ]
        tasks = {each: ["PENDING", 0] for group in order for each in group["tasks"]}
        self.run.order, self.run.tasks = order, tasks
        self.go("next_group", "use", metrics=self.metrics())

    def metrics(self, minutes: float = 2.0, *, accepted: bool = False) -> dict[str, Any]:
        work = []
        for group in self.run.order:
            done = sum(self.run.tasks[each][0] == "ACCEPTED" for each in group["tasks"])
            work.append(
                GroupWork(
                    len(group["tasks"]), 1, done, minutes if done == len(group["tasks"]) else None
                )
            )
        known = Metrics(**self.run.metrics) if self.run.metrics else None
        found = measure(
            work,
            created_at=self.run.created_at,
            now=self.t.now,
            before=known,
            iteration_accepted=accepted,
        )
        return dict(vars(found))

    def move(self, to: str, *batch: str, **sets: Any) -> None:
        """What the last step came to is written, and the next move follows."""
        tasks = {name: list(each) for name, each in self.run.tasks.items()}
        for name, each in self.run.results.items():
            tasks[name][0] = each["status"]
        group = next((each for each in self.run.order if set(batch) & set(each["tasks"])), None)
        if to == "develop":
            for name in batch:
                tasks[name][1] += 1
            sets["tries"] = {
                **self.run.tries,
                **{name: self.run.tries.get(name, 0) + 1 for name in batch},
            }
        letter = group["group"] if group else ""
        sets |= {
            "tasks": tasks,
            "results": {},
            "batch": list(batch),
            "group": letter,
            "order": self.run.order,
            "max_attempts": 5,
        }
        self.run.tasks = tasks
        sets["metrics"] = self.metrics()
        word = f"group {letter}: {', '.join(batch)}" if letter else "all accepted"
        self.check("next-group", "next_group", "decision", "ok", word, 0.0, sets=sets)
        self.go(to, to, **sets)

    def key(self, task: str, kind: str = "task") -> str:
        return f"iteration/{self.run.iteration}/{kind}/{task}/{self.run.tries[task]}"

    def develop(self, *tasks: str, begun: Sequence[str] | None = None) -> None:
        """A batch, of which these have begun."""
        self.move("develop", *tasks)
        for task in tasks if begun is None else begun:
            self.t.begin(self.key(task), "develop", "task-executor")

    def written(self, *tasks: str, verdict: str = "SYNTAX_VALID", took: float = 3.0) -> None:
        for task in tasks:
            self.t.end(
                self.key(task),
                "ok" if verdict in {"SYNTAX_VALID", "DONE"} else "fail",
                verdict,
                took,
                reason=f"{task} says so",
            )

    def developed(self, verdict: str = "SYNTAX_VALID", **others: Mapping[str, Any]) -> None:
        """The batch is over; `others`: results that are not the usual one, by task."""
        usual = {
            each: {"status": verdict, "evidence": [], "changed": []} for each in self.run.batch
        }
        self.go(
            "next_group",
            results={
                **usual,
                **{name.replace("_", "-"): dict(each) for name, each in others.items()},
            },
        )

    def validate(self, *, passes: bool) -> None:
        self.move("validate", *self.run.batch)
        said = [] if passes else [f"{SAID} (`/usr/bin/make test`)", str(BROKEN["output"])]
        results = {
            each: {"status": "ACCEPTED" if passes else "REJECTED", "evidence": said}
            for each in self.run.batch
        }
        evidence = [proven("passed", 3, command="/usr/bin/make test") if passes else BROKEN]
        reason = "" if passes else SAID
        self.check(
            "validate",
            "validate",
            "command",
            "ok" if passes else "revise",
            "pass" if passes else "fail",
            evidence=evidence,
            reason=reason,
            sets={"results": results},
        )
        self.go("next_group", "pass" if passes else "fail", results=results)

    def review(self, task: str, *, accepts: bool, why: str = "criterion 2 is NOT MET") -> None:
        self.move("review_task", task)
        self.t.begin(self.key(task, "review"), "review_task", "reviewer")
        self.t.end(
            self.key(task, "review"),
            "ok" if accepts else "revise",
            "ACCEPTED" if accepts else "REJECTED",
            2.0,
            reason=why,
        )
        evidence = [] if accepts else [f"the Reviewer: {why}"]
        self.go(
            "next_group",
            results={task: {"status": "ACCEPTED" if accepts else "REJECTED", "evidence": evidence}},
        )

    def group_a(self) -> None:
        """All of the first group in two attempts."""
        self.plan()
        self.develop("TASK-1", "TASK-2", "TASK-3")
        self.written("TASK-1", "TASK-2", "TASK-3")
        self.developed()
        self.validate(passes=False)
        self.develop("TASK-1", "TASK-2", "TASK-3")
        self.written("TASK-1", "TASK-2", "TASK-3")
        self.developed()
        self.validate(passes=True)

    def group_b(self) -> None:
        self.develop("TASK-4")
        self.written("TASK-4", verdict="DONE")
        self.developed("DONE")
        self.review("TASK-4", accepts=True)
        self.move("review")

    def judge(self, *, accepts: bool, why: str = "the longest word is not the first") -> None:
        """The review of the iteration and the program's own build and test."""
        key = f"iteration/{self.run.iteration}/review"
        self.t.begin(key, "review", "reviewer")
        self.t.end(
            key,
            "ok" if accepts else "revise",
            "ACCEPTED" if accepts else "REJECTED",
            2.0,
            reason=why,
        )
        self.go("judge", "ok" if accepts else "revise")
        status = "ACCEPTED" if accepts else "REJECTED"
        entry = {
            "number": self.run.iteration,
            "status": status,
            "tasks_total": len(self.run.tasks),
            "tasks_accepted": len(self.run.tasks),
        }
        sets = {
            "iterations": [*self.run.iterations, entry],
            "metrics": self.metrics(accepted=accepts),
        }
        self.check(
            "verdict",
            "judge",
            "command",
            "ok" if accepts else "revise",
            status,
            reason=why,
            sets=sets,
        )
        for name, value in sets.items():
            setattr(self.run, name, value)
        if not accepts:
            before = deepcopy(self.run)
            reviewing.next_iteration(self.run)
            self.run.step = "begin"
            self.t.tell(events.run_advanced(before, self.run, "rejected"), 0.01)
            self.go("plan")
            return
        self.go("commit", "accepted", accepted=True)
        self.check(
            "commit",
            "commit",
            "git",
            "ok",
            "0123456",
            evidence=[{"name": "commit", "commit": "0123456789ab", "paths": ["a.py"]}],
        )
        self.go("done", status=Status.COMPLETE)
        self.t.tell(events.run_completed(self.run, "complete"))


def at_second_attempt() -> TicketStory:
    """TASK-1 is written again, TASK-2 is under way, TASK-3 has not begun its second attempt."""
    story = TicketStory()
    story.plan()
    story.develop("TASK-1", "TASK-2", "TASK-3")
    story.written("TASK-1", "TASK-2", "TASK-3")
    story.developed()
    story.validate(passes=False)
    story.develop("TASK-1", "TASK-2", "TASK-3", begun=("TASK-1", "TASK-2"))
    story.written("TASK-1")
    return story


def whole() -> TicketStory:
    story = TicketStory()
    story.group_a()
    story.group_b()
    story.judge(accepts=True)
    return story


def at_second_iteration() -> TicketStory:
    story = TicketStory()
    story.group_a()
    story.group_b()
    story.judge(accepts=False)
    return story
