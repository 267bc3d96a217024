"""One story every view must tell well: QA fails once, a gate waits, the run resumes and
completes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest

from podium.core import chain, events
from podium.core.contract import Contract
from podium.core.effects import Gate, Stage
from podium.core.run import Run, Status
from podium.core.workflow import Step, Workflow, step
from podium.proof.evidence import Evidence, State, to_json
from podium.proof.report import Count

RUN = "T001-k3f9"
START = datetime(2026, 1, 31, 12, 3, 4, tzinfo=UTC)
DIGEST = "sha256:" + "ab12" * 16
HOSTILE = "\x1b[2J\x1b]0;owned\x07[bold red]x[/] `|<b>*\r\n\u202e\u2028\x9b31m" + "A" * 10_000


OPEN = {
    "key": "approve-build",
    "kind": "approval",
    "prompt": "Build this plan?",
    "choices": ["approved"],
    "subject": {"plan.md": DIGEST},
}


def _stage(role: str) -> Stage:
    return Stage(role, lambda _: Contract(role))


class Harness(Workflow):
    start = "specification"

    @step(_stage("po-spec"))
    def specification(self, run: Run, outcome: Literal["ok"]) -> Literal["design"]:
        return "design"

    @step(_stage("feature-design"))
    def design(self, run: Run, outcome: Literal["ok"]) -> Literal["implementation_planning"]:
        return "implementation_planning"

    @step(_stage("tech-lead"))
    def implementation_planning(self, run: Run, outcome: Literal["ok"]) -> Literal["approve_build"]:
        return "approve_build"

    @step(Gate("Build this plan?"))
    def approve_build(self, run: Run, outcome: Literal["approved"]) -> Literal["build"]:
        return "build"

    @step(_stage("build"), loops=True)
    def build(self, run: Run, outcome: Literal["ok"]) -> Literal["qa"]:
        return "qa"

    @step(_stage("qa"), loops=True)
    def qa(
        self, run: Run, outcome: Literal["ok", "revise"]
    ) -> Literal["approve_completion", "build"]:
        return "approve_completion" if outcome == "ok" else "build"

    @step(Gate("Accept the task as complete?"))
    def approve_completion(self, run: Run, outcome: Literal["approved"]) -> Literal["done"]:
        return "done"


class Teller:
    """Writes events as the journal would: sealed, a time stamp each."""

    def __init__(self, run: str = RUN) -> None:
        self.run, self.now = run, START
        self.events: list[dict[str, Any]] = []

    def tell(self, fact: dict[str, Any], after: float = 0.5) -> dict[str, Any]:
        self.now += timedelta(seconds=after)
        ts = self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03}Z"
        prev = self.events[-1]["hash"] if self.events else chain.FIRST
        event, _ = chain.seal({**fact, "run": self.run, "ts": ts}, len(self.events) + 1, prev)
        self.events.append(event)
        return event

    def begin(self, key: str, name: str, role: str, attempt: int = 1) -> None:
        self.tell(events.step_started(key, name, "dispatch", role, attempt, {"task": DIGEST}))

    def end(self, key: str, outcome: str, verdict: str, took: float, **more: Any) -> None:
        usage = {"tokens_in": 1200, "tokens_out": 340, "cost_usd": 0.012, "seconds": took}
        fields: dict[str, Any] = {
            "outputs": {},
            "evidence": [],
            "usage": usage,
            "assurance": {"read": "confined", "write": "audited"},
        }
        self.tell(events.step_finished(key, outcome, verdict, **{**fields, **more}), took)

    def advance(self, before: str, after: str, outcome: str = "ok") -> None:
        self.tell(events.run_advanced(Run(step=before), Run(step=after), outcome), 0.01)

    def stage(self, name: str, role: str, after: str, took: float, **more: Any) -> None:
        key = name.replace("_", "-")
        self.begin(key, name, role)
        self.end(key, "ok", "done", took, **more)
        self.advance(name, after)


def proven(
    state: State, passed: int = 0, failing: Sequence[str] = (), skipped: int = 0, **more: Any
) -> dict[str, Any]:
    """A command as the journal has it."""
    ran = Count(passed, len(failing), skipped) if passed or failing or skipped else None
    known = Count(*before) if (before := more.pop("before", None)) else None
    usual = {"name": "test", "command": "pytest -q | tail", "exit": 1 if failing else 0}
    facts: dict[str, Any] = {**usual, "seconds": 3.2, "where": "overlay", **more}
    return to_json(Evidence(state=state, tests=ran, failing=tuple(failing), before=known, **facts))


TOTAL = "tests/test_app.py::test_total"
EVIDENCE = proven("failed", 4, [TOTAL], new=(TOTAL,), before=(5, 0, 0), why="1 test failed")


def _to_first_gate(t: Teller) -> None:
    t.tell(
        events.run_started(
            Run(step="specification"), "harness", ["harness/tasks/T001-sample.md"], "1.0.0"
        )
    )
    t.tell(events.document_saved("harness/run-state.md", DIGEST))
    t.stage(
        "specification",
        "po-spec",
        "design",
        41.0,
        outputs={"harness/artifacts/specs/T001.md": DIGEST},
    )
    t.begin("design", "design", "feature-design")
    t.tell(
        events.artifact_rejected(
            "design", "artifacts/design/T001.md", "malformed", "no heading ## Risks", 0
        ),
        20,
    )
    t.tell(events.step_started("design", "design", "dispatch", "feature-design", 1, {}, repair=1))
    t.end("design", "ok", "done", 12.0)
    t.advance("design", "implementation_planning")
    t.stage("implementation_planning", "tech-lead", "approve_build", 63.0)
    t.tell(
        events.gate_opened(
            "approve-build",
            "approve_build",
            "approval",
            "Build this plan?",
            ["approved"],
            {"plan.md": DIGEST},
        )
    )
    t.tell(
        events.run_paused(
            Run(step="approve_build", status=Status.WAITING), "approval needed", ["approve-build"]
        )
    )


def _to_second_build(t: Teller) -> None:
    t.tell(events.gate_decided("approve-build", "approved", "ada", "go", {"plan.md": DIGEST}), 900)
    t.tell(events.run_resumed(Run(step="approve_build"), "approved", "1.0.0"))
    t.advance("approve_build", "build", "approved")
    t.begin("build/1", "build", "build")
    t.tell(events.contract_violated("build/1", ["harness/run-state.md"], "protected"), 30)
    t.tell(events.retry_scheduled("build/1", "crash", 1, 3, 2.0, ["exit code 137"]), 5)
    t.begin("build/1", "build", "build", 2)
    t.end("build/1", "ok", "done", 95.0, evidence=[EVIDENCE])
    t.advance("build", "qa")
    t.begin("qa/1", "qa", "qa")
    t.end("qa/1", "revise", "Issues Found", 38.0, reason="AC1 fails: totals are rounded")
    t.advance("qa", "build", "revise")
    t.begin("build/2", "build", "build")


def _to_the_end(t: Teller) -> None:
    unknown = {"tokens_in": None, "tokens_out": None, "cost_usd": None, "seconds": 50.0}
    t.end("build/2", "ok", "done", 50.0, usage=unknown)
    t.advance("build", "qa")
    t.begin("qa/2", "qa", "qa")
    t.end("qa/2", "ok", "Pass", 31.0)
    t.advance("qa", "approve_completion")
    t.tell(
        events.gate_opened(
            "approve-completion",
            "approve_completion",
            "approval",
            "Accept?",
            ["approved"],
            {"qa.md": DIGEST},
        )
    )
    t.tell(events.gate_decided("approve-completion", "approved", "ada", "", {"qa.md": DIGEST}), 12)
    t.tell(events.run_completed(Run(step="done", status=Status.COMPLETE), "complete"))


def children() -> list[dict[str, Any]]:
    """A wave of two child runs, one at work and one blocked."""
    root, one, two = Teller(), Teller(f"{RUN}/item/US-7"), Teller(f"{RUN}/item/US-8")
    root.tell(events.run_started(Run(step="run_item"), "roadmap", [], "1.0.0"))
    one.tell(events.run_started(Run(step="testing"), "item", [], "1.0.0"), 1)
    one.begin("item/US-7/testing/2", "testing", "testing")
    two.tell(events.run_started(Run(step="implement"), "item", [], "1.0.0"), 1)
    two.begin("item/US-8/implement", "implement", "implement")
    two.tell(
        events.run_blocked(
            Run(step="implement"), "still failing after 2 retries", "item/US-8/implement"
        ),
        9,
    )
    return sorted(root.events + one.events + two.events, key=lambda event: str(event["ts"]))


@dataclass(frozen=True)
class Told:
    run: str
    workflow: str = "harness"
    title: str = "T001 Round totals to cents"
    status: str = "waiting"
    step: str = "approve_build"
    reason: str = ""
    stop: str = ""
    started: str = "2026-01-31T12:03:04.500Z"
    updated: str = "2026-01-31T12:05:32.000Z"
    gates: tuple[Any, ...] = ()
    holder: Any = None
    advice: tuple[str, ...] = ()
    outcome: str = ""


@pytest.fixture
def steps() -> list[Step]:
    return list(Harness.steps.values())


@pytest.fixture
def at_gate() -> list[dict[str, Any]]:
    teller = Teller()
    _to_first_gate(teller)
    return teller.events


@pytest.fixture
def at_second_build() -> list[dict[str, Any]]:
    teller = Teller()
    _to_first_gate(teller)
    _to_second_build(teller)
    return teller.events


@pytest.fixture
def whole() -> list[dict[str, Any]]:
    teller = Teller()
    _to_first_gate(teller)
    _to_second_build(teller)
    _to_the_end(teller)
    return teller.events


@pytest.fixture
def wave() -> list[dict[str, Any]]:
    return children()


@pytest.fixture
def told() -> Callable[..., Told]:
    """A summary says which gates are open; a run that waits has one, unless all is decided."""

    def make(run: str = RUN, **members: Any) -> Told:
        gates = (OPEN,) if members.get("status", "waiting") == "waiting" else ()
        return Told(run, **{"gates": gates, **members})

    return make


@pytest.fixture
def hostile() -> str:
    return HOSTILE


@pytest.fixture
def attack() -> list[dict[str, Any]]:
    """Every type of event, with hostile text wherever text can stand."""
    bad = HOSTILE
    run = Run(step="build", reason=bad, stop=bad)
    facts = [
        events.run_started(run, bad, [bad], bad),
        events.phase(entered=True, name=bad),
        events.step_started("build/1", "build", "dispatch", bad, 2, {bad: bad}),
        events.step_started(f"build/1/{bad}", bad, "dispatch", bad, 1, {bad: bad}),
        events.artifact_verified("build/1", bad, bad),
        events.artifact_rejected("build/1", bad, bad, bad, 1),
        events.contract_violated("build/1", [bad], bad),
        events.verdict_contradicted("build/1", [bad]),
        events.retry_scheduled("build/1", bad, 1, 3, 2.0, [bad]),
        events.retry_exhausted("build/1", bad, bad),
        events.step_finished(
            "build/1",
            "fail",
            bad,
            outputs={bad: bad},
            evidence=[{**EVIDENCE, "command": bad, "name": bad, "failing": [bad], "new": [bad]}],
            usage={},
            assurance={bad: bad},
            classification=bad,
            reason=bad,
            commit=bad,
            base=bad,
        ),
        events.step_interrupted("build/1"),
        events.step_reused("build/1"),
        events.step_stale("build/1", [bad]),
        events.gate_opened(bad, bad, bad, bad, [bad], {bad: bad}),
        events.gate_decided(bad, bad, bad, bad, {bad: bad}),
        events.gate_stale(bad, [bad]),
        events.gate_opened("ask", "ask", "question", bad, [bad, "b"], {bad: bad}),
        events.document_saved(bad, bad),
        events.document_drifted(bad, bad, bad),
        events.proof_baseline(bad, [{**EVIDENCE, "name": bad, "why": bad, "state": "not_run"}]),
        events.proof_checked(bad, [{**EVIDENCE, "name": bad, "tests": bad}, {"state": [bad]}]),
        events.proof_waived(bad, [bad], bad, bad),
        events.tests_weakened(bad, [{"path": bad, "how": bad, "lines": [bad]}], True),
        {"type": "tests.weakened", "key": bad, "paths": bad, "how": 7},
        events.budget_reached(bad, 1, 2),
        events.run_edited(run, bad, [bad]),
        events.run_advanced(run, run, bad),
        events.run_resumed(run, bad, bad),
        {"type": bad, "key": bad, bad: {bad: [bad]}},
        {"type": "throttle.changed", "from": bad, "to": bad, "because": bad},
        events.run_paused(run, bad, [bad]),
        events.run_paused(run, bad, until=bad),
        events.run_blocked(run, bad, "build/1"),
    ]
    teller = Teller()
    for fact in facts:
        teller.tell(fact)
    return teller.events
