"""Two stories with many agents: a loop over items as child runs, and waves of tasks between two
clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tests.views.conftest import RUN, Teller

from podium.core import events
from podium.core.contract import Contract
from podium.core.effects import Check, Child, Cluster, FanOut, Member, Stage
from podium.core.run import Run, Status
from podium.core.verdict import Judgement
from podium.core.workflow import Step, Workflow, step


def _stage(role: str) -> Stage:
    return Stage(role, lambda _: Contract(role))


def _cluster(*names: str) -> Cluster:
    members = [Member(name, lambda _: Contract("some")) for name in names]
    return Cluster(lambda _: members, lambda _: Judgement("ok", "ok"))


@dataclass(kw_only=True)
class LoopRun(Run):
    current: str = ""
    left: int = 0
    item: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class OneRun(Run):
    title: str = ""
    retries: int = 0
    max_retries: int = 2


class One(Workflow):
    name = "one"
    run_type = OneRun
    start = "implement"

    @step(_stage("implement"), loops=True)
    def implement(self, run: Run, outcome: Literal["ok"]) -> Literal["testing"]:
        return "testing"

    @step(_stage("testing"), loops=True)
    def testing(self, run: Run, outcome: Literal["ok", "revise"]) -> Literal["implement", "done"]:
        return "done" if outcome == "ok" else "implement"


class Loop(Workflow):
    name = "roadmap"
    run_type = LoopRun
    start = "select"

    @step(Check("the next item"), phase="Select", loops=True)
    def select(self, run: Run, outcome: Literal["picked", "complete"]) -> Literal["item", "done"]:
        return "item" if outcome == "picked" else "done"

    @step(
        FanOut(One, lambda _: [Child("X")], lambda _: Judgement("ok", "ok"), limit=1),
        phase="Item",
        key=lambda _: "item",
    )
    def item(self, run: Run, outcome: Literal["done", "blocked"]) -> Literal["commit", "select"]:
        return "commit" if outcome == "done" else "select"

    @step(Check("one commit", kind="git"), phase="Commit", loops=True)
    def commit(self, run: Run, outcome: Literal["ok"]) -> Literal["select"]:
        return "select"


LOOP: list[Step] = list(Loop.steps.values())


class LoopStory:
    """Tells of items, one after the other, as the engine would write it."""

    def __init__(self, items: int) -> None:
        self.root = Teller()
        self.items = items
        self.passed = 0
        self.number = 0
        self.told: list[dict[str, Any]] = []
        self._tell(
            self.root,
            events.run_started(LoopRun(step="select", left=items), "roadmap", [], "1.0.0"),
        )

    def _tell(self, teller: Teller, fact: dict[str, Any], after: float = 0.1) -> None:
        teller.now = max([self.root.now, teller.now])
        self.told.append(teller.tell(fact, after))
        self.root.now = teller.now

    def _step(
        self,
        teller: Teller,
        key: str,
        name: str,
        kind: str,
        outcome: str,
        verdict: str,
        **more: Any,
    ) -> None:
        self._tell(
            teller, events.step_started(key, name, kind, name if kind == "dispatch" else "", 1, {})
        )
        usage = {"tokens_in": 100, "tokens_out": 10, "cost_usd": 0.01, "seconds": 2.0}
        fields: dict[str, Any] = {
            "outputs": {},
            "evidence": [],
            "usage": usage,
            "assurance": {},
            **more,
        }
        self._tell(teller, events.step_finished(key, outcome, verdict, **fields), 2.0)

    def begin(self, name: str) -> Teller:
        """The item is picked and its first step is under way."""
        self.number += 1
        run = LoopRun(
            step="item",
            current=name,
            left=self.items - self.passed - 1,
            item={"id": name, "title": f"Story {name}"},
        )
        self._step(self.root, f"select/{self.number}", "select", "decision", "ok", name)
        self._tell(self.root, events.run_advanced(LoopRun(step="select"), run, "picked"))
        return Teller(f"{RUN}/item/{name}")

    def implement(self, child: Teller, name: str, attempt: int) -> None:
        self._step(
            child, f"item/{name}/implement/{attempt}", "implement", "dispatch", "ok", "success"
        )
        state = OneRun(step="testing", title=f"Story {name}", retries=attempt - 1)
        self._tell(child, events.run_advanced(OneRun(step="implement"), state, "ok"))

    def fail(self, child: Teller, name: str, attempt: int) -> None:
        key = f"item/{name}/testing/{attempt}"
        self._step(
            child,
            key,
            "testing",
            "dispatch",
            "revise",
            "fail",
            reason="1 test fails",
            sets={"failure": ["1 test fails"]},
        )
        state = OneRun(step="implement", title=f"Story {name}", retries=attempt)
        self._tell(child, events.run_advanced(OneRun(step="testing"), state, "revise"))

    def block(self, child: Teller, name: str, attempt: int) -> None:
        key = f"item/{name}/testing/{attempt}"
        self._step(child, key, "testing", "dispatch", "revise", "fail", reason="1 test fails")
        state = OneRun(
            step="testing", status=Status.BLOCKED, title=f"Story {name}", retries=attempt - 1
        )
        self._tell(
            child,
            events.run_blocked(state, f"{name} is blocked\nattempt {attempt}: 1 test fails", key),
        )
        left = LoopRun(step="select", current=name, left=self.items - self.passed - 1)
        self._tell(self.root, events.run_advanced(LoopRun(step="item"), left, "blocked"))

    def finish(self, child: Teller, name: str, attempt: int = 1) -> None:
        self._step(child, f"item/{name}/testing/{attempt}", "testing", "dispatch", "ok", "pass")
        state = OneRun(
            step="done", status=Status.COMPLETE, title=f"Story {name}", retries=attempt - 1
        )
        self._tell(child, events.run_completed(state, "complete"))
        left = self.items - self.passed - 1
        self._tell(
            self.root,
            events.run_advanced(
                LoopRun(step="item"), LoopRun(step="commit", current=name, left=left), "done"
            ),
        )
        made = {
            "name": "commit",
            "commit": f"{self.number:07d}abc",
            "paths": ["a.py"],
        }
        self._step(
            self.root, f"commit/{self.number}", "commit", "git", "ok", "committed", evidence=[made]
        )
        self.passed += 1
        self._tell(
            self.root,
            events.run_advanced(
                LoopRun(step="commit"), LoopRun(step="select", current=name, left=left), "ok"
            ),
        )

    def whole(self, name: str) -> None:
        child = self.begin(name)
        self.implement(child, name, 1)
        self.finish(child, name)

    def end(self) -> None:
        self._tell(
            self.root,
            events.run_completed(LoopRun(step="done", status=Status.COMPLETE, left=0), "complete"),
        )


def second_attempt() -> list[dict[str, Any]]:
    """US-1 is done, US-2 is implemented for the second time, one item is left."""
    story = LoopStory(3)
    story.whole("US-1")
    child = story.begin("US-2")
    story.implement(child, "US-2", 1)
    story.fail(child, "US-2", 1)
    story._tell(
        child,
        events.step_started("item/US-2/implement/2", "implement", "dispatch", "implement", 1, {}),
    )
    return story.told


@dataclass(kw_only=True)
class LineRun(Run):
    queue: list[dict[str, Any]] = field(default_factory=list)
    at: int = 0
    planning: int = 1
    warnings: list[str] = field(default_factory=list)


class Line(Workflow):
    name = "feature"
    run_type = LineRun
    start = "design"

    @step(_stage("designer"), phase="Design", loops=True)
    def design(self, run: Run, outcome: Literal["ok"]) -> Literal["ct"]:
        return "ct"

    @step(_cluster("ct-security", "ct-strategy"), phase="Design review", loops=True)
    def ct(self, run: Run, outcome: Literal["ok"]) -> Literal["ct_verdict"]:
        return "ct_verdict"

    @step(
        Check("judged by its table", kind="document"),
        phase="Design review",
        base="ct-verdict",
        loops=True,
    )
    def ct_verdict(
        self, run: Run, outcome: Literal["DONE", "NEEDS_REVISION"]
    ) -> Literal["design", "wave"]:
        return "wave" if outcome == "DONE" else "design"

    @step(
        _cluster(),
        phase="Implementation",
        key=lambda run: f"wave/{run.at + 1}" if run.planning == 1 else f"fix/1/wave/{run.at + 1}",
    )
    def wave(self, run: Run, outcome: Literal["DONE", "ERROR"]) -> Literal["wave", "done"]:
        return "wave" if outcome == "DONE" else "done"


LINE: list[Step] = list(Line.steps.values())
QUEUE = [{"wave": 1, "tasks": ["01-a", "02-b"]}, {"wave": 2, "tasks": ["03-c"]}]


def reviewed(t: Teller, number: int, *, verdict: str) -> None:
    t.tell(events.run_advanced(LineRun(step="design"), LineRun(step="ct"), "ok"), 0.01)
    for name in ("ct-security", "ct-strategy"):
        t.begin(f"ct/{number}/{name}", "ct", name)
    found = {
        "findings": [{"severity": "High", "where": "design", "what": "names are unchecked"}],
        "severity": "High",
    }
    sets = {"seen": {"data": found}} if verdict != "DONE" else {}
    t.end(f"ct/{number}/ct-security", "ok", "DONE", 2.0, sets=sets)
    t.end(f"ct/{number}/ct-strategy", "ok", "DONE", 1.0)
    t.tell(events.run_advanced(LineRun(step="ct"), LineRun(step="ct_verdict"), "ok"), 0.01)
    key = f"ct-verdict/{number}"
    t.tell(events.step_started(key, "ct_verdict", "document", "", 1, {}))
    outcome, reason = (
        ("ok", "2 of 2 are done") if verdict == "DONE" else ("revise", "ct-security DONE with High")
    )
    t.end(
        key,
        outcome,
        f"{verdict}: design review — {reason}",
        0.0,
        reason=reason,
        outputs={"docs/review.md": "sha256:" + "0" * 64},
        assurance={},
    )


def to_second_review() -> Teller:
    t = Teller()
    t.tell(events.run_started(LineRun(step="design"), "feature", ["Export"], "1.0.0"))
    t.begin("design/1", "design", "designer")
    t.end("design/1", "ok", "DONE", 4.0)
    reviewed(t, 1, verdict="NEEDS_REVISION")
    t.tell(
        events.run_advanced(LineRun(step="ct_verdict"), LineRun(step="design"), "NEEDS_REVISION"),
        0.01,
    )
    t.begin("design/2", "design", "designer")
    return t


def to_waves() -> Teller:
    """The design passed in its second round; one task of the first wave is done, the other under
    way.
    """
    t = to_second_review()
    t.end("design/2", "ok", "DONE", 4.0)
    reviewed(t, 2, verdict="DONE")
    run = LineRun(step="wave", queue=QUEUE, warnings=["the plan is long"])
    t.tell(events.run_advanced(LineRun(step="ct_verdict"), run, "DONE"), 0.01)
    t.begin("wave/1/01-a", "wave", "implementer")
    t.begin("wave/1/02-b", "wave", "implementer")
    t.end("wave/1/01-a", "ok", "DONE", 3.0)
    return t


def to_fix() -> Teller:
    """Both waves are over, the second one with a conflict; a plan that mends has begun its wave."""
    t = to_waves()
    t.end("wave/1/02-b", "ok", "DONE", 3.0)
    t.tell(events.step_merged("wave/1/02-b", "c" * 40, "b" * 40, {}))
    t.tell(
        events.run_advanced(
            LineRun(step="wave", queue=QUEUE), LineRun(step="wave", queue=QUEUE, at=1), "DONE"
        ),
        0.01,
    )
    t.begin("wave/2/03-c", "wave", "implementer")
    t.end("wave/2/03-c", "ok", "DONE", 3.0)
    t.tell(events.step_conflicted("wave/2/03-c", ["src/app.py"]))
    queue = [{"wave": 1, "tasks": ["04-mend"]}]
    t.tell(
        events.run_advanced(
            LineRun(step="wave", queue=QUEUE, at=1),
            LineRun(step="wave", queue=queue, planning=2),
            "ERROR",
        ),
        0.01,
    )
    t.begin("fix/1/wave/1/04-mend", "wave", "implementer")
    return t
